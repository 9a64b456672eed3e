/*
 * lib.malloc: one free and one malloc of the C library, in a live set of blocks that are replaced in turn. Each
 * block gets its number in its first and its last word, so blocks that overlap or were not replaced show.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <kbench_files.h>

#define LIVE_MAX (1u << 20)

static char **blocks;
static uint64_t live, size, next, first;

static int replace(struct kb_run *run, char **slot, uint64_t number)
{
	free(*slot);
	*slot = malloc(size);
	if (!*slot)
		return kb_fail(run, ENOMEM, "malloc of %llu bytes", (unsigned long long)size);
	memcpy(*slot, &number, sizeof number);
	memcpy(*slot + size - sizeof number, &number, sizeof number);
	return 0;
}

/* More than one lap: the allocator then has its lists in the state that lasts. */
static int setup(struct kb_run *run)
{
	int error = 0;

	live = kb_param_number(run, "live");
	blocks = kb_map_small(run, live * sizeof *blocks, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	if (!blocks)
		return -ENOMEM;
	size = kb_param_number(run, "size");
	for (; next < 3 * live && !error; next++)
		error = replace(run, &blocks[next % live], next);
	return error;
}

static int op(struct kb_run *run, uint64_t n)
{
	char **const held = blocks;     /* in a register: to read it again after each call is no part of the operation */
	int error = 0;

	for (first = next; next < first + n && !error; next++)
		error = replace(run, &held[next % live], next);
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	if (next != first + n)
		return kb_fail(run, EILSEQ, "%llu blocks were replaced, not %llu", (unsigned long long)(next - first),
			       (unsigned long long)n);
	for (uint64_t i = n > live ? next - live : first; i < next; i++) {
		const char *block = blocks[i % live];

		if (memcmp(block, &i, sizeof i) || memcmp(block + size - sizeof i, &i, sizeof i))
			return kb_fail(run, EILSEQ, "block %llu was not replaced, or overlaps another",
			               (unsigned long long)i);
	}
	return 0;
}

KB_BENCHMARK(
	.summary = "free and malloc of one block by size and live set",
	.portability = KB_PORTABLE,
	.per = "pair", .bound = KB_LATENCY,
	.params = {
		{ "size", "of a block", KB_SIZE, "32,1K,64K", 16, 1 << 20, NULL },
		{ "live", "blocks that are held", KB_NUMBER, "16,1000", 1, LIVE_MAX, NULL },
	},
	.expect = { { KB_MAJFLT } },
	.setup = setup, .op = op, .check = check,
);
