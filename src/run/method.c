/*
 * How long samples are and how many: long enough that the clock's step and the contention probes around them cost little, short
 * enough that a neighbour on the core seldom comes and goes between two probes (doc/noise.md). The cost may depend on n, so all
 * processes of a result, and both sides of a comparison, take the design of the first.
 */
#include "run/method.h"
#include "base/text.h"
#include "base/plan.h"

#include <math.h>
#include <stdio.h>

#include "result/summary/kanata.h"
#include "run/backend/backend.h"

#define CLOCK_STEPS 100.0       /* of the shortest sample, or clock costs */
#define SHORTEST_NS 10e3        /* of a sample */
#define FEWEST 4.0              /* operations, if the longest sample then ends at 100 us: the first ones find the last sample's end */
#define PERIOD_NS 60e3          /* of the shortest sample that holds a whole period of a benchmark: the longest has four */
#define GRID 3u                 /* n, 2n, 4n: longer samples hide more of the neighbours that came and went */
#define MOST (UINT64_C(1) << 20)        /* of a sample that is made longer than the clock asks for */
#define SINGLE_NS 25e3          /* above: one operation a sample */

#define BLOCKS_MIN 60.0         /* with 30, one process in 25 is refused by chance as too_few_effective */
#define SINGLES_POOLED 600.0    /* p99 needs 565 independent values */
#define BLOCK_NS 400e3          /* of samples: what a block costs in addition, readings of counters and a line of output, is a tenth of it */
#define REPEATS 8.0             /* of the grid in a block */
#define SINGLES 2.0             /* at the least, of single operations */
#define SINGLE_CLOCKS 10.0      /* an operation must last so many clock costs to be seen alone */

#define LONG_NS 1e6             /* of the shortest possible sample: above, a slope would take seconds a process */
#define PAIRS_A_BLOCK 8.0
#define PAIRED_BLOCKS 60.0      /* before a block has more than one pair */
#define PAIRS_FEWEST 31u        /* of a process: a CI for a median takes 15 independent ones */
#define PAIRS_LEAST 16.0        /* if there is no time for those */

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

static double clock_ns(const struct kb_clock *clock, uint64_t ticks)
{
	return (double)ticks * (clock->hz ? 1e9 / (double)clock->hz : 1.0);
}

/* What n of a sample is a multiple of; single operations need no whole period, and samples that would be too long for probes have
   none. */
static uint64_t unit_of(const struct kb_bench *bench, double cost_ns)
{
	if (bench->granule > 1)
		return bench->granule;
	return bench->period > 1 && (double)bench->period * cost_ns <= PERIOD_NS ? bench->period : 1;
}

/* The shortest n that the clock resolves, and no longer than needed. */
static uint64_t shortest(const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns)
{
	double step_ns = clock_ns(clock, clock->quantum > clock->cost ? clock->quantum : clock->cost);
	double n = fmax(fmax(1, fmin(FEWEST, SINGLE_NS / cost_ns)), fmax(SHORTEST_NS, CLOCK_STEPS * step_ns) / cost_ns);
	uint64_t whole = (uint64_t)ceil(clamp(n, 1, 1e12)), unit = unit_of(bench, cost_ns);

	return (whole + unit - 1) / unit * unit;
}

unsigned kb_design_blocks(const struct kb_design *design, double wanted)
{
	return (unsigned)clamp(wanted, design->fewest > 0 ? design->fewest : BLOCKS_MIN, KB_BLOCKS_MAX);
}

/* ---- which method -------------------------------------------------------------------------------- */

/* A benchmark that can do but one operation a sample has no slope, whatever was asked. */
static enum kb_method choose_method(const struct kb_bench *bench, double cost_ns, enum kb_method asked)
{
	bool long_granule = bench->granule > 1 && bench->max_n != 1 && (double)bench->granule * cost_ns > LONG_NS;

	if (bench->method == KB_PAIRED || asked == KB_METHOD_PAIRED || (!asked && long_granule))
		return KB_METHOD_PAIRED;
	if (bench->max_n == 1 || asked == KB_METHOD_SINGLE || (!asked && cost_ns > SINGLE_NS && bench->granule <= 1))
		return KB_METHOD_SINGLE;
	return KB_METHOD_SLOPE;
}

/* Of a group of kanata, skipped ones included. */
static unsigned most_tests(const struct kb_bench *bench, const struct kb_kanata_options *options)
{
	unsigned tests = kb_backend_of_bench(bench)->tests, room = tests / options->groups;

	return tests && room < KB_GROUP_TESTS_MAX ? room : KB_GROUP_TESTS_MAX;
}

