// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One csum_partial of seeded bytes, folded: the Internet checksum. Each result must be that of the definition: 16-bit words added
 * with the carry brought round (RFC 1071).
 */
#include <linux/bitops.h>
#include <net/checksum.h>       /* needs bitops.h, and does not say so since 6.12 */

#include "data.h"

static u8 *data;
static size_t size;
static u16 expected;

static u16 by_definition(const u8 *at, size_t count)
{
	u64 sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += (i & 1) ? (u64)at[i] << 8 : at[i];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static int setup(struct kb_run *run)
{
	size = kb_param_number(run, "size");
	run->bytes_per_op = size;
	data = kb_seeded_bytes(run, size);
	if (!data)
		return kb_fail(run, ENOMEM, "no memory for %zu bytes", size);
	expected = by_definition(data, size);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int wrong = 0;

	KB_KERNEL_LOOP(n, wrong |= (__force u16)csum_fold(csum_partial(data, size, 0)) != expected);
	return wrong ? kb_fail(run, EBADMSG, "the checksum is not %04x, as by its definition", expected) : 0;
}

static void teardown(struct kb_run *run)
{
	(void)run;
	kfree(data);
}

KB_KERNEL_ABOUT(
	.summary = "csum_partial and csum_fold by number of bytes: the Internet checksum",
	.per = "checksum", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each result matches the definition",
	.params = { { "size", "bytes", KB_SIZE, "64,1500;4K,64K", 1, 1 << 20, NULL } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .teardown = teardown, .checked = true);
