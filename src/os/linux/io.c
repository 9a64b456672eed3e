/*
 * What the layers above may not get wrong each for itself: short reads and writes, EINTR, and which of Linux's clocks is meant.
 * CLOCK_MONOTONIC_RAW is never slewed by NTP, which would change the length of samples while we measure; the kernel stamps its
 * events with CLOCK_MONOTONIC, which is.
 */
#define _GNU_SOURCE
#include "io.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WHOLE_MAX (64 << 20)    /* a module with all debugging information has some megabytes */

int kb_write_all(int fd, const void *bytes, size_t count)
{
	const char *at = bytes;

	while (count > 0) {
		ssize_t written = write(fd, at, count);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		at += written;
		count -= (size_t)written;
	}
	return 0;
}

void kb_ignore_file_limit(void)
{
	signal(SIGXFSZ, SIG_IGN);
}

void kb_default_signals(void)
{
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
}

int kb_name_file(int fd, const char *name)
{
	char file[32];

	snprintf(file, sizeof file, "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, file, AT_FDCWD, name, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

int kb_write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), error = fd < 0 ? -errno : kb_write_all(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return error;
}

void kb_temporary_name(char *path, size_t room, const char *name)
{
	const char *directory = getenv("TMPDIR");

	if (!directory || !*directory || strlen(directory) + strlen(name) + sizeof "/.XXXXXX" > room)
		directory = "/tmp";
	snprintf(path, room, "%s/%s.XXXXXX", directory, name);
}

long kb_read_at_start(int fd, char *buffer, size_t room)
{
	size_t used = 0;

	while (used + 1 < room) {
		ssize_t got = pread(fd, buffer + used, room - 1 - used, (off_t)used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		used += (size_t)got;
	}
	buffer[used] = '\0';
	return (long)used;
}

uint64_t kb_number_below(const char *text, const char *group, const char *name)
{
	const char *names = strstr(text, group), *numbers = names ? strstr(names + 1, group) : NULL;

	for (names += !!names, numbers += !!numbers; names && numbers && *names && *names != '\n';) {
		size_t length = strcspn(names, " \n");

		if (length == strlen(name) && !strncmp(names, name, length))
			return strtoull(numbers, NULL, 10);
		names += length + (names[length] == ' ');
		numbers += strcspn(numbers, " \n");
		numbers += *numbers == ' ';
	}
	return 0;
}

long kb_read_file(const char *path, char *buffer, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;

	long length = kb_read_at_start(fd, buffer, room);

	close(fd);
	return length;
}

char *kb_read_whole(const char *path, size_t *length)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	char *bytes = fd >= 0 && fstat(fd, &info) == 0 && info.st_size < WHOLE_MAX ? malloc((size_t)info.st_size + 1) : NULL;
	long got = bytes ? kb_read_at_start(fd, bytes, (size_t)info.st_size + 1) : 0;

	*length = got > 0 ? (size_t)got : 0;
	if (fd >= 0)
		close(fd);
	if (*length == 0) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t kb_wall_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t kb_monotonic_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t kb_thread_ns(void)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void kb_sleep_ns(uint64_t ns)
{
	struct timespec left = { (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };

	while (nanosleep(&left, &left) < 0 && errno == EINTR)
		;
}

int kb_pin(unsigned cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof set, &set) < 0 ? -errno : 0;
}
