/* A message through a TCP connection to oneself. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kbench.h>

static int client = -1, server = -1;
static char text[256];

static int setup(struct kb_run *run)
{
	struct sockaddr_in address = { .sin_family = AF_INET };
	socklen_t length = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&address, &length) || connect(client, (struct sockaddr *)&address, length))
		return kb_fail(run, errno, "a connection");
	server = accept(listener, NULL, NULL);
	return server < 0 ? kb_fail(run, errno, "accept") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (send(client, text, sizeof text, 0) != sizeof text ||
		    recv(server, text, sizeof text, MSG_WAITALL) != sizeof text)
			return kb_fail(run, errno, "a message");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "256 bytes through TCP to oneself", .per = "message",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
