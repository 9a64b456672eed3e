// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One kfree and one kmalloc: of a ring of `live` objects the oldest is freed, then one is allocated in its place. With live=1
 * the allocator hands back the same object from the CPU's list, its best case; with more than a slab holds it has to change
 * slabs. Kernels that zero on allocation (init_on_alloc, Debian's default) do so here, too.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "kbench_kernel.h"

#define AT_ONCE (GFP_NOWAIT | __GFP_NOWARN)
#define WITH_RETRIES (GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL)       /* a large ring shall not end a process */

struct ring { uint64_t live, next; size_t size; void **at; };

static void free_ring(struct kb_run *run)
{
	struct ring *ring = run->state;

	for (uint64_t i = 0; ring->at && i < ring->live; i++)
		kfree(ring->at[i]);
	kvfree(ring->at);
	kfree(ring);
}

static int make_ring(struct kb_run *run)
{
	struct ring *ring = kzalloc(sizeof(*ring), GFP_KERNEL);
	int missing = 0;

	if (!ring)
		return kb_fail(run, ENOMEM, "no memory for the ring");
	run->state = ring;
	ring->live = kb_param_number(run, "live");
	ring->size = kb_param_number(run, "size");
	ring->at = kvcalloc(ring->live, sizeof(void *), GFP_KERNEL);
	for (uint64_t i = 0; ring->at && i < ring->live; i++)
		missing |= !(ring->at[i] = kmalloc(ring->size, WITH_RETRIES));
	if (ring->at && !missing)
		return 0;
	free_ring(run);
	return kb_fail(run, ENOMEM, "no memory for %llu objects", (unsigned long long)kb_param_number(run, "live"));
}

static int op(struct kb_run *run, uint64_t n)
{
	struct ring *ring = run->state;
	int missing = 0;

	KB_KERNEL_LOOP(n, {
		void **at = &ring->at[ring->next];

		ring->next = ring->next + 1 == ring->live ? 0 : ring->next + 1;
		kfree(*at);
		*at = kmalloc(ring->size, AT_ONCE);
		missing |= !*at;
	});
	return missing ? kb_fail(run, ENOMEM, "kmalloc of %zu bytes without waiting failed", ring->size) : 0;
}

static int walk(struct kb_run *run, uint64_t n)
{
	struct ring *ring = run->state;
	int missing = 0;

	KB_KERNEL_LOOP(n, {
		void **at = &ring->at[ring->next];

		ring->next = ring->next + 1 == ring->live ? 0 : ring->next + 1;
		missing |= !*at;
	});
	return missing ? kb_fail(run, EBADMSG, "an object of the ring is missing") : 0;
}

/* Objects that are live together share no byte: each keeps a number of its own at both ends. */
static int check(struct kb_run *run, uint64_t n)
{
	struct ring *ring = run->state;
	size_t last = ring->size - sizeof(uint64_t);
	int shared = 0;

	for (uint64_t i = 0; i < ring->live; i++)
		*(uint64_t *)ring->at[i] = *(uint64_t *)(ring->at[i] + last) = n + i;
	for (uint64_t i = 0; i < ring->live; i++)
		shared |= *(uint64_t *)ring->at[i] != n + i || *(uint64_t *)(ring->at[i] + last) != n + i;
	return shared ? kb_fail(run, EBADMSG, "two live objects share memory") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "kfree and kmalloc by size; the oldest live object is replaced",
	.per = "pair", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "every allocation succeeds, and no two live objects overlap",
	.params = {
		{ "size", "bytes of an object", KB_SIZE, "64,4K;256,1K,8K", 8, 4 << 20, NULL },
		{ "live", "objects that are live at a time", KB_NUMBER, "1;4096", 1, 4096, NULL },
	},
);
KB_KERNEL_BENCHMARK(.thread_setup = make_ring, .op = op, .base = walk, .check = check, .thread_teardown = free_ring);
