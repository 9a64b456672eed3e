/*
 * Software events of the kernel. Inherited: what an operation's children do is the operation's. Where perf_event_paranoid forbids
 * them the row becomes unverified; a counter that cannot be opened is never one that counted nothing.
 */
#define _GNU_SOURCE
#include "evidence/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const uint64_t event_of[KB_COUNTERS] = {
	[KB_SW_FAULTS] = PERF_COUNT_SW_PAGE_FAULTS,
	[KB_SW_SWITCHES] = PERF_COUNT_SW_CONTEXT_SWITCHES,
	[KB_SW_MIGRATIONS] = PERF_COUNT_SW_CPU_MIGRATIONS,
};

int kb_perf_open(enum kb_counter counter)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof attr;
	attr.config = event_of[counter];
	attr.inherit = 1;

	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

uint64_t kb_perf_read(int fd)
{
	uint64_t count = 0;

	return read(fd, &count, sizeof count) == (ssize_t)sizeof count ? count : 0;
}
