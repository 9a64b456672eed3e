/*
 * The *measuring circle* of the source document: Low signals, High, which has the higher priority, wakes, waits again, and Low goes
 * on. High's loop has no counter: one would let the processor run ahead into what follows the loop.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "signal to a thread of higher priority, and the way back", .per = "iteration", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and two switches per iteration", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_WAIT, KB_SEL4_PLAIN },
);

static void low(struct kb_root *root)
{
	seL4_CPtr signalled = root->signalled;

	KB_SEL4_TIMED(root, kb_bare_signal(signalled));
	kb_loop_done(root);
}

static void high(struct kb_root *root)
{
	seL4_CPtr signalled = root->signalled;

	for (;;)
		kb_bare_wait(signalled);
}

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

/* One way: from before the signal to High's first instruction. */
static void low_single(struct kb_root *root)
{
	seL4_CPtr signalled = root->signalled;

	KB_SEL4_SINGLE(root, kb_bare_signal(signalled), root->end);
	kb_loop_done(root);
}

static void high_single(struct kb_root *root)
{
	seL4_CPtr signalled = root->signalled;

	for (;;) {
		kb_bare_wait(signalled);
		root->end = kb_sel4_clock();
	}
}

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .low = low, .high = high, .low_libsel4 = low_libsel4, .high_libsel4 = high_libsel4,
	.low_single = low_single, .high_single = high_single);
