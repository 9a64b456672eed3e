/* Two threads of one priority hand the processor to each other. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "yield to a thread of the same priority, and the way back", .per = "iteration", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and two switches per iteration", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { KB_SEL4_PLAIN },
);

static void choose(struct kb_root *root)
{
	root->high_priority = KB_PRIORITY_LOW;
}

KB_SEL4_LOW(low, (void)root, seL4_Yield(), (void)0)

static void other(struct kb_root *root)
{
	(void)root;
	for (;;)
		seL4_Yield();
}

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .choose = choose, .low = low, .low_single = low_single, .high = other);
