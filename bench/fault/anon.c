/*
 * fault.anon: the first write to a page of private anonymous memory. Huge pages are off, or one fault would serve 512
 * pages. Mapping and unmapping stay outside the sample: freeing a page has a price of its own.
 */
#include <sys/mman.h>

#include <kbench_files.h>

#define PAGES_MAX 4096u

static int setup(struct kb_run *run)
{
	(void)run;
	kb_first_writes_map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return 0;
}

KB_BENCHMARK(
	.summary = "minor page fault on anonymous memory: first write to a page",
	.suite = KB_QUICK, .portability = KB_ASSUMING,
	.assumes = "one fault maps one page: no huge pages, no fault-around",
	.per = "fault",
	.max_n = PAGES_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = kb_first_writes_before,
	.op = kb_first_writes_op, .base = kb_first_writes_base, .after = kb_first_writes_after,
);
