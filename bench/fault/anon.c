/*
 * fault.anon: the first write to a page of private anonymous memory. Huge pages are off, or one fault would serve 512
 * pages. Mapping and unmapping stay outside the sample: freeing a page has a price of its own.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define PAGES_MAX 4096u

static size_t page_bytes;
static volatile char *pages;            /* of the next sample */
static volatile char resident;

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

static void write_pages(volatile char *memory, uint64_t n, size_t step)
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
	.summary = "first write to a page of anonymous memory",
	.suite = KB_QUICK, .portability = KB_ASSUMING,
	.assumes = "one fault maps one page: no huge pages, no fault-around",
	.per = "fault",
	.max_n = PAGES_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup,
	.before = before,
	.op = op,
	.base = base,
	.after = after,
);
