/*
 * vm.mmap: a mapping of anonymous memory is made, and nothing else: it is not touched, and unmapped outside the sample.
 * Neighbours differ in their rights, or the kernel would widen the one mapping that is there, which costs less.
 * Linux keeps mappings in nodes of 16 that split when they are full: of 15 that follow each other two cost twice as much.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench.h>

#define MAPPINGS_MAX 128u

static void *at[2 * MAPPINGS_MAX];
static size_t bytes;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "size");
	if (bytes % (size_t)sysconf(_SC_PAGESIZE))
		return kb_fail(run, EINVAL, "size must be a multiple of the page, %ld bytes", sysconf(_SC_PAGESIZE));
	return 0;
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	for (unsigned i = 0; i < 2 * MAPPINGS_MAX; i++)
		at[i] = MAP_FAILED;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		int rights = i & 1 ? PROT_READ : PROT_READ | PROT_WRITE;

		at[i] = mmap(NULL, bytes, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (at[i] == MAP_FAILED)
			return kb_fail(run, errno, "mapping of %zu bytes", bytes);
	}
	return 0;
}

/* Made is what can be unmade: each once, and one more is none of ours. */
static int check(struct kb_run *run, uint64_t n)
{
	unsigned char in_memory[1];
	uint64_t made = 0;

	for (; made < 2 * MAPPINGS_MAX && at[made] != MAP_FAILED; made++) {
		if (mincore(at[made], 1, in_memory) || in_memory[0] & 1)
			return kb_fail(run, EPROTO, "mapping %llu is not there, or touched", (unsigned long long)made);
		if (munmap(at[made], bytes))
			return kb_fail(run, errno, "unmapping of %zu bytes", bytes);
	}
	return made == n ? 0 : kb_fail(run, EPROTO, "%llu of %llu mappings were made", (unsigned long long)made,
	                               (unsigned long long)n);
}

KB_BENCHMARK(
	.summary = "mmap of anonymous memory, untouched", .per = "call", .period = 15, .max_n = MAPPINGS_MAX,
	.suite = KB_STANDARD, .portability = KB_PORTABLE,
	.params = { { "size", "of a mapping, bytes", KB_SIZE, "64K", 4096, 1ull << 30, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
