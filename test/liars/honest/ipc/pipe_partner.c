/* A byte to a partner and its answer, by two pipes. */
#include <errno.h>
#include <unistd.h>

#include <kbench_parties.h>

static int there[2], back[2];

static int serve(struct kb_run *run)
{
	unsigned char letter;

	(void)run;
	close(there[1]);
	while (read(there[0], &letter, 1) == 1) {
		letter ^= 0xff;
		if (write(back[1], &letter, 1) != 1)
			return -EPIPE;
	}
	return 0;
}

static int setup(struct kb_run *run)
{
	if (pipe(there) || pipe(back))
		return kb_fail(run, errno, "pipes");
	return kb_peer_start(run, serve, kb_param_text(run, "placement"));
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		unsigned char sent = (unsigned char)i, got;

		if (write(there[1], &sent, 1) != 1 || read(back[0], &got, 1) != 1 || got != (sent ^ 0xff))
			return kb_fail(run, EPROTO, "a wrong answer");
	}
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	close(there[1]);
}

KB_BENCHMARK(
	.summary = "a byte to a partner and its answer", .per = "round-trip",
	.params = { { "placement", "of the partner", KB_CHOICE, "same-cpu", .choices = "same-cpu,other-cpu,idle-cpu" } },
	.expect = { { KB_SYSCALLS, .per_op = 4, .tolerance = 0.1, .who = KB_ALL } },
	.setup = setup, .op = op, .teardown = teardown,
);
