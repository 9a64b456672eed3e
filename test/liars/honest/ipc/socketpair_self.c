/* A datagram to oneself. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kbench.h>

static int ends[2];
static char text[128];

static int setup(struct kb_run *run)
{
	return socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, ends) ? kb_fail(run, errno, "a socket pair") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (send(ends[0], text, sizeof text, 0) != sizeof text || recv(ends[1], text, sizeof text, 0) != sizeof text)
			return kb_fail(run, errno, "a datagram");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a datagram of 128 bytes to oneself", .per = "datagram",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
