/* Taking away and giving back a right. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <kbench.h>

static char *page;

static int setup(struct kb_run *run)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return kb_fail(run, errno, "a mapping");
	memset(page, 1, 4096);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (mprotect(page, 4096, PROT_READ) || mprotect(page, 4096, PROT_READ | PROT_WRITE))
			return kb_fail(run, errno, "mprotect");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "mprotect to read-only and back", .per = "pair",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
