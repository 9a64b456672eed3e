/* A request of 64 bytes to a server and its answer, by a pair of sockets. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <kbench_parties.h>

#define BYTES 64

static int ends[2];

static int serve(struct kb_run *run)
{
	char text[BYTES];

	(void)run;
	close(ends[0]);
	while (recv(ends[1], text, BYTES, MSG_WAITALL) == BYTES) {
		text[0]++;
		if (send(ends[1], text, BYTES, 0) != BYTES)
			return -EPIPE;
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return kb_fail(run, errno, "sockets");
	return kb_peer_start(run, serve, kb_param_text(run, "placement"));
}

static int op(struct kb_run *run, uint64_t n)
{
	char text[BYTES];

	memset(text, 0, sizeof text);
	for (uint64_t i = 0; i < n; i++) {
		char expected = (char)(text[0] + 1);

		if (send(ends[0], text, BYTES, 0) != BYTES || recv(ends[0], text, BYTES, MSG_WAITALL) != BYTES ||
		    text[0] != expected)
			return kb_fail(run, EPROTO, "a wrong answer");
	}
	kb_count(run, KB_SEEN, n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(ends[0]);
}

KB_BENCHMARK(
	.summary = "a request of 64 bytes and its answer", .per = "round-trip",
	.params = { { "placement", "of the server", KB_CHOICE, "same-cpu", .choices = "same-cpu,other-cpu" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, .per_op = 4, .tolerance = 0.1, .who = KB_ALL } },
	.setup = setup, .op = op, .teardown = teardown,
);
