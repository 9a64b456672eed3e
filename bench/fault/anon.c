/*
 * fault.anon: the first write to a page of private anonymous memory. Huge pages are off, or one fault would serve 512
 * pages. Mapping and unmapping stay outside the interval: freeing a page has a price of its own.
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define PAGES_MAX 4096u

static size_t page_bytes;
static volatile char *pages;            /* of the next interval; NULL between before and after */
static volatile char resident;

static int setup(struct kb_run *run)
{
	(void)run;
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	void *memory = mmap(NULL, n * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return kb_fail(run, errno, "mapping of %llu pages", (unsigned long long)n);
	madvise(memory, n * page_bytes, MADV_NOHUGEPAGE);   /* fails where the kernel has none */
	pages = memory;
	return 0;
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
	if (munmap((void *)pages, n * page_bytes))
		return kb_fail(run, errno, "unmapping of %llu pages", (unsigned long long)n);
	pages = NULL;
	return 0;
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