static void say_kanata(const struct kb_bench *bench, const struct kb_kanata_options *options, char why[160])
{
	uint64_t steps = options->groups - 1, largest;

	if (__builtin_mul_overflow(steps, options->delta, &largest) || __builtin_add_overflow(largest, options->initial, &largest))
		largest = UINT64_MAX;
	if (bench->max_n && largest > bench->max_n)
		snprintf(why, 160, "%s can do at most %llu operations in a sample, not %llu", bench->name, (unsigned long long)bench->max_n,
		         (unsigned long long)largest);
	else if (bench->granule > 1 && (options->initial % bench->granule || options->delta % bench->granule))
		snprintf(why, 160, "%s does multiples of %llu operations: --initial and --delta must be such", bench->name,
		         (unsigned long long)bench->granule);
	else if (options->group_size + options->skip > most_tests(bench, options))
		snprintf(why, 160, "%s has room for %u tests in a process: --group-size and --skip, times --groups", bench->name,
		         kb_backend_of_bench(bench)->tests);
}

bool kb_method_possible(const struct kb_bench *bench, enum kb_method method, const struct kb_kanata_options *kanata, char why[160])
{
	why[0] = '\0';
	if (bench->method == KB_PAIRED && method != KB_METHOD_NONE && method != KB_METHOD_PAIRED)
		snprintf(why, 160, "%s can only be measured with method paired: all its samples have the same number of operations", bench->name);
	else if (bench->method != KB_PAIRED && method == KB_METHOD_PAIRED && !bench->base)
		snprintf(why, 160, "%s has no empty loop to pair a sample with", bench->name);
	else if (method == KB_METHOD_KANATA)
		say_kanata(bench, kanata, why);
	return !why[0];
}

/* ---- designs ------------------------------------------------------------------------------------- */

static void design_grid(struct kb_design *design, const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns, unsigned processes)
{
	uint64_t unit = unit_of(bench, cost_ns), n = shortest(bench, clock, cost_ns), most = (bench->max_n >> (GRID - 1)) / unit * unit;
	double once_ns = 0;

	if (bench->max_n && n > most)
		n = most ? most : unit;
	if (design->method == KB_METHOD_SINGLE)
		n = 1;
	do {
		design->grid[design->grid_count] = n << design->grid_count;
		once_ns += (double)design->grid[design->grid_count++] * cost_ns;
	} while (design->method == KB_METHOD_SLOPE && design->grid_count < GRID && (!bench->max_n || n << design->grid_count <= bench->max_n));
	design->base = bench->base && design->method == KB_METHOD_SLOPE;
	design->repeats = design->grid_count > 1 ? 1 : (unsigned)clamp(BLOCK_NS / once_ns, SINGLES, REPEATS);
	/* What a twin is there for is the noise of samples, and its memory takes longer to make than samples of 25 ms. */
	design->blocks = kb_design_blocks(design, (design->probe && !bench->twin ? KB_PROBED_NS : KB_PROCESS_NS) / (design->repeats * once_ns));
	if (n * design->grid_count > 1 && cost_ns >= SINGLE_CLOCKS * clock_ns(clock, clock->cost) && bench->granule <= 1)
		design->singles = (unsigned)ceil(SINGLES_POOLED / (processes ? processes : 1) / design->blocks);
}

/* n is given, or the shortest, so all there is to choose is how many pairs. */
static void design_pairs(struct kb_design *design, const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns)
{
	uint64_t granule = bench->granule > 1 ? bench->granule : 1, n = bench->method == KB_PAIRED ? granule : shortest(bench, clock, cost_ns);

	design->grid[0] = bench->method != KB_PAIRED && bench->max_n && n > bench->max_n ? bench->max_n / granule * granule : n;
	design->grid_count = 1;
	design->base = bench->base != NULL;
	kb_paired_length(design, 2 * (double)design->grid[0] * cost_ns, INFINITY);
}

void kb_paired_length(struct kb_design *design, double pair_ns, double most_ns)
{
	double pairs = fmin(fmax(KB_PROCESS_NS / pair_ns, PAIRS_FEWEST), fmax(most_ns / pair_ns, PAIRS_LEAST));

	design->repeats = (unsigned)fmin(fmax(pairs / PAIRED_BLOCKS, 1), PAIRS_A_BLOCK);
	design->fewest = (unsigned)ceil(fmin(pairs, PAIRS_FEWEST) / design->repeats);
	design->blocks = kb_design_blocks(design, pairs / design->repeats);
}

