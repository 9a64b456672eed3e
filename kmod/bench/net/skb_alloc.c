// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One alloc_skb, so many bytes claimed in it by skb_put, and consume_skb. The head and the data of the packet come from the
 * slabs of this CPU and go back there: the best case. No byte of the data is written.
 */
#include <linux/skbuff.h>

#include "kbench_kernel.h"

static unsigned size;

static int setup(struct kb_run *run)
{
	size = kb_param_number(run, "size");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int wrong = 0;

	KB_KERNEL_LOOP(n, {
		struct sk_buff *skb = alloc_skb(size, GFP_ATOMIC | __GFP_NOWARN);

		if (unlikely(!skb))
			return kb_fail(run, ENOMEM, "alloc_skb of %u bytes without waiting failed", size);
		wrong |= skb_put(skb, size) != skb->head || skb->len != size;
		consume_skb(skb);
	});
	return wrong ? kb_fail(run, EBADMSG, "a packet has another length than %u", size) : 0;
}

KB_KERNEL_ABOUT(
	.summary = "alloc_skb, skb_put and consume_skb: a network packet's memory, by size",
	.per = "packet", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "every packet is allocated and has the requested length",
	.params = { { "size", "bytes of data", KB_SIZE, "128,1500;9000", 1, 64 << 10, NULL } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .checked = true);
