// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One get_random_bytes: a key of its own for each call, then so many bytes of ChaCha20. Each call must leave other first and
 * last bytes than the one before it; two equal ones of eight bytes come once in 2^64 calls.
 */
#include <linux/random.h>
#include <linux/slab.h>

#include "kbench_kernel.h"

static u8 *bytes;
static size_t size;

static int setup(struct kb_run *run)
{
	size = kb_param_number(run, "size");
	run->bytes_per_op = size;
	bytes = kzalloc(size, GFP_KERNEL);
	return bytes ? 0 : kb_fail(run, ENOMEM, "no memory for %zu bytes", size);
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t *first = (uint64_t *)bytes, *last = (uint64_t *)(bytes + size - sizeof(*last)), head, tail;
	int same = 0;

	KB_KERNEL_LOOP(n, {
		head = *first;
		tail = *last;
		get_random_bytes(bytes, size);
		same |= *first == head;
		same |= *last == tail;
	});
	return same ? kb_fail(run, EBADMSG, "a call left the bytes of the one before it") : 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	kfree(bytes);
}

KB_KERNEL_ABOUT(
	.summary = "get_random_bytes by size",
	.per = "call", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each call changes the first and the last bytes",
	.params = { { "size", "bytes of a call", KB_SIZE, "32;256,4K", 8, 64 << 10, NULL } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown, .checked = true);
