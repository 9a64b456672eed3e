/* sig.mask: block a signal and let it through again, by turns. Each call tells the mask before: it must be the other. */
#include <errno.h>
#include <signal.h>

#include <kbench.h>

static sigset_t set;
static uint64_t done;

static int setup(struct kb_run *run)
{
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigprocmask(SIG_UNBLOCK, &set, NULL) ? kb_fail(run, errno, "mask of signals") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	static unsigned turn;

	done = 0;
	for (uint64_t i = 0; i < n; i++, turn++) {
		sigset_t former;

		if (sigprocmask(turn % 2 ? SIG_UNBLOCK : SIG_BLOCK, &set, &former))
			return kb_fail(run, errno, "sigprocmask");
		done += sigismember(&former, SIGUSR2) == (int)(turn % 2);
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (done != n)
		return kb_fail(run, EPROTO, "%llu of %llu masks were the ones expected", (unsigned long long)done,
			       (unsigned long long)n);
	return 0;
}

KB_BENCHMARK(
	.summary = "sigprocmask: block or unblock a signal", .per = "call",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
