/*
 * Says: the first write to a new page of 4 KB, one fault each. Hidden: the fault brings more, or no new one, or the
 * pages were there. MAX is the number of faults in a sample at most: with 64 there is a slope, with 1 there is none.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#include "liar.h"

#define PAGE ((size_t)4096)
#define HUGE ((size_t)2 << 20)

static char *region;
static volatile char *pages;
static size_t step = PAGE, bytes;
static volatile char resident;

static int setup(struct kb_run *run)
{
	step = lie(run, "huge") ? HUGE : PAGE;
	return 0;
}

static char *map(void)
{
	char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return NULL;
	madvise(at, bytes, step == HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return at;
}

/* The pages are there, and may be taken away, but are not. */
static void free_lazily(uint64_t n)
{
	memset(region, 1, n * PAGE);
	madvise(region, n * PAGE, MADV_FREE);
}

static int before(struct kb_run *run, uint64_t n)
{
	bytes = (2 * n + 1) * step;
	region = map();
	if (!region)
		return kb_fail(run, errno, "a mapping");
	pages = step == HUGE ? region + (HUGE - (uintptr_t)region % HUGE) % HUGE : region;
	if (lie(run, "freed"))
		free_lazily(n);
	if (lie(run, "there_already"))
		memset(region, 1, n * PAGE);
	return 0;
}

static void write_pages(volatile char *at, uint64_t n, size_t by)
{
	for (uint64_t i = 0; i < n; i++)
		at[i * by] = 1;
}

static int op(struct kb_run *run, uint64_t n)
{
	if (lie(run, "same_page"))
		write_pages(pages, n, 0);
	else
		write_pages(pages, lie(run, "two") ? 2 * n : n, step);
	return 0;
}

static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	write_pages(&resident, n, 0);
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)n;
	return kb_unmap(run, region, bytes);
}

KB_BENCHMARK(
	.summary = "first write to a page of 4 KB", .per = "fault", .max_n = MAX,
	.params = { LIE_PARAM("huge,same_page,there_already,freed,two") },
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { .counter = KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = base, .after = after,
);
