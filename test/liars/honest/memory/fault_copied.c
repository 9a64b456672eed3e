/* The first write to a page of a private mapping of a file: the page is copied. */
#include <errno.h>
#include <sys/mman.h>

#include <kbench_files.h>

#define PAGE 4096u
#define COUNT 64u

static volatile char *pages;
static int file = -1;

static int setup(struct kb_run *run)
{
	return kb_scratch_file(run, COUNT * PAGE, &file);
}

static int before(struct kb_run *run, uint64_t n)
{
	pages = kb_map_small(run, n * PAGE, MAP_PRIVATE, file);
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
	.summary = "first write to a page of a private mapping", .per = "fault", .max_n = COUNT,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.01 }, { .counter = KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .after = after,
);
