/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Memory that benchmarks share no line about: bytes from the seed of the process, so that every run of it sees the same. */
#ifndef KBENCH_KERNEL_DATA_H
#define KBENCH_KERNEL_DATA_H

#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kbench_kernel.h"

static inline void kb_seeded_fill(uint64_t seed, void *data, size_t size)
{
	struct kb_rng rng;

	kb_rng_seed(&rng, seed);
	for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
		uint64_t word = kb_rng_next(&rng);

		memcpy((char *)data + at, &word, min(sizeof(word), size - at));
	}
}

/* Physically contiguous, for what goes to scatter lists and hardened copies; kfree() it. NULL: no memory. */
static inline void *kb_seeded_bytes(const struct kb_run *run, size_t size)
{
	void *data = kmalloc(size, GFP_KERNEL | __GFP_NOWARN);

	if (data)
		kb_seeded_fill(run->seed, data, size);
	return data;
}

#endif
