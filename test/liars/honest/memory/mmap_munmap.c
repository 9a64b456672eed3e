/* Addresses that nobody touches. */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>

#include <kbench.h>

#define BYTES ((size_t)1 << 20)

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED || munmap(at, BYTES))
			return kb_fail(run, errno, "a mapping");
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "mmap and munmap of 1 MB", .per = "pair",
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.op = op, .base = kb_empty_loop,
);
