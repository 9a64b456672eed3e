/* What one operation costs, roughly: enough to choose n. Too low a cost would make samples too long, never too short. */
#define _GNU_SOURCE
#include "run/engine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/record.h"
#include "io.h"
#include "result/sent.h"
#include "run/backend/backend.h"

#define PROBE_NS 20e3           /* a sample this long tells the cost well enough to choose n */
#define PROBE_STEPS 60
#define PROBE_MOST (UINT64_C(1) << 20)  /* so many operations take longer than that, or they take no time at all */
#define NOTHING_NS 100.0        /* what is taken for the cost of nothing: hooks may do what the operation does not */
#define PROBE_TRIES 12          /* on a busy CPU most samples are hit: the shortest of so many is not */
#define PROBE_PATIENCE_NS 1e6   /* above: the operation itself is slow, three tries must do */
#define ALONE_SHARE 0.125       /* of what an operation takes among many: one alone that takes less was not done */
#define GROWTH 8                /* times n: a sample that does not grow with it is not made of its operations */
#define FIXED_SHARE 0.25        /* of a sample: what is fixed and less than that is left to the slope */
#define FIXED_TRIES 6
#define FIXED_LONGEST_NS 25e6   /* of a sample that is tried for it */
#define FIXED_STEPS 10          /* more than lie between one operation and PROBE_MOST */
#define SLOPE_NS 300e3          /* of the operations in the shortest sample, however long its fixed part is */
#define CLEAN_FEWEST 3u         /* uncontended samples that tell the cost */
#define WAKE_NS 1e6             /* of what a block took, seen from here, for waking and talking */
#define SHARE_OF_BUDGET 4       /* a process of pairs takes no more than this part of the time that is left */

/* Ticks of the last `count` samples of op in the record so far, in run order. False: it is garbled already, or has fewer. */
static bool last_ticks(const struct kb_engine *engine, double *ticks, unsigned count)
{
	struct kb_span record = engine->transport->record(engine->transport->context);
	struct kb_record_reader reader;
	struct kb_line line;
	unsigned seen = 0;

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind != KB_LINE_OBS || line.obs.role != KB_ROLE_OP)
			continue;
		memmove(ticks, ticks + 1, (count - 1) * sizeof *ticks);
		ticks[count - 1] = (double)line.obs.ticks;
		seen++;
	}
	return reader.state == KB_RECORD_OPEN && seen >= count;
}

/* The descriptor as set-up left it: lines follow set-up only for what it changed. */
static void take_changes(const struct kb_engine *engine, struct kb_bench *bench, bool *twin)
{
	struct kb_span record = engine->transport->record(engine->transport->context);
	struct kb_record_reader reader;
	struct kb_line line;
	char text[80];

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind != KB_LINE_HEADER || !kb_span_is(line.word, "env"))
			continue;
		kb_record_field_u64(line.rest, "granule", &bench->granule);
		kb_record_field_u64(line.rest, "max_n", &bench->max_n);
		*twin |= kb_record_field(line.rest, "twin", text, sizeof text) >= 0;
	}
}

static uint64_t grow_n(const struct kb_bench *bench, uint64_t n, double ns)
{
	uint64_t most = bench->max_n ? bench->max_n : PROBE_MOST, factor = ns < PROBE_NS / 16 ? 8 : 2;

	if (bench->method == KB_PAIRED) /* has but one n */
		return n;
	return n < most / factor ? n * factor : bench->max_n ? most : n;
}

/* One process that looks for n. */
struct pilot {
	const struct kb_engine *engine;
	const struct kb_bench *bench;
	double clock_cost, ns_per_tick;
	uint64_t probe;                 /* loops of the contention probe; 0: none */
	uint64_t blocks;                /* sent */
};

/* The last `count` samples of a block, ns without the reading of the clock. False: the process ended. */
static bool measure_block(struct pilot *pilot, const struct kb_block *steps, double *ns, unsigned count)
{
	const struct kb_transport *transport = pilot->engine->transport;
	struct kb_block block = *steps;

	block.index = pilot->blocks;
	block.probe = pilot->probe;
	block.warm = pilot->probe == 0; /* else they are looked at again */
	if (pilot->probe > 0)
		block.steps[block.count++] = (struct kb_step){ KB_STEP_PROBE, 0 };
	if (kb_engine_send(pilot->engine, &block) || !transport->await(transport->context, ++pilot->blocks) ||
	    !last_ticks(pilot->engine, ns, count))
		return false;
	for (unsigned i = 0; i < count; i++)
		ns[i] = fmax(ns[i] - pilot->clock_cost, 1) * pilot->ns_per_tick;
	return true;
}

