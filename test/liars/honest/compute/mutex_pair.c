/* A lock that nobody else wants. */
#include <pthread.h>

#include "sum.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static uint64_t once(void)
{
	return pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n);
}

KB_BENCHMARK(
	.summary = "mutex, locked and unlocked", .per = "pair", .bound = KB_LATENCY,
	.expect = { { KB_SYSCALLS, .who = KB_ALL } },
	.op = add_up, .check = check,
);
