/*
 * A lock and a condition variable of the usual kind on seL4: a number in memory, and a notification for whoever has to wait. Shared by
 * threads of one address space or of two that have the page at the same address.
 */
#ifndef KB_SEL4_SEMAPHORE_H
#define KB_SEL4_SEMAPHORE_H

#include "root.h"

/* value: 1 when it can be taken, 0 when it is, below 0 when threads wait. */
struct kb_semaphore { int value; seL4_CPtr signalled; };

/* waiting: threads, under the lock. */
struct kb_condition { int waiting; bool all; seL4_CPtr signalled; };

static inline void kb_semaphore_take(struct kb_semaphore *semaphore)
{
	if (__atomic_fetch_sub(&semaphore->value, 1, __ATOMIC_ACQUIRE) <= 0)
		kb_bare_wait(semaphore->signalled);
}

static inline void kb_semaphore_give(struct kb_semaphore *semaphore)
{
	if (__atomic_fetch_add(&semaphore->value, 1, __ATOMIC_RELEASE) < 0)
		kb_bare_signal(semaphore->signalled);
}

static inline void kb_condition_signal(struct kb_condition *condition)
{
	if (*(volatile int *)&condition->waiting > 0)
		kb_bare_signal(condition->signalled);
}

/* Each waiter wakes the next one: one notification cannot count. */
static inline void kb_condition_broadcast(struct kb_condition *condition)
{
	condition->all = condition->waiting > 0;
	kb_condition_signal(condition);
}

static inline void kb_condition_wait(struct kb_condition *condition, struct kb_semaphore *lock)
{
	condition->waiting++;
	condition->all = false;
	kb_semaphore_give(lock);
	kb_bare_wait(condition->signalled);
	kb_semaphore_take(lock);
	condition->waiting--;
	if (condition->all && condition->waiting > 0)
		kb_bare_signal(condition->signalled);
	else
		condition->all = false;
}

#endif
