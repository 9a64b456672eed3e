/*
 * Signal to a thread of the same priority, which runs when the signaller yields, and waits again. The kernel chooses the next
 * thread at the signal, too, and stays with the signaller.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "signal to a thread of the same priority, yield to it, and the way back", .per = "iteration", .portability = KB_PLATFORM,
	.assumes = "three kernel entries and three choices of the next thread per iteration", .bound = KB_KERNEL,
	.params = { KB_SEL4_PLAIN },
);

static void choose(struct kb_root *root)
{
	root->high_priority = KB_PRIORITY_LOW;
}

KB_SEL4_LOW(low, seL4_CPtr signalled = root->signalled, kb_bare_signal(signalled); seL4_Yield(), (void)0)

static void other(struct kb_root *root)
{
	seL4_CPtr signalled = root->signalled;

	for (;;)
		kb_bare_wait(signalled);
}

KB_SEL4_TIMED_LOOP(.entries = 3, .switches = 3, .choose = choose, KB_SEL4_LOOPS(low), .high = other);
