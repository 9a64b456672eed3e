/*
 * timer.sleep: what a sleep takes beyond the time asked for, by each call that can sleep. The timer may be late by the
 * slack of the thread (50 us by default; not a timerfd), the CPU leaves its idle state, the task is scheduled; select and epoll count
 * in coarser units, so there the time asked for must be a multiple. A sleep that was too short fails.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <kbench.h>

#define CALLS "nanosleep,deadline,select,ppoll,epoll,timerfd"
enum call { NANOSLEEP, DEADLINE, SELECT, PPOLL, EPOLL, TIMERFD };       /* in the order of the letters of CALLS */
#define SECOND UINT64_C(1000000000)

static const char *const names[] = { "nanosleep", "deadline", "select", "ppoll", "epoll", "timerfd" };
static enum call call;
static int descriptor = -1;
static uint64_t duration;               /* ns */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * SECOND + (uint64_t)now.tv_nsec;
}

static int setup(struct kb_run *run)
{
	unsigned long slack = (unsigned long)kb_param_number(run, "slack");
	uint64_t unit;

	while (!kb_param_is(run, "call", names[call]))
		call++;
	unit = call == SELECT ? 1000 : call == EPOLL ? 1000000 : 1;
	duration = kb_param_number(run, "duration");
	if (duration % unit)
		return kb_skip(run, "%s sleeps for multiples of %llu ns", names[call], (unsigned long long)unit);
	descriptor = call == EPOLL ? epoll_create1(0) : call == TIMERFD ? timerfd_create(CLOCK_MONOTONIC, 0) : 0;
	if (descriptor < 0 || (slack && prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0)))
		return kb_fail(run, errno, "timer or slack");
	return 0;
}

static int sleep_once(uint64_t start)
{
	uint64_t ns = duration + (call == DEADLINE ? start : 0), expired = 0;
	struct timespec time = { (time_t)(ns / SECOND), (long)(ns % SECOND) };
	struct timeval coarse = { time.tv_sec, (suseconds_t)(time.tv_nsec / 1000) };
	struct itimerspec once = { .it_value = time };
	struct epoll_event event;

	switch (call) {
	case NANOSLEEP: return nanosleep(&time, NULL);
	case DEADLINE: return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
	case SELECT: return select(0, NULL, NULL, NULL, &coarse);
	case PPOLL: return ppoll(NULL, 0, &time, NULL);
	case EPOLL: return epoll_wait(descriptor, &event, 1, (int)(ns / 1000000));
	default: return timerfd_settime(descriptor, 0, &once, NULL) || read(descriptor, &expired, sizeof expired) < 0 || expired != 1;
	}
}

/* The readings of the other clock lie inside, so what is left is not negative. */
static int observe(struct kb_run *run, uint64_t n, uint64_t *ticks)
{
	*ticks = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint64_t begin = kb_now(run), start = now_ns(), slept;

		if (sleep_once(start))
			return kb_fail(run, errno, "%s", names[call]);
		slept = now_ns() - start;
		if (slept < duration)
			return kb_fail(run, EILSEQ, "a sleep of %llu ns took %llu", (unsigned long long)duration, (unsigned long long)slept);
		*ticks += kb_now(run) - begin - kb_ticks(run, duration);
		kb_count(run, KB_SEEN, 1);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "how much longer a sleep takes than requested", .per = "sleep", .max_n = 1,
	.suite = KB_FULL, .portability = KB_ASSUMING, .lmbench = "lat_usleep", .assumes = "the call really sleeps",
	.params = { { "call", "that sleeps", KB_CHOICE, "nanosleep,deadline,timerfd", .choices = CALLS },
	            { "duration", "asked for, ns", KB_NUMBER, "100000", 1000, 1000000000, NULL },
	            { "slack", "of timers of this thread, ns; 0: the default", KB_NUMBER, "0,1", 0, 1000000000, NULL } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_NVCSW, .per_op = 1, .tolerance = 0.1 } },
	.setup = setup, .observe = observe,
);
