/*
 * proc.fork_exit: fork, a child that exits at once, wait. Each child leaves with the number of its turn, so the status
 * is that of this child and of no other. The cost grows with the memory of the collector, which stays small and fixed.
 */
#include <errno.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kbench.h>

static unsigned turn;

static int fork_once(struct kb_run *run)
{
	int code = (int)(++turn % 255 + 1), status;     /* never 0, as a child would leave that does nothing */
	pid_t child = fork(), got;

	if (child < 0)
		return kb_fail(run, errno, "fork");
	if (child == 0)
		_exit(code);
	do
		got = waitpid(child, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return kb_fail(run, errno, "wait for child %ld", (long)child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != code)
		return kb_fail(run, ECHILD, "child %ld ended with status %#x, expected exit code %d", (long)child,
			       (unsigned)status, code);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int error = fork_once(run);

		if (error)
			return error;
	}
	kb_count(run, KB_SEEN, n);
	return 0;
}

/* System calls: clone and wait4; exit_group and, with glibc, set_robust_list in the child; other libraries may make one
   less or more. Each page that both write after the fork costs a fault: the stack and some data. The wait sleeps,
   unless the child was done before it. */
KB_BENCHMARK(
	.summary = "fork, exit of the child, wait",
	.suite = KB_QUICK, .portability = KB_PORTABLE, .lmbench = "lat_proc fork",
	.per = "process",
	.expect = {
		{ KB_SEEN, .per_op = 1 },
		{ KB_MINFLT, .per_op = 8, .tolerance = 8 },
		{ KB_NVCSW, .per_op = 1, .tolerance = 0.9 },
		{ KB_SYSCALLS, .per_op = 4, .tolerance = 1, .who = KB_ALL },
	},
	.op = op,
);
