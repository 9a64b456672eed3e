/*
 * Waiters of higher priority on one condition variable are all woken under the lock that each then takes and gives back. They meet again on a
 * second one, for the next time. The first to wake finds the lock taken; each that has it wakes the next.
 */
#include "semaphore.h"
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "broadcast to waiters of higher priority, each of which takes the lock", .per = "broadcast", .portability = KB_PLATFORM, .max_n = 16,
	.assumes = "two kernel entries a waiter and two for the lock, and as many choices of the next thread", .bound = KB_KERNEL,
	.params = { { "waiters", "how many threads wait", KB_NUMBER, "25", 1, KB_CROWD, 0 },
		{ "until", "what ends the time: the call, the first or last waiter that has the lock, or all of it", KB_CHOICE, "done;call,first,last", 0, 0,
		  "call,first,last,done" }, KB_SEL4_FPU },
);

static struct kb_semaphore lock = { .value = 1 };
static struct kb_condition meeting[2];
static int woken, stamping, met;
static unsigned turn;

static void choose(struct kb_root *root)
{
	root->word = kb_param_number(&root->run, "waiters");
	root->entries = root->switches = (unsigned)(2 * root->word + 2);
}

static void waiter(struct kb_root *root)
{
	kb_semaphore_take(&lock);
	if (++met == (int)root->word)
		kb_bare_signal(root->ready);
	for (unsigned at = 0;; at ^= 1) {
		kb_condition_wait(&meeting[at], &lock);
		if (++woken == stamping)
			root->stamp = kb_sel4_clock();
	}
}

static void setup(struct kb_root *root)
{
	lock.signalled = kb_object(root, seL4_NotificationObject, 0);
	for (unsigned i = 0; i < 2; i++)
		meeting[i].signalled = kb_object(root, seL4_NotificationObject, 0);
	stamping = kb_param_is(&root->run, "until", "first") ? 1 : kb_param_is(&root->run, "until", "last") ? (int)root->word : 0;
	kb_crowd_start(root, (unsigned)root->word, waiter);
	seL4_Wait(root->ready, 0);
}

static inline void broadcast(void)
{
	kb_condition_broadcast(&meeting[turn]);
	turn ^= 1;
}

static void low(struct kb_root *root)
{
	if (stamping)
		KB_SEL4_SAMPLES(root, woken = 0; kb_semaphore_take(&lock), kb_sel4_clock(), broadcast(); kb_semaphore_give(&lock), root->stamp, (void)0);
	else if (kb_param_is(&root->run, "until", "call"))
		KB_SEL4_SAMPLES(root, kb_semaphore_take(&lock), kb_sel4_clock(), broadcast(), kb_sel4_clock(), kb_semaphore_give(&lock));
	else
		KB_SEL4_SAMPLES(root, kb_semaphore_take(&lock), kb_sel4_clock(), broadcast(); kb_semaphore_give(&lock), kb_sel4_clock(), (void)0);
	kb_loop_done(root);
}

KB_SEL4_TIMED_LOOP(.entries = 52, .switches = 52, .stamped = true, .choose = choose, .setup = setup, .low_single = low);