void kb_design_choose(struct kb_design *design, const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns,
                      unsigned processes, enum kb_method method, uint64_t probe)
{
	cost_ns = fmax(cost_ns, KB_CHEAPEST_NS);
	*design = (struct kb_design){ .method = choose_method(bench, cost_ns, method), .probe = probe };
	if (design->method == KB_METHOD_PAIRED)
		design_pairs(design, bench, clock, cost_ns);
	else
		design_grid(design, bench, clock, cost_ns, processes);
	snprintf(design->header, sizeof design->header, "%s", kb_methods[design->method].name);
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

void kb_kanata_design(struct kb_design *design, const struct kb_bench *bench, const struct kb_kanata_options *options)
{
	*design = (struct kb_design){
		.method = KB_METHOD_KANATA, .grid = { options->initial }, .grid_count = 1, .repeats = 1, .delta = options->delta,
		.blocks = options->groups + 2, .tests = options->group_size, .skip = options->skip,
		.tests_max = most_tests(bench, options) - options->skip,
	};
	snprintf(design->header, sizeof design->header, "kanata confidence=%.6g", options->confidence);
}

bool kb_kanata_met(const struct kb_kanata_options *options, const struct kb_process_text *text, struct kb_design *design)
{
	struct kb_samples samples;
	double next = 0;
	bool met = false;

	if (kb_samples_load(&samples, text) == 0 && samples.state == KB_RECORD_WHOLE && !text->outcome[0]) {
		struct kb_kanata_process all = kb_kanata_process(&samples, options->confidence, options->half_width);

		met = all.known && all.half_percent <= 100 * options->half_width;
		next = all.next_size;
	}
	kb_samples_free(&samples);
	if (!met && next > design->tests)
		design->tests = (unsigned)fmin(ceil(next), design->tests_max);
	return met;
}

/* ---- blocks -------------------------------------------------------------------------------------- */

static void put(struct kb_block *block, enum kb_step_kind kind, uint64_t n)
{
	if (block->count < KB_BLOCK_STEPS_MAX)
		block->steps[block->count++] = (struct kb_step){ kind, n };
}

static void put_grid(const struct kb_design *design, struct kb_rng *rng, struct kb_block *block)
{
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

/* Each pair's order is drawn anew, or what the first sample leaves behind in the caches would be a bias of every difference. */
static void put_pair(const struct kb_design *design, struct kb_rng *rng, struct kb_block *block)
{
	struct kb_step op = { KB_STEP_OP, design->grid[0] };
	struct kb_step other = design->base ? (struct kb_step){ KB_STEP_BASE, design->grid[0] } : (struct kb_step){ KB_STEP_CLOCK, 0 };
	bool first = kb_rng_below(rng, 2);

	block->steps[block->count++] = first ? op : other;
	block->steps[block->count++] = first ? other : op;
}

/* Without a base every empty clock pair of the block is half of a pair, so there is none on its own. */
static void put_pairs(const struct kb_design *design, struct kb_rng *rng, struct kb_block *block)
{
	unsigned order[(unsigned)PAIRS_A_BLOCK + 2], units = design->repeats + 1 + design->base;

	for (unsigned i = 0; i < units; i++)
		order[i] = i;
	kb_rng_shuffle(rng, order, units, sizeof *order);
	for (unsigned i = 0; i < units; i++) {
		if (order[i] < design->repeats)
			put_pair(design, rng, block);
		else
			put(block, order[i] == design->repeats ? KB_STEP_PROBE : KB_STEP_CLOCK, 0);
	}
}

static void put_group(const struct kb_design *design, struct kb_rng *rng, struct kb_block *block)
{
	(void)rng;
	if (block->index == 0 || block->index + 1 >= design->blocks) {
		put(block, KB_STEP_PROBE, 0);
		return;
	}
	block->tests = design->tests;
	block->skip = design->skip;
	put(block, KB_STEP_OP, design->grid[0] + (block->index - 1) * design->delta);
}

void kb_design_block(const struct kb_design *design, struct kb_rng *rng, uint64_t index, bool warm, struct kb_block *block)
{
	static void (*const fill[KB_METHODS])(const struct kb_design *, struct kb_rng *, struct kb_block *) = {
		[KB_METHOD_SLOPE] = put_grid, [KB_METHOD_SINGLE] = put_grid, [KB_METHOD_PAIRED] = put_pairs, [KB_METHOD_KANATA] = put_group,
	};

	*block = (struct kb_block){ .warm = warm, .index = index, .probe = design->probe };
	fill[design->method](design, rng, block);
}

/* ---- a whole plan ------------------------------------------------------------------------------------------- */

#define WARM_BLOCKS 2

void kb_design_write(const struct kb_design *design, uint64_t seed, FILE *out)
{
	char buffer[KB_PLAN_LINE_MAX];
	struct kb_block block;
	struct kb_rng rng;

	kb_rng_seed(&rng, seed);
	for (unsigned i = 0; i < design->blocks + WARM_BLOCKS; i++) {
		struct kb_text line = kb_text_in(buffer, sizeof buffer);

		kb_design_block(design, &rng, i, i < WARM_BLOCKS, &block);
		kb_plan_format(&line, &block);
		fputs(buffer, out);
	}
}
