/*
 * fault.swap: the touch of a page that was written to swap. Only one page in 64 is used, so that read-ahead finds no
 * neighbours to bring in with it. Named to run: it writes to the machine's swap, a file, a disk or compressed memory.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define PAGES_MAX 64u
#define ROOM (2 * PAGES_MAX)
#define STRIDE 64u              /* pages; read-ahead of swap is 8 by default */
#define TRIES 200u

static size_t page_bytes, step;
static volatile unsigned char *memory;
static uint64_t sum;

static volatile unsigned char *page(uint64_t i)
{
	return memory + i * step;
}

/* A page on its way out stays in memory after it was written; read once more it is clean, and leaves at once. */
static uint64_t page_out(void)
{
	uint64_t stayed = 0;

	for (uint64_t i = 0; i < ROOM; i++) {
		if (kb_pages_in(page(i), page_bytes) == 0)
			continue;
		stayed++;
		(void)*page(i);
		madvise((void *)(uintptr_t)page(i), page_bytes, MADV_PAGEOUT);
	}
	return stayed;
}

static int before(struct kb_run *run, uint64_t n)
{
	unsigned tries = 0;

	while (page_out() && tries++ < TRIES)
		usleep(500);
	if (tries > TRIES)
		return kb_skip(run, "pages do not leave the memory: swap is full, or not allowed here");
	kb_count(run, KB_ABSENT, n);
	return 0;
}

static int setup(struct kb_run *run)
{
	FILE *file = fopen("/proc/swaps", "re");
	char line[256];
	int lines = 0;

	while (file && fgets(line, sizeof line, file))
		lines++;
	if (file)
		fclose(file);
	if (lines < 2)
		return kb_skip(run, "this machine has no swap; swapon adds it");
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	step = page_bytes * STRIDE;
	memory = kb_map_small(run, ROOM * step, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
	for (uint64_t i = 0; memory && i < ROOM; i++)
		*page(i) = 1;
	return memory ? before(run, 0) : -ENOMEM;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += *page(i);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n ? 0 : kb_fail(run, EILSEQ, "%llu pages came back as they were", (unsigned long long)sum);
}

KB_BENCHMARK(
	.summary = "page fault on a page in swap", .per = "fault", .max_n = PAGES_MAX,
	.suite = KB_MANUAL, .portability = KB_PLATFORM, .assumes = "madvise sends pages to swap, and none returns before it is touched",
	.expect = { { KB_MAJFLT, .per_op = 1 }, { KB_ABSENT, .per_op = 1 } },
	.setup = setup, .before = before, .op = op, .check = check,
);
