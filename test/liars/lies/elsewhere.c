/*
 * Says: a chain of additions. Hidden: it is not made between the two readings of the clock, or not by this thread: before, in the
 * check, in a child, by a helper.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "liar.h"

struct shared { uint64_t asked, done, sum; };

static struct shared *shared;
static uint64_t sum, helped;
static pid_t child;

static void go_elsewhere(void)
{
	long count = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)((sched_getcpu() + 1) % count), &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void *help(void *data)
{
	go_elsewhere();
	for (;;) {
		uint64_t asked = __atomic_load_n(&shared->asked, __ATOMIC_ACQUIRE), n = asked - shared->done;

		if (n == 0)
			continue;
		shared->sum = chain(0, n * TURN);
		__atomic_store_n(&shared->done, asked, __ATOMIC_RELEASE);
	}
	return data;
}

static int setup(struct kb_run *run)
{
	pthread_t thread;

	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return kb_fail(run, errno, "shared memory");
	if ((lie(run, "helper") || lie(run, "two_threads")) && pthread_create(&thread, NULL, help, NULL))
		return kb_fail(run, EAGAIN, "a thread");
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	helped = lie(run, "two_threads") ? n / 2 : lie(run, "helper") ? n : 0;
	sum = lie(run, "before") ? chain(0, n * TURN) : 0;
	return 0;
}

static int hand_over(uint64_t n)
{
	__atomic_store_n(&shared->asked, shared->asked + n, __ATOMIC_RELEASE);
	return 0;
}

static void await(void)
{
	while (__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) != shared->asked)
		continue;
	sum += shared->sum;
	helped = 0;
}

static int send_child(struct kb_run *run, uint64_t n)
{
	child = fork();
	if (child < 0)
		return kb_fail(run, errno, "a child");
	if (child == 0) {
		shared->sum = chain(0, n * TURN);
		_exit(0);
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t mine = lie(run, "before") ? 0 : n - helped;

	if (lie(run, "child"))
		return send_child(run, n);
	if (lie(run, "in_check") || lie(run, "in_after"))
		return 0;
	if (helped)
		hand_over(helped);
	for (uint64_t i = 0; i < mine; i++)
		sum = chain(sum, TURN);
	if (helped && lie(run, "two_threads"))
		await();
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (lie(run, "in_after"))
		return 0;
	if (lie(run, "in_check"))
		sum = chain(0, n * TURN);
	if (helped)
		await();
	if (child > 0 && waitpid(child, NULL, 0) == child)
		sum = shared->sum;
	return sum == n * TURN * STEP ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

static int after(struct kb_run *run, uint64_t n)
{
	if (lie(run, "in_after"))
		sum = chain(0, n * TURN);
	return 0;
}

KB_BENCHMARK(
	.summary = "a chain of additions, at another time or place", .per = "chain", .bound = KB_LATENCY,
	.params = { LIE_PARAM("before,in_check,in_after,child,helper,two_threads") },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check, .after = after,
);
