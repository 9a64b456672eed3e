/*
 * sys.epoll_ctl: change the registration of one of many descriptors (what=change), or take it out and put it in again
 * (what=replace, two calls). Each gives the registration the next number; epoll_wait tells the one that holds at last.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <kbench_files.h>

#define FDS_MAX 1000u

static int set = -1, fd[FDS_MAX];
static bool replaces;
static uint64_t number, number_before;

static int setup(struct kb_run *run)
{
	unsigned fds = (unsigned)kb_param_number(run, "fds");
	int error = kb_descriptors(run, kb_param_text(run, "kind"), fds, 1, fd);

	replaces = kb_param_is(run, "what", "replace");
	set = epoll_create1(EPOLL_CLOEXEC);
	for (unsigned i = 0; i < fds && !error; i++) {
		struct epoll_event event = { .events = EPOLLIN };

		error = epoll_ctl(set, EPOLL_CTL_ADD, fd[i], &event) ? kb_fail(run, errno, "adding to the epoll set") : 0;
	}
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u64 = ++number };

		if (replaces ? epoll_ctl(set, EPOLL_CTL_DEL, fd[0], NULL) || epoll_ctl(set, EPOLL_CTL_ADD, fd[0], &event)
			     : epoll_ctl(set, EPOLL_CTL_MOD, fd[0], &event))
			return kb_fail(run, errno, "epoll_ctl");
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	struct epoll_event found;
	int got = epoll_wait(set, &found, 1, 0);
	uint64_t done = got == 1 ? found.data.u64 - number_before : 0;

	number_before = number;
	if (done != n)
		return kb_fail(run, EPROTO, "the set saw %llu of %llu changes", (unsigned long long)done, (unsigned long long)n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(set);
}

KB_BENCHMARK(
	.summary = "epoll_ctl: change what an epoll set watches", .per = "change",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux",
	.params = { { "what", "is done", KB_CHOICE, "change,replace", .choices = "change,replace" },
	            { "fds", "descriptors in the set", KB_NUMBER, "10,500", 1, FDS_MAX, NULL },
	            { "kind", "of descriptor", KB_CHOICE, "pipe", .choices = "pipe,tcp" } },
	.expect = { { KB_SYSCALLS, 1, 0, 0, KB_ALL, "what=change" }, { KB_SYSCALLS, 2, 0, 0, KB_ALL, "what=replace" } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
