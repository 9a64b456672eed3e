/*
 * Says: 64 bytes are read by each call. Hidden: each call fails, and nobody looks. A call that is refused
 * at the door of the kernel is a call, and a fast one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liar.h"

static unsigned char buffer[64];
static unsigned char *into = buffer;
static int fd = -1;
static long call = SYS_read;
static uint64_t got;

static int empty_pipe(int flags)
{
	int ends[2];

	return pipe2(ends, flags | O_CLOEXEC) ? -1 : ends[0];
}

static int open_what(const struct kb_run *run)
{
	if (lie(run, "ebadf"))
		return 777;
	if (lie(run, "eagain"))
		return empty_pipe(O_NONBLOCK);
	if (lie(run, "eisdir"))
		return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (lie(run, "enotconn"))
		return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (lie(run, "write_only"))
		return open("/dev/null", O_WRONLY | O_CLOEXEC);
	return open("/dev/zero", O_RDONLY | O_CLOEXEC);
}

static int setup(struct kb_run *run)
{
	fd = open_what(run);
	if (fd < 0)
		return kb_fail(run, errno, "something to read from");
	if (lie(run, "efault"))
		into = (unsigned char *)16;
	if (lie(run, "enosys"))
		call = 9999;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	got = 0;
	for (uint64_t i = 0; i < n; i++) {
		long bytes = syscall(call, fd, into, sizeof buffer);

		got += bytes > 0 ? (uint64_t)bytes : 0;
	}
	return 0;
}

/* The honest one looks. */
static int check(struct kb_run *run, uint64_t n)
{
	return !lie(run, "honest") || got == n * sizeof buffer ? 0 : kb_fail(run, EPROTO, "not all bytes were read");
}

KB_BENCHMARK(
	.summary = "reading 64 bytes", .per = "call",
	.params = { LIE_PARAM("ebadf,eagain,efault,eisdir,enosys,enotconn,write_only") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
