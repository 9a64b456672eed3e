/*
 * Touches fresh pages and claims the kernel's event of it: EVENT, CLAIMED times an operation. UNPROVEN 1: it says that
 * nothing else can prove it. The claim is of a software event, which every machine counts: the path is that of hardware.
 */
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define PAGES 256u

static char *memory;
static size_t page;

static int setup(struct kb_run *run)
{
	(void)run;
	page = (size_t)sysconf(_SC_PAGESIZE);
	memory = mmap(0, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return kb_fail(run, 12, "mmap");
	if (UNPROVEN)
		kb_unproven(run, "nobody looks");
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	madvise(memory, PAGES * page, MADV_NOHUGEPAGE);
	return madvise(memory, PAGES * page, MADV_DONTNEED) ? kb_fail(run, 22, "madvise") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		((volatile char *)memory)[i * page] = 1;
	return 0;
}

KB_BENCHMARK(
	.summary = "touches fresh pages", .per = "page", .max_n = PAGES,
	.events = { { EVENT, .per_op = CLAIMED, .tolerance = 0.01 } },
	.setup = setup, .before = before, .op = op,
);
