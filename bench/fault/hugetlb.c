/*
 * fault.hugetlb: the first touch of a page from the pool of huge pages that an administrator has set aside. Nothing falls
 * back to small pages here; what the fault does is find one in the pool and clear it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <kbench.h>

#define HUGE_MAX 2u             /* in a sample: so many must be free */

static size_t huge_bytes;
static volatile unsigned char *memory;

static size_t huge_size(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	char line[128];
	size_t kilobytes = 0;

	while (file && !kilobytes && fgets(line, sizeof line, file))
		if (sscanf(line, "Hugepagesize: %zu kB", &kilobytes) != 1)
			kilobytes = 0;
	if (file)
		fclose(file);
	return kilobytes << 10;
}

static int before(struct kb_run *run, uint64_t n)
{
	void *pages = mmap(NULL, n * huge_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);

	if (pages == MAP_FAILED)
		return kb_fail(run, errno, "mapping of %llu pages of the pool", (unsigned long long)n);
	memory = pages;
	return 0;
}

/* Mapping reserves the pages, so a fault cannot find the pool empty. */
static int setup(struct kb_run *run)
{
	huge_bytes = huge_size();
	if (!huge_bytes)
		return kb_skip(run, "no pool of huge pages in this kernel");
	if (before(run, HUGE_MAX))
		return kb_skip(run, "fewer than %u huge pages are free: set /proc/sys/vm/nr_hugepages to %u", HUGE_MAX, HUGE_MAX);
	munmap((void *)(uintptr_t)memory, HUGE_MAX * huge_bytes);
	run->bytes_per_op = huge_bytes;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		memory[i * huge_bytes] = 1;
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (memory[i * huge_bytes] != 1)
			return kb_fail(run, EILSEQ, "page %llu was not written", (unsigned long long)i);
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	return munmap((void *)(uintptr_t)memory, n * huge_bytes) ? kb_fail(run, errno, "unmapping pages of the pool") : 0;
}

KB_BENCHMARK(
	.summary = "page fault on a huge page of the hugetlb pool: first touch", .per = "fault", .max_n = HUGE_MAX,
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "the pool holds free pages", .huge = true,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.01 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .check = check, .after = after,
);
