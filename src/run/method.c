/*
 * How long samples are and how many: long enough that the clock's step and the contention probes around them cost little, short
 * enough that a neighbour on the core seldom comes and goes between two probes (doc/noise.md). The cost may depend on n, so all
 * processes of a result, and both sides of a comparison, take the design of the first.
 */
#include "run/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/method_kanata.h"
#include "run/method_paired.h"

#define CLOCK_STEPS 100.0       /* of the shortest sample, or clock costs */
#define SHORTEST_NS 10e3        /* of a sample */
#define FEWEST 4.0              /* operations, if the longest sample then ends at 100 us: the first ones find the last sample's end */
#define PERIOD_NS 60e3          /* of the shortest sample that holds a whole period of a benchmark: the longest has four */
#define GRID 3u                 /* n, 2n, 4n: longer samples hide more of the neighbours that came and went */
#define MOST (UINT64_C(1) << 20)        /* of a sample that is made longer than the clock asks for */
#define SINGLE_NS 25e3          /* above: one operation a sample */

#define BLOCKS_MIN 60.0         /* with 30, one launch in 25 is refused by chance as too_few_effective */
#define SINGLES_POOLED 600.0    /* p99 needs 565 independent values */
#define BLOCK_NS 400e3          /* of samples: what a block costs beside, readings of counters and a line of output, is a tenth of it */
#define REPEATS 8.0             /* of the grid in a block */
#define SINGLES 2.0             /* at the least, of single operations */
#define SINGLE_CLOCKS 10.0      /* an operation must last so many clock costs to be seen alone */

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

static double ns_per_tick(const struct kb_clock *clock)
{
	return clock->hz ? 1e9 / (double)clock->hz : 1.0;
}

/* The shortest n that the clock resolves, and no longer than needed. */
static double first_n(const struct kb_clock *clock, double cost_ns)
{
	double step = (double)(clock->quantum > clock->cost ? clock->quantum : clock->cost);

	return fmax(fmax(1, fmin(FEWEST, SINGLE_NS / cost_ns)), fmax(SHORTEST_NS, CLOCK_STEPS * step * ns_per_tick(clock)) / cost_ns);
}

static uint64_t round_up(double n, uint64_t granule)
{
	uint64_t whole = (uint64_t)ceil(clamp(n, 1, 1e12));

	return granule > 1 ? (whole + granule - 1) / granule * granule : whole;
}

/* What n of a sample is a multiple of; single operations need no whole period, and samples that would be too long for probes have
   none. */
static uint64_t unit_of(const struct kb_bench *bench, double cost_ns)
{
	if (bench->granule > 1)
		return bench->granule;
	return bench->period > 1 && (double)bench->period * cost_ns <= PERIOD_NS ? bench->period : 1;
}

uint64_t kb_design_shortest(const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns)
{
	return round_up(first_n(clock, cost_ns), unit_of(bench, cost_ns));
}

static void choose_grid(struct kb_design *design, const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns)
{
	uint64_t unit = unit_of(bench, cost_ns), n = kb_design_shortest(bench, clock, cost_ns);
	uint64_t most = (bench->max_n >> (GRID - 1)) / unit * unit;

	if (bench->max_n && n > most)
		n = most ? most : unit;
	while (design->grid_count < GRID && (!bench->max_n || n << design->grid_count <= bench->max_n)) {
		design->grid[design->grid_count] = n << design->grid_count;
		design->grid_count++;
	}
}

static double grid_ns(const struct kb_design *design, double cost_ns)
{
	double operations = 0;

	for (unsigned i = 0; i < design->grid_count; i++)
		operations += (double)design->grid[i];
	return operations * cost_ns;
}

/* A benchmark that can do but one operation an interval has no slope, whatever was asked. */
static bool is_single(const struct kb_bench *bench, double cost_ns, const char *method)
{
	return bench->max_n == 1 || (method ? !strcmp(method, "single") : cost_ns > SINGLE_NS && bench->granule <= 1);
}

unsigned kb_design_blocks(const struct kb_design *design, double wanted)
{
	return (unsigned)clamp(wanted, design->fewest > 0 ? design->fewest : BLOCKS_MIN, KB_BLOCKS_MAX);
}

