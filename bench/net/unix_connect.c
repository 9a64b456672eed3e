/*
 * net.unix_connect: connections between local stream sockets. part=connect: socket, connect and accept of one; close:
 * both ends. The listener's name is one that the kernel makes up and that goes with the socket.
 */
#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <kbench_channel.h>

static int setup(struct kb_run *run)
{
	struct sockaddr_un unnamed = { .sun_family = AF_UNIX };
	int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (listener < 0 || bind(listener, (struct sockaddr *)&unnamed, sizeof unnamed.sun_family) ||
		listen(listener, SOMAXCONN))
		return kb_fail(run, errno, "a local socket that listens");
	return kb_connections_start(run, listener);
}

KB_BENCHMARK(
	.summary = "connection between Unix sockets: connect and accept, close", .per = "connection",
	.portability = KB_PLATFORM, .assumes = "the backlog is never full",
	.lmbench = "lat_unix_connect", .max_n = KB_CONNECTIONS_MAX,
	.params = { { "part", "what is measured", KB_CHOICE, "connect,close", .choices = "connect,close" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, 3, 0, 0, KB_ALL, "part=connect" },
		{ KB_SYSCALLS, 2, 0, 0, KB_ALL, "part=close" } },
	.setup = setup, .before = kb_connections_before, .op = kb_connections_op, .check = kb_connections_check,
	.after = kb_connections_after,
);
