/* See huge.h. The system may give small pages for huge ones without a word, so what it gave is asked after the memory was touched. */
#define _GNU_SOURCE
#include "huge.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

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

static void touch(char *map, size_t bytes)
{
	for (size_t at = 0; at < bytes; at += SMALL_BYTES)
		((volatile char *)map)[at] = 0;
}

static char *transparent(size_t bytes, const char **why)
{
	char *whole = mmap(NULL, bytes + KB_HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (whole == MAP_FAILED)
		return NULL;
	char *map = whole + (KB_HUGE_PAGE - (uintptr_t)whole % KB_HUGE_PAGE) % KB_HUGE_PAGE;

	if (!madvise(map, bytes, MADV_HUGEPAGE)) {
		touch(map, bytes);
		if (all_huge((uintptr_t)map, (uintptr_t)map + bytes))
			return map;
		*why = "the system gave small pages for huge ones; see transparent_hugepage/enabled, free memory";
	}
	munmap(whole, bytes + KB_HUGE_PAGE);
	return NULL;
}

/* Reserved pages are huge or are not given. They are counted when they are mapped, so that touching them cannot fail. */
static char *reserved(size_t bytes)
{
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	touch(map, bytes);
	return map;
}

void *kb_huge_map(size_t bytes, const char **why)
{
	size_t whole = (bytes + KB_HUGE_PAGE - 1) / KB_HUGE_PAGE * KB_HUGE_PAGE;

	*why = "no huge pages here; see /sys/kernel/mm/transparent_hugepage/enabled, or reserve some in /proc/sys/vm/nr_hugepages";
	char *map = transparent(whole, why);

	return map ? map : reserved(whole);
}

bool kb_huge_there(void)
{
	const char *why;
	char *map = kb_huge_map(KB_HUGE_PAGE, &why);

	if (map)
		munmap(map, KB_HUGE_PAGE);
	return map != NULL;
}
