/*
 * Preloaded: the real-time clock jumps, and no other clock does. KB_JUMP has what is added, "SECONDS[@AFTER_MS,SECONDS...]": each entry holds
 * from so many milliseconds after the first look at a clock on. "=SECONDS" is a time since 1970 that stands for the time of the first look.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* The system call: the library's function would come back here. */
static long long now_ms(clockid_t clock)
{
	struct timespec now = { 0, 0 };

	syscall(SYS_clock_gettime, clock, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static long long jump(void)
{
	static long long first_ms, first_real_ms;
	const char *text = getenv("KB_JUMP");
	long long passed, seconds = 0;

	if (!first_ms) {
		first_real_ms = now_ms(CLOCK_REALTIME);
		first_ms = now_ms(CLOCK_MONOTONIC);
	}
	passed = now_ms(CLOCK_MONOTONIC) - first_ms;
	while (text && *text) {
		int stands = *text == '=';
		char *end;
		long long value = strtoll(text + stands, &end, 10), after = *end == '@' ? strtoll(end + 1, &end, 10) : 0;

		if (passed >= after)
			seconds = stands ? value - first_real_ms / 1000 : value;
		text = *end == ',' ? end + 1 : NULL;
	}
	return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, clock, now);

	if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
		now->tv_sec += jump();
	return result;
}

time_t time(time_t *to)
{
	struct timespec now = { 0, 0 };

	clock_gettime(CLOCK_REALTIME, &now);
	if (to)
		*to = now.tv_sec;
	return now.tv_sec;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec precise = { 0, 0 };

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &precise);
	*now = (struct timeval){ precise.tv_sec, precise.tv_nsec / 1000 };
	return 0;
}
