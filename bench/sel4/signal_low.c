/*
 * Signal to a thread of lower priority: nobody is switched to. That thread cannot run, so all signals but one find the notification
 * active already; set-up makes that true for all of them.
 */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "signal that no higher thread waits for: the notification is active", .per = "signal", .portability = KB_PLATFORM,
	.assumes = "one kernel entry and no switch", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_PLAIN },
);

static void choose(struct kb_root *root)
{
	root->high_priority = KB_PRIORITY_LOW - 1;
}

static void setup(struct kb_root *root)
{
	seL4_Signal(root->signalled);
}

KB_SEL4_LOW(low, seL4_CPtr signalled = root->signalled, kb_bare_signal(signalled), (void)0)

KB_SEL4_TIMED_LOOP(.entries = 1, .switches = 0, .choose = choose, .setup = setup, KB_SEL4_LOOPS(low));
