/* sig.install: another handler for a signal, two by turns. Each call tells the handler before, which must be the other. */
#include <errno.h>
#include <signal.h>

#include <kbench.h>

static volatile unsigned handled;
static uint64_t done;

static void one(int number)
{
	(void)number;
	handled = handled + 1;
}

static void other(int number)
{
	(void)number;
	handled = handled + 2;
}

static int setup(struct kb_run *run)
{
	struct sigaction action = { .sa_handler = other };

	return sigaction(SIGUSR2, &action, NULL) ? kb_fail(run, errno, "handler of SIGUSR2") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	static unsigned turn;
	static struct sigaction action, former;         /* cleared once: that is no part of the call */

	done = 0;
	for (uint64_t i = 0; i < n; i++, turn++) {
		action.sa_handler = turn % 2 ? other : one;
		if (sigaction(SIGUSR2, &action, &former))
			return kb_fail(run, errno, "sigaction");
		done += former.sa_handler == (turn % 2 ? one : other);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (done != n)
		return kb_fail(run, EPROTO, "%llu of %llu handlers were the ones expected", (unsigned long long)done,
			       (unsigned long long)n);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	signal(SIGUSR2, SIG_DFL);
}

KB_BENCHMARK(
	.summary = "sigaction: install another signal handler", .per = "call",
	.suite = KB_STANDARD, .portability = KB_PORTABLE, .lmbench = "lat_sig install",
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown,
);
