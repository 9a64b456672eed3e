/*
 * How long intervals are and how many: long enough that the clock's step and the interval's own cost are a thousandth, short enough
 * that most lie between two timer ticks. The cost may depend on n, so all launches of a row, and both sides of a
 * comparison, take the design of the first.
 */
#include "run/method.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/method_kanata.h"
#include "run/method_paired.h"

/* Intervals: long against the clock, short against a time slice and a timer period (doc/method.md, "Which method when"). */
#define CLOCK_STEPS 1000.0      /* shortest interval, in clock steps or clock costs */
#define FEWEST 30.0             /* operations: below, first-run effects are still inside */
#define SHORTEST_NS 25e3        /* the same for slow operations */
#define FAST_NS 800.0           /* below: the clock rule; above: SHORTEST_NS */
#define SINGLE_NS 25e3          /* above: one operation an interval */

#define BLOCKS_MIN 60.0         /* with 30, one launch in 25 is refused by chance as too_few_effective */
#define BLOCKS_MAX 400.0
#define SINGLES_POOLED 600.0    /* p99 needs 565 independent values */
#define SINGLE_REPEATS 8u
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

	if (cost_ns >= FAST_NS)
		return fmax(1, SHORTEST_NS / cost_ns);
	return fmax(FEWEST, CLOCK_STEPS * step * ns_per_tick(clock) / cost_ns);
}

static uint64_t round_up(double n, uint64_t granule)
{
	uint64_t whole = (uint64_t)ceil(clamp(n, 1, 1e12));

	return granule > 1 ? (whole + granule - 1) / granule * granule : whole;
}

uint64_t kb_design_shortest(const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns)
{
	return round_up(first_n(clock, cost_ns), bench->granule);
}

static void choose_grid(struct kb_design *design, const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns)
{
	uint64_t granule = bench->granule > 1 ? bench->granule : 1, n = kb_design_shortest(bench, clock, cost_ns);
	uint64_t most = (bench->max_n >> (KB_GRID_MAX - 1)) / granule * granule;

	if (bench->max_n && n > most)
		n = most ? most : granule;
	while (design->grid_count < KB_GRID_MAX && (!bench->max_n || n << design->grid_count <= bench->max_n)) {
		design->grid[design->grid_count] = n << design->grid_count;
		design->grid_count++;
	}
	design->repeats = 1;
}

static double block_ns(const struct kb_design *design, double cost_ns)
{
	double operations = 0;

	for (unsigned i = 0; i < design->grid_count; i++)
		operations += (double)design->grid[i];
	return operations * cost_ns * design->repeats;
}

/* A benchmark that can do but one operation an interval has no slope, whatever was asked. */
static bool is_single(const struct kb_bench *bench, double cost_ns, const char *method)
{
	return bench->max_n == 1 || (method ? !strcmp(method, "single") : cost_ns > SINGLE_NS && bench->granule <= 1);
}

unsigned kb_design_blocks(const struct kb_design *design, double wanted)
{
	return (unsigned)clamp(wanted, design->fewest > 0 ? design->fewest : BLOCKS_MIN, BLOCKS_MAX);
}

bool kb_method_possible(const struct kb_bench *bench, const char *method, char why[160])
{
	bool paired = method && !strcmp(method, KB_PAIRED_METHOD);

	why[0] = '\0';
	if (bench->method == KB_PAIRED && method && !paired)
		snprintf(why, 160, "%s can be measured by method paired only: its intervals are all of one length", bench->name);
	else if (bench->method != KB_PAIRED && paired && !bench->base)
		snprintf(why, 160, "%s has no base that an interval could be paired with", bench->name);
	return !why[0];
}

void kb_design_choose(struct kb_design *design, const struct kb_bench *bench, const struct kb_clock *clock, double cost_ns,
                      unsigned launches, const char *method)
{
	double clock_ns = (double)clock->cost * ns_per_tick(clock);

	*design = (struct kb_design){ .method = "slope", .base = bench->base != NULL };
	cost_ns = fmax(cost_ns, 1e-3);
	if (kb_paired_by(bench, cost_ns, method)) {
		kb_paired_design(design, bench, clock, cost_ns);
		return;
	}
	if (is_single(bench, cost_ns, method)) {
		design->method = "single";
		design->base = false;
		design->grid[0] = 1;
		design->grid_count = 1;
		design->repeats = SINGLE_REPEATS;
	} else {
		choose_grid(design, bench, clock, cost_ns);
	}
	design->blocks = kb_design_blocks(design, KB_LAUNCH_NS / block_ns(design, cost_ns));
	if (design->grid[0] * design->grid_count > 1 && cost_ns >= SINGLE_CLOCKS * clock_ns && bench->granule <= 1)
		design->singles = (unsigned)ceil(SINGLES_POOLED / (launches ? launches : 1) / design->blocks);
	snprintf(design->header, sizeof design->header, "%s", design->method);
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
	*block = (struct kb_block){ .warm = warm, .index = index };
	for (unsigned repeat = 0; repeat < design->repeats; repeat++) {
		for (unsigned i = 0; i < design->grid_count; i++) {
			put(block, KB_STEP_OP, design->grid[i]);
			if (design->base)
				put(block, KB_STEP_BASE, design->grid[i]);
		}
	}
	for (unsigned i = 0; i < design->singles; i++)
		put(block, KB_STEP_SINGLE, 1);
	put(block, KB_STEP_SENTINEL, 0);
	put(block, KB_STEP_CLOCK, 0);
	kb_rng_shuffle(rng, block->steps, block->count, sizeof *block->steps);
}