/* One sample of op; of a paired benchmark with its base behind it, for that takes time, too. */
static bool measure_once(struct pilot *pilot, uint64_t n, double *ns)
{
	struct kb_block block = { .count = 1, .steps = { { KB_STEP_OP, n } } };

	if (pilot->bench->method == KB_PAIRED && pilot->bench->base)
		block.steps[block.count++] = (struct kb_step){ KB_STEP_BASE, n };
	return measure_block(pilot, &block, ns, 1);
}

/* Growing samples until one is long enough; then the cost is the shortest of some, without the reading of the clock. False: the
   process ended. */
static bool find_cost(struct pilot *pilot, uint64_t *n, struct kb_probed *probed)
{
	double alone = INFINITY, best = INFINITY, pair = INFINITY, ns;
	unsigned settled = 0;

	for (unsigned step = 0; step < PROBE_STEPS && settled < PROBE_TRIES; step++) {
		uint64_t started_ns = kb_wall_ns();

		if (!measure_once(pilot, *n, &ns))
			return false;
		uint64_t next = grow_n(pilot->bench, *n, ns);

		alone = *n == 1 ? fmin(alone, ns) : alone;
		best = fmin(best, ns);
		pair = fmin(pair, (double)(kb_wall_ns() - started_ns));
		/* What `before` does is not in the ticks, but it is in the budget. */
		settled += best > PROBE_PATIENCE_NS || (pilot->bench->method == KB_PAIRED && pair > PROBE_PATIENCE_NS) ? PROBE_TRIES / 3 : 1;
		if (ns < PROBE_NS && next != *n) { /* one short sample: the longer ones at this n were disturbed */
			*n = next;
			settled = 0;
			best = INFINITY;
		}
	}
	probed->cost_ns = (isfinite(best) ? best : PROBE_NS) / (double)*n;
	/* So many take no time: nothing is done, and fewer show it as well. */
	if (pilot->bench->method != KB_PAIRED && !pilot->bench->max_n && best < PROBE_NS && grow_n(pilot->bench, *n, best) == *n)
		probed->cost_ns = NOTHING_NS;
	probed->idle_alone = alone < ALONE_SHARE * probed->cost_ns;
	probed->pair_ns = pair;
	return true;
}

/* ---- what a sample takes in addition to its operations-------------------------------------------------- */

/* The n to hold a sample of `n` against. 0: it would take too long, or be too many. */
static uint64_t many_of(const struct kb_bench *bench, uint64_t n, double ns)
{
	uint64_t most = bench->max_n && bench->max_n < PROBE_MOST ? bench->max_n : PROBE_MOST, factor = GROWTH;

	while (factor > 1 && (n > most / factor || (double)factor * ns > FIXED_LONGEST_NS))
		factor /= 2;
	return factor > 1 ? n * factor : 0;
}

/* Side by side in one block, and behind another that warms up what both find. */
static bool measure_both(struct pilot *pilot, uint64_t n, uint64_t many, const struct kb_probed *probed, double best[2])
{
	struct kb_block block = { .count = 3, .steps = { { KB_STEP_OP, n }, { KB_STEP_OP, n }, { KB_STEP_OP, many } } };
	double slowest = fmax(probed->cost_ns * (double)many, probed->pair_ns), ns[2];
	unsigned tries = slowest > FIXED_LONGEST_NS ? 1 : slowest > PROBE_PATIENCE_NS ? FIXED_TRIES / 2 : FIXED_TRIES;

	best[0] = best[1] = INFINITY;
	for (unsigned i = 0; i < tries; i++) {
		if (!measure_block(pilot, &block, ns, 2))
			return false;
		best[0] = fmin(best[0], ns[0]);
		best[1] = fmin(best[1], ns[1]);
	}
	return true;
}

/*
 * A sample is long enough, but of what? Many operations that take hardly longer than few show a part that is the same for any number:
 * taken for the operation it would be the whole result of method single. n grows until most of a sample grows with it; the cost is
 * what one more operation adds.
 */
