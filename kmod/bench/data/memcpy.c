// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One memcpy or memset between two buffers that stay where they are, so in a cache that holds both. The size is not known to the
 * compiler: the kernel's function is called. Before each sample the target is spoilt, afterwards every byte is compared.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "data.h"

#define FILL 0x5a

static char *from, *to;
static size_t size;
static bool fills;

static void teardown(struct kb_run *run)
{
	(void)run;
	kvfree(from);
	kvfree(to);
}

static int setup(struct kb_run *run)
{
	size = kb_param_number(run, "size");
	fills = kb_param_is(run, "what", "memset");
	run->bytes_per_op = size;
	from = kvmalloc(size, GFP_KERNEL);
	to = kvmalloc(size, GFP_KERNEL);
	if (!from || !to) {
		teardown(run);
		return kb_fail(run, ENOMEM, "no memory for two buffers of %zu bytes", size);
	}
	if (fills)
		memset(from, FILL, size);
	else
		kb_seeded_fill(run->seed, from, size);
	return 0;
}

static int prepare(struct kb_run *run, uint64_t n)
{
	(void)run, (void)n;
	for (size_t i = 0; i < size; i++)
		to[i] = ~from[i];
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	if (fills)
		KB_KERNEL_LOOP(n, memset(to, FILL, size));
	else
		KB_KERNEL_LOOP(n, memcpy(to, from, size));
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return memcmp(to, from, size) ? kb_fail(run, EBADMSG, "the copy differs") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "the kernel's memcpy or memset by size, with both buffers in a cache",
	.per = "copy", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "every byte arrives",
	.params = {
		{ "what", "memcpy or memset", KB_CHOICE, "memcpy;memset", 0, 0, "memcpy,memset" },
		{ "size", "bytes of a copy", KB_SIZE, "64,4K;1500,64K,1M", 1, 4 << 20, NULL },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .prepare = prepare, .op = op, .base = kb_empty_loop, .check = check, .teardown = teardown);