bool kb_method_possible(const struct kb_bench *bench, const char *method, char why[160])
{
	bool paired = method && !strcmp(method, KB_PAIRED_METHOD);

	why[0] = '\0';
	if (bench->method == KB_PAIRED && method && !paired)
		snprintf(why, 160, "%s can only be measured with method paired: all its samples have the same number of operations", bench->name);
	else if (bench->method != KB_PAIRED && paired && !bench->base)
		snprintf(why, 160, "%s has no empty loop to pair a sample with", bench->name);
	return !why[0];
}

void kb_design_choose(struct kb_design *design, const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns,
                      unsigned launches, const char *method, uint64_t probe)
{
	double clock_ns = (double)clock->cost * ns_per_tick(clock);

	*design = (struct kb_design){ .method = "slope", .base = bench->base != NULL, .probe = probe };
	cost_ns = fmax(cost_ns, KB_CHEAPEST_NS);
	if (kb_paired_by(bench, cost_ns, method)) {
		kb_paired_design(design, bench, clock, cost_ns);
		design->probe = probe;
		return;
	}
	if (is_single(bench, cost_ns, method)) {
		design->method = "single";
		design->base = false;
		design->grid[0] = 1;
		design->grid_count = 1;
	} else {
		choose_grid(design, bench, clock, cost_ns);
	}
	double once_ns = grid_ns(design, cost_ns);

	design->repeats = design->grid_count > 1 ? 1 : (unsigned)clamp(BLOCK_NS / once_ns, SINGLES, REPEATS);
	/* What a twin is there for is the noise of samples, and its memory takes longer to make than samples of 25 ms. */
	design->blocks = kb_design_blocks(design, (probe && !bench->twin ? KB_PROBED_NS : KB_PROCESS_NS) / (design->repeats * once_ns));
	if (design->grid[0] * design->grid_count > 1 && cost_ns >= SINGLE_CLOCKS * clock_ns && bench->granule <= 1)
		design->singles = (unsigned)ceil(SINGLES_POOLED / (launches ? launches : 1) / design->blocks);
	snprintf(design->header, sizeof design->header, "%s", design->method);
}

void kb_design_lengthen(struct kb_design *design, const struct kb_bench *bench, double least)
{
	uint64_t last = design->grid[design->grid_count - 1];
	double most = (double)(bench->max_n ? bench->max_n : MOST) / (double)last, factor = ceil(least / (double)design->grid[0]);

	design->singles = 0; /* a single operation would be seen with all of the fixed part */
	factor = fmin(factor, floor(most));
	if (!(factor > 1))
		return;
	for (unsigned i = 0; i < design->grid_count; i++)
		design->grid[i] *= (uint64_t)factor;
	design->blocks = kb_design_blocks(design, design->blocks / factor);
}

static void put(struct kb_block *block, enum kb_step_kind kind, uint64_t n)
{
	if (block->count < KB_BLOCK_STEPS_MAX)
		block->steps[block->count++] = (struct kb_step){ kind, n };
}

void kb_design_block(const struct kb_design *design, struct kb_rng *rng, uint64_t index, bool warm, struct kb_block *block)
{
	if (design->tests > 0) {
		kb_kanata_block(design, index, block);
		return;
	}
	if (!strcmp(design->method, KB_PAIRED_METHOD)) {
		kb_paired_block(design, rng, index, warm, block);
		return;
	}
	*block = (struct kb_block){ .warm = warm, .index = index, .probe = design->probe };
	for (unsigned repeat = 0; repeat < design->repeats; repeat++) {
		for (unsigned i = 0; i < design->grid_count; i++) {
			put(block, KB_STEP_OP, design->grid[i]);
			if (design->base)
				put(block, KB_STEP_BASE, design->grid[i]);
		}
	}
	for (unsigned i = 0; i < design->singles; i++)
		put(block, KB_STEP_SINGLE, 1);
	put(block, KB_STEP_PROBE, 0);
	put(block, KB_STEP_CLOCK, 0);
	kb_rng_shuffle(rng, block->steps, block->count, sizeof *block->steps);
}
