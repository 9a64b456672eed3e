/*
 * Says: a chain of additions on the CPU that was asked for. Hidden: it runs on another one, goes there and back, or somebody
 * else there does it while this thread waits.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "liar.h"

struct shared { uint64_t asked, done, sum; };

static struct shared *shared;
static uint64_t sum;
static int here, there;

static void go(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof set, &set);
}

static void go_anywhere(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)here, &set);
	CPU_SET((size_t)there, &set);
	sched_setaffinity(0, sizeof set, &set);
}

/* Of the one that works elsewhere: a number of operations at a time. */
static void serve(void)
{
	go(there);
	for (;;) {
		uint64_t asked = __atomic_load_n(&shared->asked, __ATOMIC_ACQUIRE), n = asked - shared->done;

		if (n == 0)
			continue;
		if (n > UINT32_MAX)
			return;
		shared->sum = chain(0, n * TURN);
		__atomic_store_n(&shared->done, asked, __ATOMIC_RELEASE);
	}
}

static void *serve_as_thread(void *data)
{
	serve();
	return data;
}

static int start_child(struct kb_run *run)
{
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve();
		_exit(0);
	}
	return child < 0 ? kb_fail(run, errno, "a child") : 0;
}

static int setup(struct kb_run *run)
{
	pthread_t thread;

	here = sched_getcpu();
	there = (here + 1) % (int)sysconf(_SC_NPROCESSORS_ONLN);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (there == here || shared == MAP_FAILED)
		return kb_skip(run, "needs two CPUs");
	if (lie(run, "set_up_there"))
		go(there);
	if (lie(run, "anywhere"))
		go_anywhere();
	if (lie(run, "thread") && pthread_create(&thread, NULL, serve_as_thread, NULL))
		return kb_fail(run, EAGAIN, "a thread");
	return lie(run, "child") ? start_child(run) : 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	if (lie(run, "before"))
		go(there);
	return 0;
}

static void let_work(uint64_t n)
{
	uint64_t asked = shared->asked + n;

	__atomic_store_n(&shared->asked, asked, __ATOMIC_RELEASE);
	while (__atomic_load_n(&shared->done, __ATOMIC_ACQUIRE) != asked)
		continue;
	sum = shared->sum;
}

static int op(struct kb_run *run, uint64_t n)
{
	bool each = lie(run, "each_operation");

	if (lie(run, "thread") || lie(run, "child")) {
		let_work(n);
		return 0;
	}
	if (lie(run, "away") || lie(run, "there_and_back"))
		go(there);
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		if (each)
			go(there);
		sum = chain(sum, TURN);
		if (each)
			go(here);
	}
	if (lie(run, "there_and_back"))
		go(here);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * TURN * STEP ? 0 : kb_fail(run, EILSEQ, "the sum is wrong");
}

/* More than anybody can do: the end. */
static void teardown(struct kb_run *run)
{
	(void)run;
	__atomic_store_n(&shared->asked, UINT64_MAX / 2, __ATOMIC_RELEASE);
	while (lie(run, "child") && waitpid(-1, NULL, 0) < 0 && errno == EINTR)
		continue;
}

KB_BENCHMARK(
	.summary = "a chain of additions, here or elsewhere", .per = "chain", .bound = KB_LATENCY,
	.params = { LIE_PARAM("away,there_and_back,each_operation,set_up_there,anywhere,before,thread,child") },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
