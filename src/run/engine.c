/*
 * A run: the rounds, in the first of which a proof precedes each result's process, then the result to which a process is worth most until
 * all are precise or the budget is over. It knows no statistics: kb_summarise says after each process what the result came to, and its width
 * is all it asks.
 */
#define _GNU_SOURCE
#include "run/schedule.h"

#include <math.h>

#include "io.h"
#include "result/summary/summary.h"
#include "run/backend/backend.h"
#include "stats/comparison/compare.h"

#define MOST_PROCESSES 120       /* or as many as asked for: a result that does not converge must not eat the budget of all others */
#define PROVE_OPERATIONS 64     /* and up to twice as many */
#define WORST_WIDTH 0.05        /* half-width over value; above, all are equally bad */

/* ---- blocks or processes? --------------------------------------------------------------------- */

/* Once the planned processes have shown how much either adds to the spread, further ones are made as long as pays: the start of a process
   costs time too, and where processes differ, long ones only repeat their own luck. From now on the result's processes have as many blocks as
   make the narrowest CI of budget_ns more. */
static void plan_row(struct kb_row *row, double budget_ns)
{
	struct kb_row_state *state = row->state;
	const struct kb_result_levels *levels = &row->result.levels;
	double inside = state->design.blocks * levels->block_ns;
	/* Values of the split in one block: `single` counts each operation, `paired` each pair. */
	double values = kb_methods[state->design.method].one_by_one ? state->design.repeats : 1;
	double start = fmax((double)state->process_ns - inside, 0);
	size_t plan[KB_LEVELS_MAX];

	if (!levels->known || levels->block_ns <= 0 || budget_ns <= 0)
		return;
	kb_levels_plan(&levels->split, (const double[]){ levels->block_ns / values, start }, budget_ns, plan);
	state->design.blocks = kb_design_blocks(&state->design, (double)plan[0] / values);
	state->process_ns = (uint64_t)(start + state->design.blocks * levels->block_ns);
	state->plan[0] = state->design.blocks;
	state->plan[1] = state->processes + (unsigned)fmin(fmax(budget_ns / fmax((double)state->process_ns, 1), 1), 1e6);
}

/* Processes that a result still needs before its CI is worth something. */
static double missing(const struct kb_row *row, unsigned fewest)
{
	const struct kb_row_state *state = row->state;

	return state->over || state->processes >= fewest ? 0 : fewest - state->processes;
}

void kb_plan_short(struct kb_row *rows, size_t count, unsigned fewest, double left_ns)
{
	double starts = 0, blocks = 0;

	for (size_t i = 0; i < count; i++) {
		const struct kb_row_state *state = rows[i].state;
		double inside = fmin(state->design.blocks * rows[i].result.levels.block_ns, (double)state->process_ns);

		starts += missing(&rows[i], fewest) * ((double)state->process_ns - inside);
		blocks += missing(&rows[i], fewest) * inside;
	}
	if (starts + blocks <= left_ns || blocks <= 0)
		return;
	double share = fmax((left_ns - starts) / blocks, 0);

	for (size_t i = 0; i < count; i++) {
		struct kb_row_state *state = rows[i].state;
		unsigned wanted = kb_design_blocks(&state->design, share * state->design.blocks);
		double block_ns = rows[i].result.levels.block_ns;

		if (missing(&rows[i], fewest) <= 0 || block_ns <= 0 || wanted >= state->design.blocks)
			continue;
		state->process_ns -= (uint64_t)fmin((state->design.blocks - wanted) * block_ns, (double)state->process_ns);
		state->design.blocks = wanted;
	}
}

/* ---- the schedule -------------------------------------------------------------------------------- */

/* Whatever a result claims, its calls must not fail, its empty loop makes none, and nothing is left. A proof sets samples of n and 2 n against
   each other, and a paired benchmark has but one n; elsewhere only claims are worth one. */
static bool wants_proof(const struct kb_row *row)
{
	const struct kb_bench *bench = row->settings.bench;
	const struct kb_backend *backend = kb_backend_of(row);
	uint64_t least = 2 * (bench->granule > 1 ? bench->granule : 1);

	if (backend->witness)
		return backend->witness();
	return bench->method != KB_PAIRED && (bench->max_n == 0 || bench->max_n >= least) &&
	       (backend->native || kb_settings_claim(&row->settings, KB_SYSCALLS));
}

/* The number of operations of a proof cannot be known before. */
static uint64_t proof_operations(uint64_t seed)
{
	return PROVE_OPERATIONS + seed % PROVE_OPERATIONS;
}

int kb_engine_prove(const struct kb_engine *engine, struct kb_row *row, uint64_t seed, char error[256])
{
	return wants_proof(row) ? kb_engine_prove_with(engine, row, proof_operations(seed), seed, error) : 0;
}

