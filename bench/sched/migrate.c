/*
 * sched.migrate: the calling thread goes to another CPU and comes back, by its affinity mask. Each step is checked on
 * the spot: the thread runs where it was sent. Its caches stay behind, but it has little in them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

#include <kbench_parties.h>

static cpu_set_t only[2];
static int cpus[2];
static uint64_t hops;

static int setup(struct kb_run *run)
{
	for (unsigned i = 0; i < 2; i++) {
		cpus[i] = kb_cpu(run, i);
		CPU_ZERO(&only[i]);
		CPU_SET((size_t)(cpus[i] < 0 ? 0 : cpus[i]), &only[i]);
	}
	return 0;
}

static int hop(struct kb_run *run, unsigned to)
{
	if (sched_setaffinity(0, sizeof only[to], &only[to]))
		return kb_fail(run, errno, "going to CPU %d", cpus[to]);
	hops++;
	return sched_getcpu() == cpus[to] ? 0 : kb_fail(run, EILSEQ, "not on CPU %d", cpus[to]);
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	hops = 0;
	for (uint64_t i = 0; i < n && !error; i++)
		error = hop(run, 1) ?: hop(run, 0);
	kb_count(run, KB_SEEN, hops / 2);
	return error;
}

/* The migrating thread sleeps until the other CPU has taken it. */
KB_BENCHMARK(
	.summary = "migration to another CPU and back", .per = "round-trip", .needs = KB_NEED_TWO_CPUS,
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux",
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, .per_op = 2, .who = KB_ALL },
	            { KB_SWITCHES, .per_op = 2, .tolerance = 0.9 } },
	.setup = setup, .op = op,
);
