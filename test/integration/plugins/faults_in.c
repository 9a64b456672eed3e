/*
 * Says: the first write to a page of 4 KB, a fault each. With `page=huge` a fault brings 2 MB at once; SAYS, a macro, tells whether it does
 * not hide that.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define HUGE_BYTES ((size_t)2 << 20)
#define MOST 16u

static char *region, *pages;
static size_t step, bytes;

static int setup(struct kb_run *run)
{
	step = kb_param_is(run, "page", "huge") ? HUGE_BYTES : (size_t)sysconf(_SC_PAGESIZE);
	bytes = (MOST + 1) * step;
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	region = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (region == MAP_FAILED)
		return kb_fail(run, errno, "a mapping");
	pages = region + (step - (uintptr_t)region % step) % step;
	return madvise(region, bytes, step == HUGE_BYTES ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) ? kb_skip(run, "no huge pages here") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		*(volatile char *)(pages + i * step) = 1;
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	(void)n;
	return munmap(region, bytes) ? kb_fail(run, errno, "unmapping") : 0;
}

KB_BENCHMARK(
	.summary = "first write to a page of 4 KB, as it says", .per = "fault", .max_n = MOST, .huge = SAYS,
	.params = { { "page", "that comes", KB_CHOICE, "small", 0, 0, "small,huge" } },
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.01 }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .after = after,
);