/* Nothing more is worth measuring. What the proof alone makes of a result is not all that can be said of it. */
static bool is_over(const struct kb_row *row)
{
	const struct kb_verdict *verdict = &row->result.verdict;

	if (row->state->processes == 0 && (kb_verdict_has(verdict, KB_CODE_not_reached) || kb_verdict_has(verdict, KB_CODE_expect_failed)))
		return false;
	return verdict->status == KB_SKIPPED || verdict->status == KB_INVALID;
}

void kb_engine_update(const struct kb_engine *engine, struct kb_row *rows, size_t i)
{
	struct kb_row *row = &rows[i];
	struct kb_summary_rules rules = {
		.planned = kb_backend_processes(row, engine->options), .precision = engine->options->precision,
		.floor = engine->floor, .env = engine->options->env,
	};
	struct kb_row_state *state = row->state;
	struct kb_process_text *texts = kb_kept_unpack(state->texts, state->text_count);

	kb_summarise(texts, texts ? state->text_count : 0, &rules, &row->result);
	row->result.levels.plan[0] = state->plan[0];
	row->result.levels.plan[1] = state->plan[1];
	if (engine->options->method == KB_METHOD_KANATA && state->processes > 0 && texts && state->text_count > 0)
		state->met = kb_kanata_met(&engine->options->kanata, &texts[state->text_count - 1], &state->design);
	kb_kept_release(texts, state->text_count);
	state->over = is_over(row);
	if (engine->observer->row_updated)
		engine->observer->row_updated(engine->observer->context, row, i);
}

/* Relative half-width; results without a CI come first. No process makes one number of several modes. */
static double width(const struct kb_row *row)
{
	const struct kb_result *result = &row->result;
	const struct kb_estimate *e = kb_headline(result);

	if (kb_verdict_has(&result->verdict, KB_CODE_multimodal))
		return 0;
	/* Time goes where uncontended time is missing. */
	if (kb_verdict_has(&result->verdict, KB_CODE_contention_not_excluded) || kb_verdict_has(&result->verdict, KB_CODE_contention_immaterial))
		return INFINITY;
	if (!e->known || !e->bounded)
		return INFINITY;
	return e->value != 0 ? (e->high - e->low) / 2 / fabs(e->value) : 0;
}

static bool is_precise(const struct kb_engine *engine, const struct kb_row *row)
{
	if (engine->options->method == KB_METHOD_KANATA)
		return row->state->met;
	/* 100 % and more, or an emulator, whose times are no numbers, or whose counts are exact: what the planned processes give
	   will do, even if a CI needs more of them. */
	if ((engine->options->precision >= 1 && row->state->processes >= engine->options->processes) || kb_is_emulated(row) ||
	    kb_backend_of(row)->processes > 0)
		return true;
	return row->result.bound == KB_NOTHING || width(row) <= engine->options->precision;
}

/* More processes than that can be asked for. */
static bool has_most(const struct kb_engine *engine, const struct kb_row *row)
{
	return row->state->processes >= fmax(MOST_PROCESSES, kb_backend_processes(row, engine->options));
}

static bool is_open(const struct kb_schedule *schedule, size_t i)
{
	const struct kb_row *row = &schedule->rows[i];

	if (row->state->over || has_most(schedule->engine, row))
		return false;
	return row->state->processes < kb_backend_processes(row, schedule->engine->options) || !is_precise(schedule->engine, row);
}

/* Least to a result that has had many, so that one which cannot be had leaves something to others. */
static double worth(const struct kb_schedule *schedule, size_t i)
{
	return fmin(width(&schedule->rows[i]), WORST_WIDTH) / (schedule->rows[i].state->processes + 1);
}

/* Variants of a result get the n of the first one: what differs then is not how it was measured. */
static void inherit_design(const struct kb_schedule *schedule, struct kb_row *row)
{
	for (size_t i = 0; i < schedule->count && row->group && !row->state->designed; i++) {
		const struct kb_row *other = &schedule->rows[i];

		if (other->group == row->group && other->state->designed) {
			row->state->design = other->state->design;
			row->state->designed = true;
		}
	}
}

/* Between the first process, which may show that there is nothing to measure, and the last one that was asked for nothing is decided;
   and all processes are analysed anew each time, so later on every few of them must do. */
static bool is_news(const struct kb_engine *engine, const struct kb_row *row)
{
	const struct kb_row_state *state = row->state;
	const struct kb_kept *last = state->text_count > 0 ? &state->texts[state->text_count - 1] : NULL;
	unsigned asked = kb_backend_processes(row, engine->options);

	return state->processes <= 1 || (state->processes >= asked && (state->processes - asked) % (1 + state->processes / 6) == 0) ||
	       engine->options->method == KB_METHOD_KANATA || (last && last->outcome[0]);
}

static int take_news(struct kb_schedule *schedule, size_t i, int error)
{
	schedule->processes++;
	if (!error && is_news(schedule->engine, &schedule->rows[i]))
		kb_engine_update(schedule->engine, schedule->rows, i);
	return error;
}

/* Where the budget leaves no process there is nothing to prove: so each result's proof comes right before its first process. The proofs'
   random numbers are their own: measurements are the same with and without them. */
