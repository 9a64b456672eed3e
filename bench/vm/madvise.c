/*
 * vm.madvise: written memory is given back but stays mapped: at once (dontneed), or when the system needs it (free). The
 * touch that brings new pages is no part of it: fault.anon.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define RANGES_MAX 16u
#define ROOM (2 * RANGES_MAX)

static char *memory;
static size_t bytes, page_bytes;
static int advice;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "size");
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	advice = kb_param_is(run, "advice", "dontneed") ? MADV_DONTNEED : MADV_FREE;
	if (bytes % page_bytes)
		return kb_fail(run, EINVAL, "size must be a multiple of the page, %zu bytes", page_bytes);
	memory = kb_map_small(run, ROOM * bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	if (!memory)
		return -ENOMEM;
	return madvise(memory, bytes, advice) ? kb_skip(run, "this kernel does not know the advice") : 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	if (madvise(memory, ROOM * bytes, MADV_DONTNEED))
		return kb_fail(run, errno, "madvise of what the last sample left");
	memset(memory, 1, n * bytes);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (madvise(memory + i * bytes, bytes, advice))
			return kb_fail(run, errno, "advice on %zu bytes", bytes);
	}
	return 0;
}

/* Pages that may be freed stay readable; those that are gone read as zero. */
static int check(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; advice == MADV_DONTNEED && i < n; i++) {
		unsigned char first[1], last[1];

		if (mincore(memory + i * bytes, 1, first) || mincore(memory + (i + 1) * bytes - page_bytes, 1, last))
			return kb_fail(run, errno, "asking for range %llu", (unsigned long long)i);
		if ((first[0] | last[0]) & 1)
			return kb_fail(run, EPROTO, "range %llu is still in memory", (unsigned long long)i);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "madvise: free the pages of written memory that stays mapped", .per = "call", .max_n = RANGES_MAX,
	.suite = KB_FULL, .portability = KB_ASSUMING, .assumes = "the advice is taken: dontneed frees at once, free later",
	.params = {
		{ "advice", "given", KB_CHOICE, "dontneed,free", 0, 0, "dontneed,free" },
		{ "size", "of the memory, bytes", KB_SIZE, "64K", 4096, 1u << 20, NULL },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
