/*
 * sig.timer: a POSIX timer is set to expire at once, and its signal is waited for: the call that sets it, the interrupt,
 * the signal, the wait. Each expiry carries a number, and its count of overruns, which must be 0. The timer's slack does
 * not apply to POSIX timers.
 */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include <kbench.h>

static timer_t timer;
static sigset_t set;
static uint64_t expired;

static int setup(struct kb_run *run)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 4711 };

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigprocmask(SIG_BLOCK, &set, NULL) || timer_create(CLOCK_MONOTONIC, &event, &timer))
		return kb_fail(run, errno, "making a timer");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	expired = 0;
	for (uint64_t i = 0; i < n; i++) {
		struct itimerspec soon = { .it_value.tv_nsec = 1 };
		struct timespec limit = { 2, 0 };
		siginfo_t info;

		if (timer_settime(timer, 0, &soon, NULL) || sigtimedwait(&set, &info, &limit) != SIGUSR1)
			return kb_fail(run, errno, "the signal of a timer");
		expired += info.si_code == SI_TIMER && info.si_value.sival_int == 4711 && info.si_overrun == 0;
	}
	kb_count(run, KB_SEEN, expired);
	return 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	timer_delete(timer);
}

KB_BENCHMARK(
	.summary = "timer_settime, immediate expiry, and its signal", .per = "expiry",
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown,
);
