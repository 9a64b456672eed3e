// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One crc32_le of seeded bytes, by tables or by the instructions that the kernel found. Each result must be that of the
 * definition: bit by bit with the reflected polynomial of IEEE 802.3.
 */
#include <linux/crc32.h>

#include "data.h"

static u8 *data;
static size_t size;
static u32 expected;

static u32 by_definition(u32 crc, const u8 *at, size_t count)
{
	while (count-- > 0) {
		crc ^= *at++;
		for (unsigned bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return crc;
}

static int setup(struct kb_run *run)
{
	size = kb_param_number(run, "size");
	run->bytes_per_op = size;
	data = kb_seeded_bytes(run, size);
	if (!data)
		return kb_fail(run, ENOMEM, "no memory for %zu bytes", size);
	expected = by_definition(~0u, data, size);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int wrong = 0;

	KB_KERNEL_LOOP(n, wrong |= crc32_le(~0u, data, size) != expected);
	return wrong ? kb_fail(run, EBADMSG, "crc32_le() is not %08x, as by its definition", expected) : 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	kfree(data);
}

KB_KERNEL_ABOUT(
	.summary = "crc32_le by number of bytes",
	.per = "checksum", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each result matches the definition",
	.params = { { "size", "bytes", KB_SIZE, "64,4K;1500,64K", 1, 1 << 20, NULL } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown, .checked = true);
