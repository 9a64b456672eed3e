/* Memory on pages of a known size for benchmarks, and what the system tells of the caches it will meet. */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/crc32.h"
#include "caches.h"
#include "huge.h"
#include "io.h"
#include "kbench_memory.h"
#include "kbench_parties.h"
#include "record_format.h"

#define ANY_PROCESS (UINT64_C(4) << 20) /* touches a part of this for itself: its program, libraries, stack */
#define SMALL_BYTES 4096u               /* pages may be larger */
#define FIRST_TLB (UINT64_C(256) << 10) /* 64 pages of 4 KB: what the first TLB of a current core holds */

/* ---- memory -------------------------------------------------------------------------------------- */

static char *map_small(struct kb_run *run, size_t bytes)
{
	char *map = mmap(NULL, bytes + KB_HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED) {
		kb_fail(run, errno, "no memory for %llu bytes", (unsigned long long)bytes);
		return NULL;
	}
	map += (KB_HUGE_PAGE - (uintptr_t)map % KB_HUGE_PAGE) % KB_HUGE_PAGE; /* as huge ones are: one thing less that differs */
	madvise(map, bytes, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < bytes; at += SMALL_BYTES)
		((volatile char *)map)[at] = 0;
	return map;
}

/* Once a process: its results are of small pages, and beyond the first TLB their translation is a part of what is measured. */
static void note_walks(struct kb_run *run, uint64_t bytes)
{
	static bool noted;

	if (bytes <= FIRST_TLB || noted)
		return;
	noted = true;
	kb_record_format(&run->context->out, "note", "page_walks \"%llu KB in small pages\"", (unsigned long long)(bytes >> 10));
}

void *kb_memory(struct kb_run *run, uint64_t bytes, const char *pages)
{
	bool huge = !strcmp(pages, "huge");
	uint64_t wanted = huge ? (bytes + KB_HUGE_PAGE - 1) / KB_HUGE_PAGE * KB_HUGE_PAGE : bytes;
	size_t whole = (size_t)wanted;
	const char *why;

	/* Or more than addresses of 32 bits reach. */
	uint64_t left = kb_memory_left();

	if (wanted > left || whole != wanted) {
		kb_skip(run, "needs %llu MB of memory, %llu MB are available", (unsigned long long)(wanted >> 20),
		        (unsigned long long)(left >> 20));
		return NULL;
	}
	if (!huge) {
		note_walks(run, bytes);
		return map_small(run, whole);
	}
	void *map = kb_huge_map(whole, &why);

	if (!map)
		kb_skip(run, "%s", why);
	return map;
}

/* A proof has nothing to hold against it. */
void *kb_memory_twin(struct kb_run *run, uint64_t bytes)
{
	const char *why;
	bool fits = run->context->measure && !run->context->options->alone && bytes <= kb_memory_left() && (size_t)bytes == bytes;

	return fits ? kb_huge_map((size_t)bytes, &why) : NULL;
}

uint64_t kb_last_cache(struct kb_run *run)
{
	return kb_cpu_last_cache(kb_cpu(run, 0));
}

void kb_note_refills(struct kb_run *run, uint64_t arrays, uint64_t bytes)
{
	char level[32], kind[32], caches[128] = "";
	size_t used = 0;
	uint64_t size;

	for (unsigned i = 0; i < KB_CACHES_MAX && (size = kb_cpu_cache_size(kb_cpu(run, 0), i)) > 0; i++) {
		bool known = kb_cpu_cache(kb_cpu(run, 0), i, "level", level) && kb_cpu_cache(kb_cpu(run, 0), i, "type", kind);

		if (!known || *kind == 'I' || arrays * bytes < size || used >= sizeof caches)
			continue;
		used += (size_t)snprintf(caches + used, sizeof caches - used, "%sL%.1s%s (%llu KB)", used ? ", " : "", level,
		                         *kind == 'D' ? "d" : "", (unsigned long long)(size >> 10));
	}
	if (used > 0)
		kb_record_format(&run->context->out, "note", "cache_refills \"%llu arrays of %llu KB exceed or fill %s\"",
		                 (unsigned long long)arrays, (unsigned long long)(bytes >> 10), caches);
}

void kb_working_set(struct kb_run *run, uint64_t bytes, enum kb_bound inside)
{
	long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);

	/* A benchmark that names no memory claims a size of any memory of the process, which touches less than that in any case. */
	if (run->context->working_set.count == 0 && bytes > ANY_PROCESS)
		run->context->working_set.bytes = bytes;
	run->bound = bytes > (uint64_t)(l2 > 0 ? l2 : 1 << 20) ? KB_MEMORY : inside;
}

int kb_claim_touched(struct kb_run *run, const volatile void *memory, uint64_t bytes, uint64_t touched)
{
	struct kb_working_set *set = &run->context->working_set;

	if (set->count == 0)
		set->bytes = 0; /* a size alone was claimed */
	int error = kb_working_set_claim(set, memory, (size_t)bytes, touched);

	return error ? kb_fail(run, -error, "a claim of %llu bytes of memory", (unsigned long long)bytes) : 0;
}

int kb_claim_memory(struct kb_run *run, const volatile void *memory, size_t bytes)
{
	return kb_claim_touched(run, memory, bytes, bytes);
}

uint32_t kb_code_of(const void *function, size_t bytes)
{
	return kb_crc32(0, function, bytes);
}