static bool find_fixed(struct pilot *pilot, uint64_t n, struct kb_probed *probed)
{
	double ns[2] = { probed->cost_ns * (double)n };

	for (unsigned step = 0; step < FIXED_STEPS; step++) {
		uint64_t many = many_of(pilot->bench, n, ns[0]);

		if (many == 0)
			return true;
		if (!measure_both(pilot, n, many, probed, ns))
			return false;
		double cost = fmax((ns[1] - ns[0]) / (double)(many - n), 0), fixed = ns[0] - (double)n * cost;

		if (step > 0 || fixed > FIXED_SHARE * ns[0])
			probed->cost_ns = fmax(cost, KB_CHEAPEST_NS);
		if (fixed <= FIXED_SHARE * ns[0])
			return true;
		probed->fixed_ns = fmax(probed->fixed_ns, fixed);
		n = many;
		ns[0] = ns[1];
	}
	return true;
}

/*
 * Core cycles of one operation in the least of those samples of n that ran on an uncontended core: what the processes are held against.
 * Nobody knows what else was on the core: nothing is said. Where caches bound the operation it may find them filled later.
 */
static double clean_cycles(const struct pilot *pilot, uint64_t n)
{
	const struct kb_engine *engine = pilot->engine;
	struct kb_span record = engine->transport->record(engine->transport->context);
	struct kb_process_text text = { 1, "", record.at, record.length };
	struct kb_samples samples;
	double least = INFINITY;
	unsigned clean = 0;

	if (!engine->floor || !(engine->floor->k > 0) || kb_samples_load(&samples, &text))
		return 0;
	samples.probe = pilot->probe; /* which the header of a pilot does not say */
	kb_contention_flag(&samples, engine->floor);
	for (size_t i = 0; i < samples.op.count && samples.bound != KB_MEMORY && !samples.elsewhere; i++) {
		double add = kb_contention_add(&samples, samples.op.block[i]);

		if (samples.op.flags[i] || (uint64_t)samples.op.n[i] != n || !(add > 0))
			continue;
		clean++;
		least = fmin(least, (samples.op.ticks[i] - pilot->clock_cost) / samples.op.n[i] / add);
	}
	kb_samples_free(&samples);
	return clean >= CLEAN_FEWEST ? least : 0;
}

/* Contention that was asked for is no disturbance, and an emulator's time is none that a neighbour could lengthen. */
static bool is_probed(const struct kb_row *row)
{
	return row->copies == 0 && !row->interference && !kb_is_emulated(row);
}

void kb_probe(const struct kb_engine *engine, const struct kb_row *row, struct kb_probed *probed)
{
	struct kb_bench bench = *row->settings.bench;
	const struct kb_clock *clock = kb_backend_clock(row, engine->clock);
	struct pilot pilot = {
		.engine = engine, .bench = &bench, .clock_cost = (double)clock->cost, .ns_per_tick = clock->hz ? 1e9 / (double)clock->hz : 1,
		.probe = is_probed(row) && kb_backend_of(row)->native ? engine->probe : 0,
	};

	*probed = (struct kb_probed){ .cost_ns = 0 };
	if (!engine->transport->await(engine->transport->context, 0))
		return;
	take_changes(engine, &bench, &probed->twin);
	probed->max_n = bench.max_n;
	uint64_t n = probed->granule = bench.granule > 1 ? bench.granule : 1;
	bool whole = find_cost(&pilot, &n, probed);

	if (whole && pilot.probe > 0)
		probed->cycles = clean_cycles(&pilot, n);
	if (whole && bench.method != KB_PAIRED && probed->granule == 1)
		whole = find_fixed(&pilot, n, probed);
	if (probed->fixed_ns > 0) /* they had more in them than operations */
		probed->cycles = 0;
	if (!whole)
		probed->cost_ns = 0;
}

/* ---- design -------------------------------------------------------------------------------------- */

/* What a pair takes is not what its samples take: `before` may be far longer. A process leaves time for others, and ends
   before its limit. */
static void fit_pairs(const struct kb_engine *engine, const struct kb_probed *probed, struct kb_design *design)
{
	double samples = 2 * (double)design->grid[0] * probed->cost_ns;
	uint64_t now = kb_wall_ns(), left = engine->deadline_ns > now ? engine->deadline_ns - now : 0;
	double most = fmin((double)left / SHARE_OF_BUDGET, (double)engine->options->timeout_ns / 2);

	kb_paired_length(design, fmax(samples, probed->pair_ns - WAKE_NS), most);
}

