// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One xxh64 of seeded bytes, the hash that file systems check blocks with. Each result must be that of the same bytes in two
 * parts; the hash of nothing must be the published one.
 */
#include <linux/xxhash.h>

#include "data.h"

static u8 *data;
static size_t size;
static u64 expected;

static int setup(struct kb_run *run)
{
	struct xxh64_state state;
	int error;

	size = kb_param_number(run, "size");
	run->bytes_per_op = size;
	if (xxh64("", 0, 0) != 0xef46db3751d8e999)
		return kb_fail(run, EBADMSG, "the hash of nothing is wrong");
	data = kb_seeded_bytes(run, size);
	if (!data)
		return kb_fail(run, ENOMEM, "no memory for %zu bytes", size);
	xxh64_reset(&state, run->seed);
	error = xxh64_update(&state, data, size / 2);
	error |= xxh64_update(&state, data + size / 2, size - size / 2);
	expected = xxh64_digest(&state);
	return error ? kb_fail(run, EBADMSG, "the hash in two parts failed") : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int wrong = 0;

	KB_KERNEL_LOOP(n, wrong |= xxh64(data, size, run->seed) != expected);
	return wrong ? kb_fail(run, EBADMSG, "a hash is not that of the same bytes in two parts") : 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	kfree(data);
}

KB_KERNEL_ABOUT(
	.summary = "xxh64 by number of bytes",
	.per = "hash", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each result is that of the same bytes in two parts",
	.params = { { "size", "bytes", KB_SIZE, "64,4K;1500,64K", 1, 1 << 20, NULL } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown, .checked = true);
