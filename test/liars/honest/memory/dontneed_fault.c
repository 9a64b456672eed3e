/* A page that is given back and written again: a call and a fault. */
#include <errno.h>
#include <sys/mman.h>

#include <kbench_files.h>

static volatile char *page;

static int setup(struct kb_run *run)
{
	page = kb_map_small(run, 4096, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return page ? 0 : -ENOMEM;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (madvise((void *)(uintptr_t)page, 4096, MADV_DONTNEED))
			return kb_fail(run, errno, "madvise");
		*page = 1;
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "a page given back and written again", .per = "page",
	.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.001 }, { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
