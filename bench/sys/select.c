/*
 * sys.select: ask which of many descriptors can be read, without waiting. The set is overwritten by the answer, so each
 * turn begins with a copy of it, which is in base, too.
 */
#include <errno.h>
#include <string.h>
#include <sys/select.h>

#include <kbench_files.h>

#define FDS_MAX 1000u

static int fd[FDS_MAX], highest;
static unsigned fds, ready;
static fd_set wanted, found;
static uint64_t calls, sum;

static int setup(struct kb_run *run)
{
	int error;

	fds = (unsigned)kb_param_number(run, "fds");
	ready = fds * (unsigned)kb_param_number(run, "ready") / 100;
	error = kb_descriptors(run, kb_param_text(run, "kind"), fds, ready, fd);
	for (unsigned i = 0; i < fds && !error; i++) {
		if (fd[i] >= FD_SETSIZE)
			return kb_fail(run, EMFILE, "descriptor %d does not fit into a set of %d", fd[i], FD_SETSIZE);
		FD_SET(fd[i], &wanted);
		highest = fd[i] > highest ? fd[i] : highest;
	}
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	calls = sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct timeval at_once = { 0, 0 };
		int got;

		memcpy(&found, &wanted, sizeof found);
		got = select(highest + 1, &found, NULL, NULL, &at_once);
		if (got < 0)
			return kb_fail(run, errno, "select");
		sum += (uint64_t)got;
		calls++;
	}
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++) {
		memcpy(&found, &wanted, sizeof found);
		kb_clobber();
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
		if (!FD_ISSET(fd[i], &found) != (i >= ready))
			return kb_fail(run, EPROTO, "descriptor %u of %u is taken for the wrong one", i + 1, fds);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "select: which of many descriptors are readable", .per = "call",
	.suite = KB_FULL, .portability = KB_PORTABLE, .lmbench = "lat_select",
	.lmbench_with = "fds=10,100,500 ready=100 kind=tcp,file",
	.params = { { "fds", "descriptors", KB_NUMBER, "10,500", 1, FDS_MAX, NULL },
	            { "ready", "percent of them that can be read", KB_NUMBER, "0,100", 0, 100, NULL },
	            { "kind", "of descriptor", KB_CHOICE, "tcp", .choices = "file,pipe,tcp" } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = base, .check = check,
);
