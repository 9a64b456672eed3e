/*
 * Two threads hand the turn to each other by two semaphores. At one priority each wakes the other and then waits itself; a partner of higher
 * priority runs as soon as it is woken, and has given its semaphore before it is waited for.
 */
#include "semaphore.h"
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "turn handed to another thread by a semaphore, and back by a second", .per = "round-trip", .portability = KB_PLATFORM,
	.assumes = "four kernel entries at one priority, two with a partner above; as many choices of the next thread", .bound = KB_KERNEL,
	.params = { { "partner", "the partner's priority against the timed thread's", KB_CHOICE, "same;higher", 0, 0, "same,higher" },
		KB_SEL4_PAIR },
);

static struct kb_semaphore there, back;

static void choose(struct kb_root *root)
{
	bool same = kb_param_is(&root->run, "partner", "same");

	root->high_priority = same ? KB_PRIORITY_LOW : KB_PRIORITY_HIGH;
	root->entries = root->switches = same ? 4 : 2;
}

static void setup(struct kb_root *root)
{
	there.signalled = root->signalled;
	back.signalled = kb_object(root, seL4_NotificationObject, 0);
}

/* The partner of the test before was stopped while it waited. */
static void again(struct kb_root *root)
{
	(void)root;
	there.value = back.value = 0;
}

KB_SEL4_LOW_WAYS(low, (void)root, kb_semaphore_give(&there); kb_semaphore_take(&back), (void)0)
KB_SEL4_HIGH(high, (void)root, kb_semaphore_take(&there), kb_semaphore_give(&back); kb_semaphore_take(&there))

KB_SEL4_TIMED_LOOP(.entries = 4, .switches = 4, .choose = choose, .setup = setup, KB_SEL4_WAYS(low, high), .again = again);
