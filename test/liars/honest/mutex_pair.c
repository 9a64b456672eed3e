/* A lock that nobody else wants. */
#include <errno.h>
#include <pthread.h>

#include <kbench.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t sum;

static uint64_t once(void)
{
	return pthread_mutex_lock(&mutex) == 0 && pthread_mutex_unlock(&mutex) == 0;
}

static int setup(struct kb_run *run)
{
	(void)run;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		sum += once();
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * 1 ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}

KB_BENCHMARK(
	.summary = "mutex, locked and unlocked", .per = "pair", .bound = KB_LATENCY,
	.expect = { { KB_SYSCALLS, .who = KB_ALL } },
	.setup = setup, .op = op, .check = check,
);
