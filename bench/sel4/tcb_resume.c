/* Stops and starts a thread that, being of lower priority, never runs meanwhile. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "suspend and resume a thread of lower priority", .per = "pair", .portability = KB_PLATFORM,
	.assumes = "two kernel entries; both calls succeed", .bound = KB_KERNEL,
	.params = { KB_SEL4_PLAIN },
);

static void choose(struct kb_root *root)
{
	root->high_priority = KB_PRIORITY_LOW - 1;
}

KB_SEL4_LOW(low, seL4_CPtr tcb = root->party[KB_HIGH].tcb; int wrong = 0,
	wrong |= (int)seL4_TCB_Suspend(tcb) | (int)seL4_TCB_Resume(tcb), KB_SEL4_WRONG(root))

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 1, .choose = choose, KB_SEL4_LOOPS(low));
