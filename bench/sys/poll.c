/* sys.poll: ask which of many descriptors can be read, without waiting. The list is handed over with each call. */
#include <errno.h>
#include <poll.h>

#include <kbench_files.h>

#define FDS_MAX 1000u

static struct pollfd list[FDS_MAX];
static unsigned fds, ready;
static uint64_t calls, sum;

static int setup(struct kb_run *run)
{
	static int fd[FDS_MAX];
	int error;

	fds = (unsigned)kb_param_number(run, "fds");
	ready = fds * (unsigned)kb_param_number(run, "ready") / 100;
	error = kb_descriptors(run, kb_param_text(run, "kind"), fds, ready, fd);
	for (unsigned i = 0; i < fds; i++)
		list[i] = (struct pollfd){ fd[i], POLLIN, 0 };
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	calls = sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		int got = poll(list, fds, 0);

		if (got < 0)
			return kb_fail(run, errno, "poll");
		sum += (uint64_t)got;
		calls++;
	}
	return 0;
}

/* The last answer names the ready ones and no other. */
static int check(struct kb_run *run, uint64_t n)
{
	if (calls != n || sum != n * ready)
		return kb_fail(run, EPROTO, "%llu of %llu were ready in %llu calls", (unsigned long long)sum,
			       (unsigned long long)(n * ready), (unsigned long long)calls);
	for (unsigned i = 0; i < fds; i++) {
		if (list[i].revents != (i < ready ? POLLIN : 0))
			return kb_fail(run, EPROTO, "descriptor %u of %u answers %#x", i + 1, fds, (unsigned)list[i].revents);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "poll: which of many descriptors are readable", .per = "call",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.params = { { "fds", "descriptors", KB_NUMBER, "10,500", 1, FDS_MAX, NULL },
	            { "ready", "percent of them that can be read", KB_NUMBER, "0,100", 0, 100, NULL },
	            { "kind", "of descriptor", KB_CHOICE, "pipe", .choices = "file,pipe,tcp" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
