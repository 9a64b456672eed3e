/* Two threads of one priority hand the processor to each other; or one, that nobody shares its priority with, keeps it. */
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "yield to a thread of the same priority, and the way back", .per = "iteration", .portability = KB_PLATFORM,
	.assumes = "two kernel entries and two switches per iteration; alone, one of each", .bound = KB_KERNEL, .suite = KB_STANDARD,
	.params = { { "partner", "whether another thread has the same priority", KB_CHOICE, "yes;no", 0, 0, "yes,no" }, KB_SEL4_PAIR },
);

static void choose(struct kb_root *root)
{
	bool alone = kb_param_is(&root->run, "partner", "no");

	root->high_priority = alone ? KB_PRIORITY_LOW - 1 : KB_PRIORITY_LOW;
	root->entries = root->switches = alone ? 1 : 2;
	root->alone = alone;
	if (alone && root->way != KB_BOTH)
		kb_unfit("partner=no has nobody to go there to: way=both");
}

KB_SEL4_LOW_WAYS(low, (void)root, seL4_Yield(), (void)0)
KB_SEL4_HIGH(other, (void)root, (void)0, seL4_Yield())

KB_SEL4_TIMED_LOOP(.entries = 2, .switches = 2, .choose = choose, KB_SEL4_WAYS(low, other));
