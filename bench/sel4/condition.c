/*
 * A producer and a consumer of one priority, with room for one item, a lock and two condition variables. An operation is an item that is put
 * there and taken: the producer waits until it is. Each holds the lock but while it waits.
 */
#include "semaphore.h"
#include "timed_loop.h"

KB_SEL4_ABOUT(
	.summary = "item handed to a consumer under a lock, by condition variables, and taken", .per = "item", .portability = KB_PLATFORM,
	.assumes = "four kernel entries and as many choices of the next thread an item", .bound = KB_KERNEL, .params = { KB_SEL4_PAIR },
);

static struct kb_semaphore lock;
static struct kb_condition filled, emptied;
static volatile bool full;

static void choose(struct kb_root *root)
{
	root->high_priority = KB_PRIORITY_LOW;
}

static void again(struct kb_root *root)
{
	(void)root;
	lock.value = 1;
	filled.waiting = emptied.waiting = 0;
	full = false;
}

static void setup(struct kb_root *root)
{
	lock.signalled = kb_object(root, seL4_NotificationObject, 0);
	filled.signalled = root->signalled;
	emptied.signalled = kb_object(root, seL4_NotificationObject, 0);
	again(root);
}

static inline void await_filled(void)
{
	while (!full)
		kb_condition_wait(&filled, &lock);
}

static inline void produce(void)
{
	full = true;
	kb_condition_signal(&filled);
	while (full)
		kb_condition_wait(&emptied, &lock);
}

static inline void consume(void)
{
	full = false;
	kb_condition_signal(&emptied);
	await_filled();
}

KB_SEL4_LOW_WAYS(producer, kb_semaphore_take(&lock), produce(), kb_semaphore_give(&lock))
KB_SEL4_HIGH(consumer, (void)root, kb_semaphore_take(&lock); await_filled(), consume())

KB_SEL4_TIMED_LOOP(.entries = 4, .switches = 4, .choose = choose, .setup = setup, KB_SEL4_WAYS(producer, consumer), .again = again);
