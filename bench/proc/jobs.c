/*
 * proc.jobs: a batch of jobs at once, each a process with the same fixed computation, all waited for. The jobs go round
 * the allowed CPUs. Each leaves with a code of its own, and only if its result is right. The batch of one job is the
 * unit; how the others compare with it is what this machine gains by its CPUs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <kbench_code.h>
#include <kbench_parties.h>

#define JOBS_MAX 64
#define WORK 3000000u           /* dependent additions of one job: about a millisecond */

static int jobs, cpus, cpu[JOBS_MAX];
static uint64_t expected, reaped;

static void job(int index)
{
	cpu_set_t only;

	CPU_ZERO(&only);
	CPU_SET((size_t)cpu[index % cpus], &only);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (sched_setaffinity(0, sizeof only, &only))
		_exit(0);
	_exit(kb_chain(KB_CHAIN_ADD, WORK, 1, 3) == expected ? index + 1 : 0);
}

static int setup(struct kb_run *run)
{
	jobs = (int)kb_param_number(run, "jobs");
	while (cpus < jobs && (cpu[cpus] = kb_cpu(run, (unsigned)cpus)) >= 0)
		cpus++;
	expected = kb_chain_expect(KB_CHAIN_ADD, WORK, 1, 3);
	return 0;
}

static int batch(struct kb_run *run)
{
	pid_t child[JOBS_MAX];
	int started = 0, error = 0;

	while (started < jobs && !error) {
		child[started] = fork();
		if (child[started] == 0)
			job(started);
		error = child[started] < 0 ? kb_fail(run, errno, "fork of job %d", started + 1) : 0;
		started += !error;
	}
	for (int i = 0; i < started; i++) {
		int wrong = kb_reap(run, child[i], i + 1);

		error = error ? error : wrong;
		reaped += !wrong;
	}
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	reaped = 0;
	for (uint64_t i = 0; i < n && !error; i++) {
		error = batch(run);
		kb_count(run, KB_SEEN, !error);     /* each of its jobs left as it should */
	}
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	return reaped == n * (uint64_t)jobs ? 0 : kb_fail(run, ECHILD, "jobs are missing");
}

/* Each job costs the parent some faults, for what it writes after the fork, and at most one sleep. */
KB_BENCHMARK(
	.summary = "parallel jobs of a fixed computation", .per = "batch",
	.suite = KB_FULL, .portability = KB_PORTABLE, .lmbench = "lat_pmake",
	.params = { { "jobs", "in one batch", KB_NUMBER, "1,2,8", 1, JOBS_MAX, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_MINFLT, .per_op = 8 * JOBS_MAX, .tolerance = 8 * JOBS_MAX },
	            { KB_NVCSW, .per_op = JOBS_MAX, .tolerance = JOBS_MAX } },
	.setup = setup, .op = op, .check = check,
);
