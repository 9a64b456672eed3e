/*
 * See working_set.h. The kernel tells of whole mappings, so a claimed range is made one of its own: a hint for core dumps, which changes
 * nothing else, splits the mapping where the range begins and ends. Huge pages are touched as a whole.
 */
#define _GNU_SOURCE
#include "evidence/working_set.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io.h"

/* proc_pid_clear_refs(5). Clearing the bits does not flush the translations, by which a small set would stay untouched for ever; clearing
   the other ones does. */
#define CLEAR_ACCESSED "1"
#define CLEAR_WRITTEN "4"

/* Sums of the mappings that count. */
struct sums { uint64_t referenced, resident, proportional; };

int kb_working_set_claim(struct kb_working_set *set, const volatile void *memory, size_t bytes, uint64_t touched)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = (uintptr_t)memory;

	if (bytes == 0 || bytes > UINTPTR_MAX - page || from > UINTPTR_MAX - page - bytes)
		return -EINVAL;
	if (set->count == KB_WORKING_SET_RANGES)
		return -E2BIG;
	set->ranges[set->count].from = from / page * page;
	set->ranges[set->count].to = (from + bytes + page - 1) / page * page;
	set->count++;
	set->bytes += touched;
	return 0;
}

int kb_working_set_begin(const struct kb_working_set *set)
{
	/* Where it cannot be split off, what lies next to the range counts, too. */
	for (unsigned i = 0; i < set->count; i++)
		madvise((void *)set->ranges[i].from, set->ranges[i].to - set->ranges[i].from, MADV_DONTDUMP);
	return kb_write_file("/proc/self/clear_refs", CLEAR_ACCESSED) ?: kb_write_file("/proc/self/clear_refs", CLEAR_WRITTEN);
}

static bool overlaps(const struct kb_working_set *set, uint64_t from, uint64_t to)
{
	for (unsigned i = 0; i < set->count; i++) {
		if (set->ranges[i].from < to && set->ranges[i].to > from)
			return true;
	}
	return set->count == 0;
}

static void add_field(const char *line, struct sums *sums)
{
	uint64_t kilobytes;

	if (sscanf(line, "Referenced: %" SCNu64, &kilobytes) == 1)
		sums->referenced += kilobytes << 10;
	else if (sscanf(line, "Rss: %" SCNu64, &kilobytes) == 1)
		sums->resident += kilobytes << 10;
	else if (sscanf(line, "Pss: %" SCNu64, &kilobytes) == 1)
		sums->proportional += kilobytes << 10;
	else if (sscanf(line, "Private_Hugetlb: %" SCNu64, &kilobytes) == 1) /* in none of the others; whether it was touched is not told */
		sums->resident += kilobytes << 10, sums->proportional += kilobytes << 10, sums->referenced += kilobytes << 10;
}

int kb_working_set_seen(const struct kb_working_set *set, unsigned sharers, uint64_t *bytes)
{
	FILE *file = fopen("/proc/self/smaps", "re");
	struct sums sums = { 0, 0, 0 };
	bool counts = false;
	char line[512];

	if (!file)
		return -errno;
	while (fgets(line, sizeof line, file)) {
		uint64_t from, to;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
			counts = overlaps(set, from, to);
		else if (counts)
			add_field(line, &sums);
	}
	fclose(file);
	/* A page counts for Pss by its part of all that map it: one that is mapped a thousand times here is one page still. */
	uint64_t behind = sums.proportional * (sharers ? sharers : 1);

	behind = behind < sums.resident ? behind : sums.resident;
	*bytes = sums.referenced < behind ? sums.referenced : behind;
	return 0;
}

int kb_huge_bytes(uint64_t *bytes)
{
	static const char *const fields[] = { "\nAnonHugePages:", "\nShmemPmdMapped:", "\nShared_Hugetlb:", "\nPrivate_Hugetlb:" };
	char text[4096];
	long length = kb_read_file("/proc/self/smaps_rollup", text, sizeof text);
	uint64_t kilobytes;

	if (length < 0)
		return (int)length;
	*bytes = 0;
	for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
		const char *at = strstr(text, fields[i]);

		if (at && sscanf(at + strlen(fields[i]), "%" SCNu64, &kilobytes) == 1)
			*bytes += kilobytes << 10;
	}
	return 0;
}
