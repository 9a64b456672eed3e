/* What a server asks each time: who is ready? */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <kbench.h>

static int set = -1;

static int setup(struct kb_run *run)
{
	struct epoll_event event = { .events = EPOLLIN };

	set = epoll_create1(EPOLL_CLOEXEC);
	if (set < 0 || epoll_ctl(set, EPOLL_CTL_ADD, eventfd(1, EFD_CLOEXEC), &event))
		return kb_fail(run, errno, "epoll");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct epoll_event event;

		if (epoll_wait(set, &event, 1, -1) != 1)
			return kb_fail(run, errno, "epoll_wait");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "epoll_wait with one descriptor ready", .per = "call",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
