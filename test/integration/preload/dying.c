/*
 * Loaded into the collector: every process that it forks dies by a signal after 20 ms, in the middle of its work. Not of CPU
 * time, which is sampled: beside other tasks a partner that runs for microseconds is seldom seen to use any. The process that
 * counts system calls is left alone, as its own child is no partner.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void live_shortly(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGPROF };
	struct itimerspec limit = { .it_value.tv_nsec = 20000000 };
	timer_t timer;
	char line[4096];
	int file = open("/proc/self/cmdline", O_RDONLY);
	ssize_t got = file < 0 ? 0 : read(file, line, sizeof line);

	close(file);
	if (got > 0 && memmem(line, (size_t)got, "kbench-collect", 14) && !memmem(line, (size_t)got, "prove", 5) &&
	    timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
		timer_settime(timer, 0, &limit, NULL);
}

__attribute__((constructor)) static void watch(void)
{
	pthread_atfork(NULL, NULL, live_shortly);
}
