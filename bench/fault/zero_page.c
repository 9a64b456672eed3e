/*
 * fault.zero_page: the first read of a page of private anonymous memory. No page is allocated: all are mapped to the one
 * page of zeros, which a later write replaces (fault.zero_cow counts that fault, and so proves what this one mapped).
 */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define PAGES_MAX 4096u

static size_t page_bytes;
static volatile unsigned char *pages;   /* of the next interval; NULL between before and after */
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
	void *memory = mmap(NULL, n * page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return kb_fail(run, errno, "mapping of %llu pages", (unsigned long long)n);
	madvise(memory, n * page_bytes, MADV_NOHUGEPAGE);   /* or one fault maps the huge page of zeros */
	pages = memory;
	return 0;
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
	if (munmap((void *)(uintptr_t)pages, n * page_bytes))
		return kb_fail(run, errno, "unmapping of %llu pages", (unsigned long long)n);
	pages = NULL;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return sum ? kb_fail(run, EILSEQ, "new memory is not zero") : 0;
}

KB_BENCHMARK(
	.summary = "first read of a page of anonymous memory, which maps the page of zeros",
	.suite = KB_FULL, .portability = KB_ASSUMING,
	.assumes = "one fault maps one page: no huge pages, no fault-around",
	.per = "fault",
	.max_n = PAGES_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = base, .check = check, .after = after,
);
