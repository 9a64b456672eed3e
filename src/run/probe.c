/* What one operation costs, roughly: enough to choose n. Too low a cost would make intervals too long, never too short. */
#define _GNU_SOURCE
#include "run/engine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/record.h"
#include "io.h"
#include "run/foreign.h"
#include "run/method_paired.h"

#define PROBE_NS 20e3           /* an interval this long tells the cost well enough to choose n */
#define PROBE_STEPS 60
#define PROBE_MOST (UINT64_C(1) << 40)  /* more operations that take no time would take none, either */
#define PROBE_TRIES 12          /* on a busy CPU most intervals are hit: the shortest of so many is not */
#define PROBE_PATIENCE_NS 1e6   /* above: the operation itself is slow, three tries must do */
#define WAKE_NS 1e6             /* of what a block took, seen from here, for waking and talking */
#define SHARE_OF_BUDGET 4       /* a launch of pairs takes no more than this part of the time that is left */

/* Ticks of the last `o` line of the record so far; 0 if there is none, negative if the record is garbled already. */
static double last_ticks(const struct kb_engine *engine)
{
	struct kb_span record = engine->transport->record(engine->transport->context);
	struct kb_record_reader reader;
	struct kb_line line;
	double ticks = 0;

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_OBS && line.obs.role == KB_ROLE_OP)
			ticks = (double)line.obs.ticks;
	}
	return reader.state == KB_RECORD_OPEN ? ticks : -1;
}

/* As set-up left it: the line follows set-up only if it changed something. */
static uint64_t granule_of(const struct kb_engine *engine, const struct kb_bench *bench)
{
	struct kb_span record = engine->transport->record(engine->transport->context);
	uint64_t granule = bench->granule;
	struct kb_record_reader reader;
	struct kb_line line;

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "env"))
			kb_record_field_u64(line.rest, "granule", &granule);
	}
	return granule > 1 ? granule : 1;
}

static uint64_t grow_n(const struct kb_bench *bench, uint64_t n, double ns)
{
	uint64_t most = bench->max_n ? bench->max_n : PROBE_MOST, factor = ns < PROBE_NS / 16 ? 8 : 2;

	if (bench->method == KB_PAIRED) /* has but one n */
		return n;
	return n < most / factor ? n * factor : bench->max_n ? most : n;
}

/* Ticks of one interval of op; of a paired benchmark with its base behind it, for that takes time, too. */
static double probe_once(const struct kb_engine *engine, const struct kb_bench *bench, uint64_t n, uint64_t *blocks)
{
	struct kb_block block = { .warm = true, .index = *blocks, .count = 1, .steps = { { KB_STEP_OP, n } } };

	if (bench->method == KB_PAIRED && bench->base)
		block.steps[block.count++] = (struct kb_step){ KB_STEP_BASE, n };
	if (kb_engine_send(engine, &block) || !engine->transport->await(engine->transport->context, ++*blocks))
		return -1;
	return last_ticks(engine);
}

/* What `before` does is not in the ticks, but it is in the budget. */
static bool is_slow(const struct kb_bench *bench, double pair_ns)
{
	return bench->method == KB_PAIRED && pair_ns > PROBE_PATIENCE_NS;
}

