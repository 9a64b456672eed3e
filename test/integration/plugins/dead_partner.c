/* The partner leaves at once: with 0 before it served anything, or by a signal. */
#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <kbench.h>
#include <kbench_parties.h>

static int ours[2], theirs[2];

static int serve(struct kb_run *run)
{
	if (kb_param_is(run, "by", "signal"))
		raise(SIGKILL);
	return 0;
}

static int setup(struct kb_run *run)
{
	int error;

	if (pipe(ours) || pipe(theirs))
		return kb_fail(run, errno, "making two pipes");
	error = kb_peer_start(run, serve, "same-cpu");
	close(ours[0]);
	close(theirs[1]);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	char byte = 0;

	for (uint64_t i = 0; i < n && !kb_param_is(run, "seen", "no"); i++) {
		if (write(ours[1], &byte, 1) != 1 || read(theirs[0], &byte, 1) != 1)
			return kb_fail(run, EPIPE, "the partner does not answer");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a dead partner", .per = "call",
	.params = {
		{ "by", "how it leaves", KB_CHOICE, "return", .choices = "return,signal" },
		{ "seen", "whether op notices", KB_CHOICE, "yes", .choices = "yes,no" },
	},
	.setup = setup, .op = op,
);
