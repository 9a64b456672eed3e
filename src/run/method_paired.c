/*
 * See method_paired.h. n is given, so all there is to choose is how many pairs; each pair's order is drawn anew, or what the first
 * interval leaves behind in the caches would be a bias of every difference.
 */
#include "run/method_paired.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LONG_NS 1e6             /* of the shortest possible interval: above, a slope would take seconds a launch */
#define PAIRS_A_BLOCK 8.0
#define BLOCKS_WANTED 60.0      /* before a block has more than one pair */
#define PAIRS_FEWEST 31u        /* of a launch: an interval for a median takes 15 independent ones */
#define PAIRS_LEAST 16.0        /* if there is no time for those */

bool kb_paired_by(const struct kb_bench *bench, double cost_ns, const char *method)
{
	if (bench->method == KB_PAIRED)
		return true;
	if (method)
		return !strcmp(method, KB_PAIRED_METHOD);
	return bench->granule > 1 && bench->max_n != 1 && (double)bench->granule * cost_ns > LONG_NS;
}

static uint64_t choose_n(const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns)
{
	uint64_t granule = bench->granule > 1 ? bench->granule : 1, n;

	if (bench->method == KB_PAIRED)
		return granule;
	n = kb_design_shortest(bench, clock, cost_ns);
	return bench->max_n && n > bench->max_n ? bench->max_n / granule * granule : n;
}

void kb_paired_design(struct kb_design *design, const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns)
{
	*design = (struct kb_design){
		.method = KB_PAIRED_METHOD, .grid = { choose_n(bench, clock, cost_ns) }, .grid_count = 1, .base = bench->base != NULL,
	};
	snprintf(design->header, sizeof design->header, "%s", design->method);
	kb_paired_length(design, 2 * (double)design->grid[0] * cost_ns, INFINITY);
}

void kb_paired_length(struct kb_design *design, double pair_ns, double most_ns)
{
	double pairs = fmin(fmax(KB_PROCESS_NS / pair_ns, PAIRS_FEWEST), fmax(most_ns / pair_ns, PAIRS_LEAST));

	design->repeats = (unsigned)fmin(fmax(pairs / BLOCKS_WANTED, 1), PAIRS_A_BLOCK);
	design->fewest = (unsigned)ceil(fmin(pairs, PAIRS_FEWEST) / design->repeats);
	design->blocks = kb_design_blocks(design, pairs / design->repeats);
}

static void put_pair(const struct kb_design *design, struct kb_rng *rng, struct kb_block *block)
{
	struct kb_step op = { KB_STEP_OP, design->grid[0] };
	struct kb_step other = design->base ? (struct kb_step){ KB_STEP_BASE, design->grid[0] } : (struct kb_step){ KB_STEP_CLOCK, 0 };
	bool first = kb_rng_below(rng, 2);

	block->steps[block->count++] = first ? op : other;
	block->steps[block->count++] = first ? other : op;
}

/* Without a base every empty clock pair of the block is half of a pair, so there is none on its own. */
void kb_paired_block(const struct kb_design *design, struct kb_rng *rng, uint64_t index, bool warm, struct kb_block *block)
{
	unsigned order[(unsigned)PAIRS_A_BLOCK + 2], units = design->repeats + 1 + design->base;

	*block = (struct kb_block){ .warm = warm, .index = index, .probe = design->probe };
	for (unsigned i = 0; i < units; i++)
		order[i] = i;
	kb_rng_shuffle(rng, order, units, sizeof *order);
	for (unsigned i = 0; i < units; i++) {
		if (order[i] < design->repeats)
			put_pair(design, rng, block);
		else
			block->steps[block->count++] = (struct kb_step){ order[i] == design->repeats ? KB_STEP_PROBE : KB_STEP_CLOCK, 0 };
	}
}
