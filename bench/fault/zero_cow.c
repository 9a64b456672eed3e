/*
 * fault.zero_cow: the first write to a page of anonymous memory that was read before: the page of zeros is replaced by
 * one of its own. It costs more than fault.anon, whose page was not mapped at all, by the flush of the old entry.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include <kbench_files.h>

#define PAGES_MAX 4096u

/* A kernel without it gives memory to a page that is read, and the write is no fault. */
static bool is_replaced(volatile unsigned char *page)
{
	struct rusage first, last;

	(void)*page;
	getrusage(RUSAGE_SELF, &first);
	*page = 1;
	getrusage(RUSAGE_SELF, &last);
	return last.ru_minflt > first.ru_minflt;
}

static int setup(struct kb_run *run)
{
	kb_first_writes_map(MAP_PRIVATE | MAP_ANONYMOUS, -1);

	int error = kb_first_writes_before(run, 1);

	if (error)
		return error;
	if (!is_replaced(kb_first_writes.pages))
		return kb_skip(run, "this kernel has no page of zeros for reads of anonymous memory");
	return kb_first_writes_after(run, 1);
}

static int before(struct kb_run *run, uint64_t n)
{
	int error = kb_first_writes_before(run, n);

	for (uint64_t i = 0; !error && i < n; i++)
		(void)kb_first_writes.pages[i * kb_first_writes.page_bytes];
	return error;
}

KB_BENCHMARK(
	.summary = "page fault on the zero page: first write to a page that was read before",
	.suite = KB_FULL, .portability = KB_ASSUMING,
	.assumes = "the read mapped the shared zero page, which the write replaces",
	.per = "fault",
	.max_n = PAGES_MAX,
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_MAJFLT } },
	.setup = setup, .before = before,
	.op = kb_first_writes_op, .base = kb_first_writes_base, .after = kb_first_writes_after,
);