static int prove(struct kb_schedule *schedule, size_t i)
{
	struct kb_rng *proofs = schedule->context;
	uint64_t operations = proof_operations(kb_rng_next(proofs) >> 1), seed = kb_rng_next(proofs) >> 1;

	if (!wants_proof(&schedule->rows[i]))
		return 0;
	return take_news(schedule, i, kb_engine_prove_with(schedule->engine, &schedule->rows[i], operations, seed, schedule->error));
}

/* Until when uncontended time may be waited for: results without a process share what is left. */
static uint64_t share_end(const struct kb_schedule *schedule)
{
	uint64_t now = kb_wall_ns(), end = schedule->engine->deadline_ns;
	size_t untried = 0;

	for (size_t i = 0; i < schedule->count; i++)
		untried += schedule->rows[i].state->processes == 0 && is_open(schedule, i);
	return untried > 0 && end > now ? now + (end - now) / untried : end;
}

static int measure(struct kb_schedule *schedule, size_t i)
{
	struct kb_row *row = &schedule->rows[i];
	bool first = row->state->processes == 0;
	int error;

	row->state->share_end_ns = share_end(schedule);
	error = first ? prove(schedule, i) : 0;
	if (error || (first && !kb_schedule_goes_on(schedule, i)))
		return error;
	inherit_design(schedule, row);
	return take_news(schedule, i, kb_engine_run_process(schedule->engine, row, kb_rng_next(&schedule->rng) >> 1, schedule->error));
}

static int refine_row(struct kb_schedule *schedule, size_t i)
{
	const struct kb_engine *engine = schedule->engine;
	uint64_t now = kb_wall_ns();
	size_t open = 0;

	for (size_t k = 0; k < schedule->count; k++)
		open += is_open(schedule, k);
	/* Blocks or processes, with what is left of the budget for each result? Where samples are probed a process is as long as stretches of
	   uncontended time ask for. */
	if (engine->options->method != KB_METHOD_KANATA && schedule->rows[i].state->design.probe == 0 && engine->deadline_ns > now && open > 0)
		plan_row(&schedule->rows[i], (double)(engine->deadline_ns - now) / (double)open);
	return kb_schedule_visit(schedule, i);
}

/* The widest one of a group takes the others along: a ratio needs processes of both that were made together. */
static int refine(struct kb_schedule *schedule, size_t widest)
{
	unsigned group = schedule->rows[widest].group;
	int error = 0;

	if (!group)
		return refine_row(schedule, widest);
	kb_rng_shuffle(&schedule->rng, schedule->order, schedule->count, sizeof *schedule->order);
	for (size_t k = 0; k < schedule->count && !error; k++) {
		size_t i = schedule->order[k];
		const struct kb_row *row = &schedule->rows[i];

		if (row->group == group && !row->state->over && !has_most(schedule->engine, row) && kb_schedule_fits(schedule, i))
			error = refine_row(schedule, i);
	}
	return error;
}

static int measure_all(struct kb_schedule *schedule)
{
	const struct kb_engine *engine = schedule->engine;
	unsigned asked = engine->options->processes, fewest = asked < KB_PROCESSES_MIN ? asked : KB_PROCESSES_MIN;
	int error = 0;

	for (unsigned round = 0; round < asked && !error; round++) {
		uint64_t now = kb_wall_ns();

		/* The first round has shown how long processes are. */
		if (round > 0 && engine->options->method != KB_METHOD_KANATA && now < engine->deadline_ns)
			kb_plan_short(schedule->rows, schedule->count, fewest, (double)(engine->deadline_ns - now));
		error = kb_schedule_round(schedule);
	}
	return error ? error : kb_schedule_refine(schedule);
}

int kb_engine_run(const struct kb_engine *engine, struct kb_row *rows, size_t count, struct kb_run_outcome *outcome,
                  char error[256])
{
	struct kb_rng proofs;
	struct kb_schedule schedule = {
		.engine = engine, .rows = rows, .count = count, .error = error, .context = &proofs, .is_open = is_open, .worth = worth,
		.measure = measure, .refine = refine,
	};
	int result = kb_schedule_begin(&schedule);

	kb_rng_seed(&proofs, ~engine->options->seed);
	if (!result)
		result = measure_all(&schedule);
	outcome->precision_met = outcome->tried_out = !result;
	for (size_t i = 0; i < count && !result; i++) {
		/* What this run's probes say of the floor may change up to the last process, also to nothing; of others the budget ended the
		   planned processes. */
		if (engine->floor && kb_floor_is_learned(engine->floor) ? rows[i].state->text_count > 0 : !is_news(engine, &rows[i]))
			kb_engine_update(engine, rows, i);
		bool precise = rows[i].state->over || is_precise(engine, &rows[i]);

		outcome->precision_met &= precise;
		outcome->tried_out &= precise || has_most(engine, &rows[i]);
	}
	return kb_schedule_end(&schedule, result, outcome);
}
