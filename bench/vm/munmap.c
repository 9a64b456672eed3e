/*
 * vm.munmap: a mapping of anonymous memory is taken back, its pages not touched before, or all of them written: then the
 * pages are freed, too, and the processor forgets their addresses. Linux keeps mappings in nodes of 16, and joins
 * nodes that are half empty: every fifth or sixth call costs half as much again.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <kbench_files.h>

#define MAPPINGS_MAX 128u

static char *at[2 * MAPPINGS_MAX];
static size_t bytes;
static bool touched;

static int setup(struct kb_run *run)
{
	bytes = kb_param_number(run, "size");
	touched = kb_param_is(run, "pages", "written");
	if (bytes % (size_t)sysconf(_SC_PAGESIZE))
		return kb_fail(run, EINVAL, "size must be a multiple of the page, %ld bytes", sysconf(_SC_PAGESIZE));
	return 0;
}

/* Neighbours differ in their rights: the kernel would make them one. */
static int before(struct kb_run *run, uint64_t n)
{
	memset(at, 0, sizeof at);
	for (uint64_t i = 0; i < n; i++) {
		at[i] = kb_map_small(run, bytes, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
		if (!at[i])
			return -ENOMEM;
		if (touched)
			memset(at[i], 1, bytes);
		if ((i & 1) && mprotect(at[i], bytes, PROT_READ))
			return kb_fail(run, errno, "mprotect");
	}
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		if (munmap(at[i], bytes))
			return kb_fail(run, errno, "unmapping of %zu bytes", bytes);
	}
	return 0;
}

/* munmap of what is not mapped succeeds, too. */
static int check(struct kb_run *run, uint64_t n)
{
	unsigned char in_memory[1];

	for (uint64_t i = 0; i < n; i++) {
		if (mincore(at[i], 1, in_memory) == 0 || errno != ENOMEM)
			return kb_fail(run, EPROTO, "mapping %llu is still there", (unsigned long long)i);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "munmap of anonymous memory", .per = "call", .period = 30, .max_n = MAPPINGS_MAX,
	.suite = KB_FULL, .portability = KB_PORTABLE,
	.params = {
		{ "size", "of a mapping, bytes", KB_SIZE, "64K", 4096, 64u << 20, NULL },
		{ "pages", "before", KB_CHOICE, "untouched,written", 0, 0, "untouched,written" },
	},
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MAJFLT } },
	.setup = setup, .before = before, .op = op, .base = kb_empty_loop, .check = check,
);
