/* A child that ends at once. It leaves a mark in shared memory. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <kbench_parties.h>

static volatile uint64_t *born;

static int setup(struct kb_run *run)
{
	born = kb_shared_memory(run, sizeof *born);
	return born ? 0 : -ENOMEM;
}

static int op(struct kb_run *run, uint64_t n)
{
	*born = 0;
	for (uint64_t i = 0; i < n; i++) {
		pid_t child = fork();

		if (child == 0) {
			++*born;
			_exit(0);
		}
		if (child < 0 || waitpid(child, NULL, 0) != child)
			return kb_fail(run, errno, "a child");
		kb_count(run, KB_SEEN, 1);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return *born == n ? 0 : kb_fail(run, ECHILD, "not all children were born");
}

KB_BENCHMARK(
	.summary = "fork, exit and wait", .per = "child", .max_n = 50,
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 4, 0, 1, KB_ALL, NULL } },
	.setup = setup, .op = op, .check = check,
);