/* What the pilot found is recorded with the samples, which are compared with it. */
static void write_header(struct kb_design *design, double pilot)
{
	int used = snprintf(design->header, sizeof design->header, "%s", kb_methods[design->method].name);

	if (design->probe > 0)
		used += snprintf(design->header + used, sizeof design->header - (size_t)used, " probe=%llu", (unsigned long long)design->probe);
	if (pilot > 0)
		snprintf(design->header + used, sizeof design->header - (size_t)used, " pilot=%.4g", pilot);
}

static int choose(const struct kb_engine *engine, struct kb_row *row, const struct kb_probed *probed, char error[256])
{
	const struct kb_run_options *options = engine->options;
	struct kb_design *design = &row->state->design;
	struct kb_bench bench = *row->settings.bench;

	if (options->method == KB_METHOD_SINGLE && probed->granule > 1 && bench.granule <= 1) {
		snprintf(error, 256, "%.120s does %llu operations in one go, which --method single cannot take apart", row->key,
		         (unsigned long long)probed->granule);
		return -EINVAL;
	}
	bench.granule = probed->granule;
	bench.max_n = probed->max_n;
	bench.twin = probed->twin ? bench.twin : NULL;
	/* One operation a sample would have that part of the sample for its cost, or would be none. */
	bool needs_slope = probed->fixed_ns > 0 || probed->idle_alone;
	enum kb_method method = needs_slope && !options->method ? KB_METHOD_SLOPE : options->method;

	kb_design_choose(design, &bench, kb_backend_clock(row, engine->clock), probed->cost_ns, options->processes, method,
	                 is_probed(row) ? engine->probe : 0);
	if (design->method == KB_METHOD_PAIRED)
		fit_pairs(engine, probed, design);
	else if (probed->fixed_ns > 0 && design->method != KB_METHOD_SINGLE)
		kb_design_lengthen(design, &bench, fmin(probed->fixed_ns, SLOPE_NS) / probed->cost_ns);
	write_header(design, probed->cycles);
	if (options->blocks)
		design->blocks = kb_design_blocks(design, options->blocks);
	return 0;
}

/* The pilot ended first. A good record says that its plan was over, which it was not. */
static int keep_pilot(const struct kb_engine *engine, struct kb_row *row, uint64_t started_ns)
{
	bool ended = kb_sent_ended(engine->transport->record(engine->transport->context));

	row->state->processes = 1;
	if (!ended)
		return kb_engine_finish(engine, row, started_ns);
	struct kb_process_text text = engine->transport->close(engine->transport->context);

	if (!text.outcome[0])
		text.outcome = KB_SENT_SHORT ": it ended before its plan";
	return kb_engine_keep(engine, row, &text);
}

/* A process of its own that only finds n, because the record's header names the method that follows from it. It is not
   kept, unless it fails: then it is the result's first process and says why. */
int kb_engine_design(const struct kb_engine *engine, struct kb_row *row, uint64_t seed, char error[256])
{
	struct kb_row_state *state = row->state;
	const struct kb_backend *backend = kb_backend_of(row);
	uint64_t started_ns = kb_wall_ns();
	struct kb_probed probed;

	state->designed = engine->options->method == KB_METHOD_KANATA || backend->design;
	if (engine->options->method == KB_METHOD_KANATA)
		kb_kanata_design(&state->design, row->settings.bench, &engine->options->kanata);
	else if (backend->design)
		backend->design(row->settings.bench, &state->design, engine->options->method);
	if (state->designed)
		return 0;

	int result = kb_engine_open(engine, row, "probe", 1, 0, seed, error);

	if (result)
		return result;
	kb_probe(engine, row, &probed);
	if (!(probed.cost_ns > 0))
		return keep_pilot(engine, row, started_ns);
	struct kb_process_text text = engine->transport->close(engine->transport->context);

	if (text.outcome[0] && !kb_run_stop_signal()) { /* it did its blocks and ended badly */
		state->processes = 1;
		return kb_engine_keep(engine, row, &text);
	}
	result = choose(engine, row, &probed, error);
	state->designed = !result;
	return result;
}
