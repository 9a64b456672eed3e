/* A thread for each task, as many programs have it. */
#include <errno.h>
#include <pthread.h>

#include <kbench.h>

static uint64_t sum;

static void *task(void *data)
{
	__atomic_fetch_add((uint64_t *)data, 1, __ATOMIC_RELAXED);
	return NULL;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, task, &sum) || pthread_join(thread, NULL))
			return kb_fail(run, EAGAIN, "a thread");
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n ? 0 : kb_fail(run, EPROTO, "not all tasks were done");
}

KB_BENCHMARK(
	.summary = "starting and joining a thread", .per = "thread",
	.op = op, .check = check,
);
