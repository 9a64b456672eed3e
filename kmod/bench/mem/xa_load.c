// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * One xa_load from an XArray of so many entries, in seeded random order. `packed` entries have the indices 0, 1, 2 ..., a
 * shallow tree; `scattered` ones are spread over 32 bits, a deep one. Each entry found must be the one stored there.
 */
#include <linux/mm.h>
#include <linux/xarray.h>

#include "kbench_kernel.h"

static DEFINE_XARRAY(array);
static unsigned long *indices;          /* a power of two of them, shuffled; what is stored at one is a function of it */
static uint64_t entries;

static void *entry_of(unsigned long index)
{
	return xa_mk_value(index ^ 0x5bd1e995);
}

static void teardown(struct kb_run *run)
{
	(void)run;
	xa_destroy(&array);
	kvfree(indices);
}

static int setup(struct kb_run *run)
{
	bool packed = kb_param_is(run, "indices", "packed");
	struct kb_rng rng;
	int error = 0;

	entries = 1ull << kb_param_number(run, "entries_log2");
	indices = kvcalloc(entries, sizeof(*indices), GFP_KERNEL);
	if (!indices)
		return kb_fail(run, ENOMEM, "no memory for %llu indices", (unsigned long long)entries);
	kb_rng_seed(&rng, run->seed);
	for (uint64_t i = 0; i < entries && !error; i++) {
		indices[i] = packed ? i : kb_rng_below(&rng, 1ull << 32);
		error = xa_err(xa_store(&array, indices[i], entry_of(indices[i]), GFP_KERNEL));
	}
	kb_rng_shuffle(&rng, indices, entries, sizeof(*indices));
	if (!error)
		return 0;
	teardown(run);
	return kb_fail(run, -error, "xa_store failed");
}

static int op(struct kb_run *run, uint64_t n)
{
	uint64_t mask = entries - 1, at = n;
	int wrong = 0;

	KB_KERNEL_LOOP(n, {
		unsigned long index = indices[at++ & mask];

		wrong |= xa_load(&array, index) != entry_of(index);
	});
	return wrong ? kb_fail(run, EBADMSG, "another entry was found than the one stored there") : 0;
}

/* The same walk over the indices. */
static int base(struct kb_run *run, uint64_t n)
{
	uint64_t mask = entries - 1, at = n;
	int wrong = 0;

	KB_KERNEL_LOOP(n, {
		unsigned long index = indices[at++ & mask];

		wrong |= !xa_is_value(entry_of(index));
	});
	return wrong ? kb_fail(run, EBADMSG, "an index has changed") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "xa_load from an XArray in random order, by number and spread of its entries",
	.per = "lookup", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "each lookup finds the entry stored there",
	.params = {
		{ "entries_log2", "2^entries_log2 entries", KB_NUMBER, "6,12;0,14", 0, 14, NULL },
		{ "indices", "packed or scattered", KB_CHOICE, "packed;scattered", 0, 0, "packed,scattered" },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = base, .teardown = teardown, .checked = true);
