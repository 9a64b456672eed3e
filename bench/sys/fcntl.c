/* sys.fcntl: ask for the flags of an open file. The shortest call that looks a descriptor up. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include <kbench.h>

static int pipe_fd[2];
static uint64_t sum;

static int setup(struct kb_run *run)
{
	return pipe(pipe_fd) || fcntl(pipe_fd[1], F_SETFL, O_NONBLOCK) ? kb_fail(run, errno, "making a pipe") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		int flags = fcntl(pipe_fd[1], F_GETFL);

		if (flags < 0)
			return kb_fail(run, errno, "fcntl");
		sum += (uint64_t)(flags & (O_ACCMODE | O_NONBLOCK));
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (sum != n * (O_WRONLY | O_NONBLOCK))
		return kb_fail(run, EPROTO, "the sum of %llu flags is wrong", (unsigned long long)n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

KB_BENCHMARK(
	.summary = "fcntl(F_GETFL): flags of an open file", .per = "call",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
