/*
 * kbench-collect-command: starts one command, times it from before its start to its end, and reports what it used. A program of its own,
 * small and without shared libraries, because the kernel counts the memory of the process that starts a command as the command's own peak:
 * kbench itself is larger than most commands. Its standard input, output and error are the command's; what it reports goes to descriptor 3.
 *
 * kbench-collect-command CLOCK LOOPS COMMAND [ARGUMENT...]     LOOPS: of the contention probe around the run; 0: none
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sched.h>
#include <unistd.h>

#include "evidence/evidence.h"
#include "io.h"
#include "measure/measure.h"

#define REPORT 3
#define FAILED 2

/* Clock probes and contention probes at one end of the run. */
struct end { uint64_t chain[2], contention; };

struct run {
	uint64_t start, ticks;
	int status, error;              /* of waitpid; of exec */
	struct rusage usage;
	struct end before, after;
	int cpu;
};

static void probe_clock(const struct kb_clock *clock, struct end *end)
{
	uint64_t start;

	end->chain[0] = kb_clock_probe(clock, KB_CLOCK_PROBE_SHORT, &start);
	end->chain[1] = kb_clock_probe(clock, KB_CLOCK_PROBE_LONG, &start);
}

/* Twice: right after an exec the first one finds caches and predictors cold, and its floor is higher. */
static void probe_contention(const struct kb_clock *clock, uint64_t loops, unsigned times, struct end *end)
{
	uint64_t start;

	while (loops > 0 && times-- > 0)
		end->contention = kb_contention_probe(clock, loops, &start);
}

/* The memory of both is one until exec, so that why it failed needs no pipe. */
static pid_t start(char *const *argv, volatile int *error)
{
	pid_t child = vfork();

	if (child == 0) {
		execvp(argv[0], argv);
		*error = errno;
		_exit(127);
	}
	return child;
}

static int run_once(const struct kb_clock *clock, uint64_t loops, char *const *argv, struct run *run)
{
	volatile int error = 0;
	pid_t child, ended;

	probe_clock(clock, &run->before);
	probe_contention(clock, loops, 2, &run->before);
	run->start = clock->begin();
	child = start(argv, &error);
	if (child < 0)
		return -errno;
	do
		ended = wait4(child, &run->status, 0, &run->usage);
	while (ended < 0 && errno == EINTR);
	run->ticks = clock->end() - run->start;
	probe_contention(clock, loops, 1, &run->after);
	probe_clock(clock, &run->after);
	run->error = error;
	run->cpu = sched_getcpu();
	return ended < 0 ? -errno : 0;
}

static unsigned long long us_of(struct timeval time)
{
	return (unsigned long long)time.tv_sec * 1000000u + (unsigned long long)time.tv_usec;
}

static int report(const struct run *run)
{
	const struct rusage *usage = &run->usage;
	char line[600];
	int length = snprintf(line, sizeof line, "start=%llu ticks=%llu status=%d error=%d cpu=%d user_us=%llu system_us=%llu memory_kb=%ld "
			      "minor=%ld major=%ld voluntary=%ld forced=%ld before=%llu after=%llu short_before=%llu long_before=%llu "
			      "short_after=%llu long_after=%llu\n", (unsigned long long)run->start, (unsigned long long)run->ticks, run->status,
			      run->error, run->cpu, us_of(usage->ru_utime), us_of(usage->ru_stime), usage->ru_maxrss, usage->ru_minflt,
			      usage->ru_majflt, usage->ru_nvcsw, usage->ru_nivcsw, (unsigned long long)run->before.contention,
			      (unsigned long long)run->after.contention, (unsigned long long)run->before.chain[0],
			      (unsigned long long)run->before.chain[1], (unsigned long long)run->after.chain[0],
			      (unsigned long long)run->after.chain[1]);

	return kb_write_all(REPORT, line, (size_t)length);
}

int main(int argc, char **argv)
{
	struct kb_clock clock;
	struct run run = { .error = 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (argc < 4 || kb_clock_named(&clock, argv[1]) || fcntl(REPORT, F_SETFD, FD_CLOEXEC) < 0) {
		fputs("kbench-collect-command: only kbench starts it\n", stderr);
		return FAILED;
	}
	return run_once(&clock, strtoull(argv[2], NULL, 10), argv + 3, &run) || report(&run) ? FAILED : 0;
}