/* Growing warm-up blocks until one interval is long enough; then the cost is the shortest of some, clock taken off. */
void kb_probe(const struct kb_engine *engine, const struct kb_row *row, struct kb_probed *probed)
{
	const struct kb_bench *bench = row->settings.bench;
	const struct kb_clock *clock = kb_foreign_clock(row, engine->clock);
	double per_tick = clock->hz ? 1e9 / (double)clock->hz : 1, best = INFINITY, pair = INFINITY;
	uint64_t n, blocks = 0;
	unsigned settled = 0;

	*probed = (struct kb_probed){ .cost_ns = 0 };
	if (!engine->transport->await(engine->transport->context, 0))
		return;
	n = probed->granule = granule_of(engine, bench);
	for (unsigned step = 0; step < PROBE_STEPS && settled < PROBE_TRIES; step++) {
		uint64_t started_ns = kb_wall_ns();
		double seen = probe_once(engine, bench, n, &blocks), ns = fmax(seen - (double)clock->cost, 1) * per_tick;

		if (seen < 0)
			return;
		uint64_t next = grow_n(bench, n, ns);

		best = fmin(best, ns);
		pair = fmin(pair, (double)(kb_wall_ns() - started_ns));
		settled += best > PROBE_PATIENCE_NS || is_slow(bench, pair) ? PROBE_TRIES / 3 : 1;
		if (ns < PROBE_NS && next != n) { /* one short interval: the longer ones at this n were disturbed */
			n = next;
			settled = 0;
			best = INFINITY;
		}
	}
	probed->cost_ns = (isfinite(best) ? best : PROBE_NS) / (double)n;
	probed->pair_ns = pair;
}

/* ---- design -------------------------------------------------------------------------------------- */

/* What a pair takes is not what its intervals take: `before` may be far longer. A launch leaves time for others, and ends
   before its limit. */
static void fit_pairs(const struct kb_engine *engine, const struct kb_probed *probed, struct kb_design *design)
{
	double intervals = 2 * (double)design->grid[0] * probed->cost_ns;
	uint64_t now = kb_wall_ns(), left = engine->deadline_ns > now ? engine->deadline_ns - now : 0;
	double most = fmin((double)left / SHARE_OF_BUDGET, (double)engine->options->timeout_ns / 2);

	kb_paired_length(design, fmax(intervals, probed->pair_ns - WAKE_NS), most);
}

/* Contention that was asked for is no disturbance, and an emulator's time is none that a neighbour could lengthen. */
static bool is_probed(const struct kb_row *row)
{
	return row->copies == 0 && !row->interference && !kb_foreign_is_emulated(row);
}

static int choose(const struct kb_engine *engine, struct kb_row *row, const struct kb_probed *probed, char error[256])
{
	const struct kb_run_options *options = engine->options;
	struct kb_design *design = &row->state->design;
	struct kb_bench bench = *row->settings.bench;

	if (options->method && !strcmp(options->method, "single") && probed->granule > 1 && bench.granule <= 1) {
		snprintf(error, 256, "%.120s does %llu operations in one go, which --method single cannot take apart", row->key,
		         (unsigned long long)probed->granule);
		return -EINVAL;
	}
	bench.granule = probed->granule;
	kb_design_choose(design, &bench, kb_foreign_clock(row, engine->clock), probed->cost_ns, options->launches, options->method,
	                 is_probed(row) ? engine->probe : 0);
	if (!strcmp(design->method, KB_PAIRED_METHOD))
		fit_pairs(engine, probed, design);
	if (design->probe > 0)
		snprintf(design->header, sizeof design->header, "%s probe=%llu", design->method, (unsigned long long)design->probe);
	if (options->blocks)
		design->blocks = kb_design_blocks(design, options->blocks);
	return 0;
}

/* A launch of its own that only finds n, because the record's header names the method that follows from it. It is not
   kept, unless it fails: then it is the row's first launch and says why. */
int kb_engine_design(const struct kb_engine *engine, struct kb_row *row, uint64_t seed, char error[256])
{
	struct kb_row_state *state = row->state;
	uint64_t started_ns = kb_wall_ns();
	struct kb_probed probed;
	int result = kb_engine_open(engine, row, "probe", 1, 0, seed, error);

	if (result)
		return result;
	kb_probe(engine, row, &probed);
	if (!(probed.cost_ns > 0)) {
		state->launches = 1;
		return kb_engine_finish(engine, row, started_ns);
	}
	struct kb_launch_text text = engine->transport->close(engine->transport->context);

	if (text.outcome[0] && !kb_run_stopping()) { /* it did its blocks and ended badly */
		state->launches = 1;
		return kb_engine_keep(engine, row, &text);
	}
	result = choose(engine, row, &probed, error);
	state->designed = !result;
	return result;
}
