/* A port that nobody listens on: the kernel refuses, and that is what is measured. */
#define _GNU_SOURCE
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kbench.h>
#include <kbench_parties.h>

static struct sockaddr_in nobody = { .sin_family = AF_INET };

static int setup(struct kb_run *run)
{
	nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	nobody.sin_port = htons(9);
	return kb_private(run, KB_PRIVATE_NETWORK);
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (fd < 0 || connect(fd, (struct sockaddr *)&nobody, sizeof nobody) == 0 || errno != ECONNREFUSED || close(fd))
			return kb_fail(run, errno, "a connection that should be refused");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a refused connection", .per = "try", .errors = "ECONNREFUSED",
	.expect = { { KB_SYSCALLS, .per_op = 3, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
