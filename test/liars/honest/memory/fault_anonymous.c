/* The first write to a page of new memory. */
#include <errno.h>
#include <sys/mman.h>

#include <kbench_files.h>

#define PAGE 4096u

static volatile char *pages;

static int before(struct kb_run *run, uint64_t n)
{
	pages = kb_map_small(run, n * PAGE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return pages ? 0 : -ENOMEM;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		pages[i * PAGE] = 1;
	return 0;
}

static int after(struct kb_run *run, uint64_t n)
{
	return kb_unmap(run, pages, n * PAGE);
}

KB_BENCHMARK(
	.summary = "first write to new memory", .per = "fault", .max_n = 64,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { .counter = KB_MAJFLT } },
	.before = before, .op = op, .after = after,
);
