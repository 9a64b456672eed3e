/*
 * Loaded into the collector: every process that it forks dies by a signal after five milliseconds of CPU time, in the middle
 * of its work. The launch that counts system calls is left alone, as its own child is no partner.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void live_shortly(void)
{
	struct itimerval limit = { .it_value = { 0, 5000 } };
	char line[4096];
	int file = open("/proc/self/cmdline", O_RDONLY);
	ssize_t got = file < 0 ? 0 : read(file, line, sizeof line);

	close(file);
	if (got > 0 && memmem(line, (size_t)got, "kbench-collect", 14) && !memmem(line, (size_t)got, "prove", 5))
		setitimer(ITIMER_PROF, &limit, NULL);
}

__attribute__((constructor)) static void watch(void)
{
	pthread_atfork(NULL, NULL, live_shortly);
}
