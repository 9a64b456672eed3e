/*
 * fault.zero_page: the first read of a page of private anonymous memory. No page is allocated: all are mapped to the one
 * page of zeros, which a later write replaces (fault.zero_cow counts that fault, and so proves what this one mapped).
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define PAGES_MAX 4096u

static size_t page_bytes;
static volatile unsigned char *pages;   /* of the next sample */
static volatile unsigned char resident;
static uint64_t sum;

static int setup(struct kb_run *run)
{
	(void)run;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	pages = kb_map_small(run, n * page_bytes, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return pages ? 0 : -ENOMEM;
}

static void read_pages(volatile const unsigned char *memory, uint64_t n, size_t step)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++)
		sum += memory[i * step];
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	read_pages(pages, n, page_bytes);
	return 0;
}

/* The same loop, its steps 0 bytes long. */
static int base(struct kb_run *run, uint64_t n)
{
	(void)run;
	read_pages(&resident, n, 0);
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	return kb_unmap(run, pages, n * page_bytes);
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return sum ? kb_fail(run, EILSEQ, "new memory is not zero") : 0;
}

KB_BENCHMARK(
	.summary = "page fault that maps the zero page: first read of anonymous memory",
	.suite = KB_FULL, .portability = KB_ASSUMING,
	.assumes = "one fault maps one page: no huge pages, no fault-around",
	.per = "fault",
	.max_n = PAGES_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = base, .check = check, .after = after,
);
