// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One alloc_pages and one __free_pages of 2^order pages. The block that was freed last comes back from the CPU's list, the
 * allocator's best case. Kernels that zero on allocation (init_on_alloc, Debian's default) do so here, too: of large blocks
 * that is nearly all of it.
 */
#include <linux/gfp.h>
#include <linux/mm.h>

#include "kbench_kernel.h"

#define AT_ONCE (GFP_NOWAIT | __GFP_NOWARN)

static unsigned order;

static int setup(struct kb_run *run)
{
	order = kb_param_number(run, "order");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	unsigned long inside = (1ul << order) - 1;
	int wrong = 0;

	KB_KERNEL_LOOP(n, {
		struct page *page = alloc_pages(AT_ONCE, order);

		if (unlikely(!page))
			return kb_fail(run, ENOMEM, "alloc_pages of order %u without waiting failed", order);
		wrong |= (page_to_pfn(page) & inside) != 0;
		__free_pages(page, order);
	});
	return wrong ? kb_fail(run, EBADMSG, "a block of order %u is not aligned to its size", order) : 0;
}

/* The block is memory up to its last byte: what is written at both ends stays there. */
static int check(struct kb_run *run, uint64_t n)
{
	struct page *page = alloc_pages(AT_ONCE, order);
	uint64_t *words;
	size_t last = (PAGE_SIZE << order) / sizeof(uint64_t) - 1;
	int wrong;

	if (!page)
		return kb_fail(run, ENOMEM, "alloc_pages of order %u without waiting failed", order);
	words = page_address(page);
	WRITE_ONCE(words[0], n);
	WRITE_ONCE(words[last], ~n);
	wrong = READ_ONCE(words[0]) != n || READ_ONCE(words[last]) != ~n;
	__free_pages(page, order);
	return wrong ? kb_fail(run, EBADMSG, "a block of order %u does not keep what is written", order) : 0;
}

KB_KERNEL_ABOUT(
	.summary = "alloc_pages and __free_pages of 2^order pages",
	.per = "pair", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "every block is allocated, aligned to its size, and accessible at both ends",
	.params = { { "order", "2^order pages a block", KB_NUMBER, "0,4;1,3,9", 0, 9, NULL } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .check = check);
