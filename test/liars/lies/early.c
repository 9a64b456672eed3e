/*
 * Says: n bytes are written to a pipe, one by each call, and the reader takes them. Hidden: the operation ends early and says that
 * all is well, or what is wrong it says so that nobody hears it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "liar.h"

static int ends[2];
static uint64_t samples;
static char sink[65536];
static sigjmp_buf back;
static char *volatile nowhere;

/* An author who is tired of crashes. */
static void go_on(int signal)
{
	siglongjmp(back, signal);
}

static int setup(struct kb_run *run)
{
	struct sigaction action = { .sa_handler = go_on };

	if (lie(run, "crashes"))
		sigaction(SIGSEGV, &action, NULL);
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
		return kb_fail(run, errno, "a pipe");
	/* Full soon, also where few samples are made. */
	if (lie(run, "never_emptied"))
		fcntl(ends[1], F_SETPIPE_SZ, 4096);
	return 0;
}

static int empty(void)
{
	while (read(ends[0], sink, sizeof sink) > 0)
		continue;
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	samples++;
	if (lie(run, "reader_gone") && samples == 30)
		close(ends[0]);
	return lie(run, "never_emptied") ? 0 : empty();
}

/* What becomes of an error. */
static int failed(struct kb_run *run, int error)
{
	if (lie(run, "positive"))
		return error;
	kb_fail(run, error, "writing to the pipe");
	return lie(run, "honest") ? -error : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t end = wall_ns() + 15000;
	bool hurried = lie(run, "hurried"), crashes = lie(run, "crashes");

	if (lie(run, "skips") && samples > 30)
		return kb_skip(run, "enough");
	if (crashes && sigsetjmp(back, 1))
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		if (crashes && i == 30 && samples > 30)
			*nowhere = 1;
		if (hurried && i > 20 && wall_ns() > end)
			break;
		if (write(ends[1], "x", 1) != 1)
			return failed(run, errno);
	}
	return lie(run, "positive") && samples == 30 ? failed(run, EIO) : 0;
}

KB_BENCHMARK(
	.summary = "writing a byte to a pipe", .per = "call", .max_n = 30000,
	.params = { LIE_PARAM("never_emptied,reader_gone,hurried,skips,positive,crashes") },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop,
);
