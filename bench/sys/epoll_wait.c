/*
 * sys.epoll_wait: ask which of many registered descriptors can be read, without waiting. The kernel keeps a list of the
 * ready ones; as they stay ready, each is looked at again in every call. Those that are idle should cost nothing.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <kbench_files.h>

#define FDS_MAX 1000u

static int set = -1;
static struct epoll_event found[FDS_MAX];
static unsigned fds, ready;
static uint64_t calls, sum;

static int setup(struct kb_run *run)
{
	static int fd[FDS_MAX];
	int error;

	fds = (unsigned)kb_param_number(run, "fds");
	ready = fds * (unsigned)kb_param_number(run, "ready") / 100;
	error = kb_descriptors(run, kb_param_text(run, "kind"), fds, ready, fd);
	set = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned i = 0; i < fds && !error; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u32 = i };

		error = epoll_ctl(set, EPOLL_CTL_ADD, fd[i], &event) ? kb_fail(run, errno, "adding to the epoll set") : 0;
	}
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	calls = sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		int got = epoll_wait(set, found, (int)fds, 0);

		if (got < 0)
			return kb_fail(run, errno, "epoll_wait");
		sum += (uint64_t)got;
		calls++;
	}
	return 0;
}

/* The last answer names each ready one once. */
static int check(struct kb_run *run, uint64_t n)
{
	uint64_t names = 0;

	for (unsigned i = 0; i < ready; i++)
		names += found[i].data.u32;
	if (calls != n || sum != n * ready || names != (uint64_t)ready * (ready ? ready - 1 : 0) / 2)
		return kb_fail(run, EPROTO, "%llu of %llu were ready in %llu calls", (unsigned long long)sum,
			       (unsigned long long)(n * ready), (unsigned long long)calls);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(set);
}

/* Files cannot be registered, so there is no such kind. */
KB_BENCHMARK(
	.summary = "epoll_wait: which of many descriptors are readable", .per = "call",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux",
	.params = { { "fds", "descriptors", KB_NUMBER, "10,500", 1, FDS_MAX, NULL },
	            { "ready", "percent of them that can be read", KB_NUMBER, "0,100", 0, 100, NULL },
	            { "kind", "of descriptor", KB_CHOICE, "pipe", .choices = "pipe,tcp" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
