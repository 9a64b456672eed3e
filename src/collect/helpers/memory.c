/* Memory on pages of a known size for benchmarks, and what the system tells of the caches it will meet. */
#define _GNU_SOURCE
#include "collect/context.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crc32.h"
#include "kbench_memory.h"
#include "kbench_parties.h"

/* The largest first huge page of the three architectures with 4 KB pages; alignment to more does no harm. */
#define HUGE_BYTES (UINT64_C(2) << 20)
#define SMALL_BYTES 4096u               /* pages may be larger */

/* Whether the mappings that overlap the range consist of huge pages only: neighbours that are huge, too, are merged. */
static bool all_huge(uint64_t begin, uint64_t end)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	uint64_t low = 0, high = 0, huge = 0, missing = end - begin;
	char line[512];

	while (file && fgets(line, sizeof line, file)) {
		uint64_t from, to;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2) {
			low = from;
			high = to;
		} else if (low < end && high > begin && sscanf(line, "AnonHugePages: %" SCNu64 " kB", &huge) == 1 &&
			   huge << 10 >= high - low) {
			missing -= (high < end ? high : end) - (low > begin ? low : begin);
		}
	}
	if (file)
		fclose(file);
	return missing == 0;
}

/* Touching more would make the system kill processes, not necessarily this one. */
static uint64_t available(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kilobytes = UINT64_MAX >> 10;
	char line[128];

	while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %" SCNu64 " kB", &kilobytes) != 1)
		;
	if (file)
		fclose(file);
	return kilobytes << 10;
}

void *kb_memory(struct kb_run *run, uint64_t bytes, const char *pages)
{
	bool huge = !strcmp(pages, "huge");
	uint64_t wanted = huge ? (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES : bytes;
	size_t whole = (size_t)wanted;
	char *map;

	/* Or more than addresses of 32 bits reach. */
	if (wanted > available() || whole != wanted) {
		kb_skip(run, "needs %llu MB of memory, %llu MB are available", (unsigned long long)(wanted >> 20),
		        (unsigned long long)(available() >> 20));
		return NULL;
	}
	map = mmap(NULL, whole + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		kb_fail(run, errno, "no memory for %llu bytes", (unsigned long long)bytes);
		return NULL;
	}
	map += (HUGE_BYTES - (uintptr_t)map % HUGE_BYTES) % HUGE_BYTES;
	if (madvise(map, whole, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) && huge) {
		kb_skip(run, "no huge pages here: %s; see /sys/kernel/mm/transparent_hugepage/enabled", strerror(errno));
		return NULL;
	}
	for (size_t at = 0; at < whole; at += SMALL_BYTES)
		((volatile char *)map)[at] = 0;
	if (huge && !all_huge((uintptr_t)map, (uintptr_t)map + whole)) {
		kb_skip(run, "the system gave small pages for huge ones; see transparent_hugepage/enabled, free memory");
		return NULL;
	}
	return map;
}

uint64_t kb_last_cache(struct kb_run *run)
{
	uint64_t largest = 0;

	for (unsigned i = 0; i < 16; i++) {
		char path[96], text[32], *end = text;
		FILE *file;

		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%u/size", kb_cpu(run, 0), i);
		file = fopen(path, "re");
		if (!file)
			break;

		uint64_t size = fgets(text, sizeof text, file) ? strtoull(text, &end, 10) : 0;

		fclose(file);
		size <<= *end == 'K' ? 10 : *end == 'M' ? 20 : 0;
		largest = size > largest ? size : largest;
	}
	return largest;
}

void kb_working_set(struct kb_run *run, uint64_t bytes, enum kb_bound inside)
{
	long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);

	run->bound = bytes > (uint64_t)(l2 > 0 ? l2 : 1 << 20) ? KB_MEMORY : inside;
}

uint32_t kb_code_of(const void *function, size_t bytes)
{
	return kb_crc32(0, function, bytes);
}
