/*
 * The *measuring circle* of the source document: Low signals, High, which has the higher priority, wakes, waits again, and Low goes
 * on.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "signal to a thread of higher priority, and the way back", .per = "iteration", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and two switches per iteration", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_WAIT, KB_SEL4_PAIR, KB_SEL4_PRIORITIES },
);

static void choose(struct kb_root *root)
{
	root->low_priority = kb_param_number(&root->run, "low");
	root->high_priority = kb_param_number(&root->run, "high");
	if (root->low_priority >= root->high_priority)
		kb_unfit("the partner is above the timed thread: low below high");
	if (root->libsel4 && root->way != KB_BOTH)
		kb_unfit("one way goes by bare instructions: wait=bare");
}

KB_SEL4_LOW_WAYS(low, seL4_CPtr signalled = root->signalled, kb_bare_signal(signalled), (void)0)
KB_SEL4_HIGH(high, seL4_CPtr signalled = root->signalled, kb_bare_wait(signalled), kb_bare_wait(signalled))

static void low_libsel4(struct kb_root *root)
{
	seL4_CPtr signalled = root->signalled;

	KB_SEL4_TIMED(root, seL4_Signal(signalled));
	kb_loop_done(root);
}

static void high_libsel4(struct kb_root *root)
{
	seL4_CPtr signalled = root->signalled;

	for (;;)
		seL4_Wait(signalled, 0);
}

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .choose = choose, KB_SEL4_WAYS(low, high),
	.low_libsel4 = low_libsel4, .high_libsel4 = high_libsel4);
