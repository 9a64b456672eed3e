/*
 * fault.zero_cow: the first write to a page of anonymous memory that was read before: the page of zeros is replaced by
 * one of its own. It costs more than fault.anon, whose page was not mapped at all, by the flush of the old entry.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define PAGES_MAX 4096u

static size_t page_bytes;
static volatile unsigned char *pages;   /* of the next sample */
static volatile unsigned char resident;

static int setup(struct kb_run *run)
{
	(void)run;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	pages = kb_map_small(run, n * page_bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	for (uint64_t i = 0; pages && i < n; i++)
		(void)pages[i * page_bytes];
	return pages ? 0 : -ENOMEM;
}

static void write_pages(volatile unsigned char *memory, uint64_t n, size_t step)
{
	for (uint64_t i = 0; i < n; i++)
		memory[i * step] = 1;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	write_pages(pages, n, page_bytes);
	return 0;
}

/* The same loop, its steps 0 bytes long. */
static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	write_pages(&resident, n, 0);
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	return kb_unmap(run, pages, n * page_bytes);
}

KB_BENCHMARK(
	.summary = "first write to a page of anonymous memory that was read before",
	.suite = KB_FULL, .portability = KB_ASSUMING,
	.assumes = "the read mapped a shared page of zeros, which the write replaces",
	.per = "fault",
	.max_n = PAGES_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = base, .after = after,
);
