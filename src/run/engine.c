/*
 * The schedule: proofs first, then every row once a round in a shuffled order, then the one to which a process is worth most until
 * all are precise or the budget is over. It knows no statistics: kb_summarise says after each launch what the row came to, and its width is all it asks.
 */
#define _GNU_SOURCE
#include "run/engine.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "io.h"
#include "result/summary/summary.h"
#include "run/backend/backend.h"
#include "stats/comparison/compare.h"

#define MOST_LAUNCHES 120       /* or as many as asked for: a row that does not converge must not eat the budget of all others */
#define PROVE_OPERATIONS 64     /* and up to twice as many */
#define WORST_WIDTH 0.05        /* half-width over value; above, all are equally bad */

static volatile sig_atomic_t stop_signal;

void kb_run_stop(int signal)
{
	stop_signal = signal;
}

bool kb_run_stopping(void)
{
	return stop_signal != 0;
}

int kb_run_stop_signal(void)
{
	return stop_signal;
}

/* ---- the schedule -------------------------------------------------------------------------------- */

/* Whatever a row claims, its calls must not fail, its empty loop makes none, and nothing is left. A proof sets samples of n and 2 n against
   each other, and a paired benchmark has but one n; elsewhere only claims are worth one. */
static bool wants_proof(const struct kb_row *row)
{
	const struct kb_bench *bench = row->settings.bench;

	uint64_t least = 2 * (bench->granule > 1 ? bench->granule : 1);

	return bench->method != KB_PAIRED && (bench->max_n == 0 || bench->max_n >= least) && (kb_backend_of(row)->native || kb_settings_claim(&row->settings, KB_SYSCALLS));
}

/* How many operations a proof is about, nobody knows before. */
static uint64_t proof_operations(uint64_t seed)
{
	return PROVE_OPERATIONS + seed % PROVE_OPERATIONS;
}

int kb_engine_prove(const struct kb_engine *engine, struct kb_row *row, uint64_t seed, char error[256])
{
	return wants_proof(row) ? kb_engine_prove_with(engine, row, proof_operations(seed), seed, error) : 0;
}

/* Nothing more is worth measuring. What the proof alone makes of a row is not all that can be said of it. */
static bool is_over(const struct kb_row *row)
{
	const struct kb_verdict *verdict = &row->result.verdict;

	if (row->state->launches == 0 && (kb_verdict_has(verdict, KB_CODE_not_reached) || kb_verdict_has(verdict, KB_CODE_expect_failed)))
		return false;
	return verdict->status == KB_SKIPPED || verdict->status == KB_INVALID;
}

void kb_engine_update(const struct kb_engine *engine, struct kb_row *rows, size_t i)
{
	struct kb_row *row = &rows[i];

	struct kb_summary_rules rules = {
		.planned = kb_backend_processes(row, engine->options->launches), .precision = engine->options->precision,
		.floor = engine->floor,
	};

	struct kb_row_state *state = row->state;
	struct kb_launch_text *texts = kb_kept_unpack(state->texts, state->text_count);

	kb_summarise(texts, texts ? state->text_count : 0, &rules, &row->result);
	row->result.levels.plan[0] = row->state->plan[0];
	row->result.levels.plan[1] = row->state->plan[1];
	if (engine->options->method == KB_METHOD_KANATA && state->launches > 0 && texts && state->text_count > 0)
		state->met = kb_kanata_met(&engine->options->kanata, &texts[state->text_count - 1], &state->design);
	kb_kept_release(texts, state->text_count);
	row->state->over = is_over(row);
	if (engine->observer->row_updated)
		engine->observer->row_updated(engine->observer->context, row, i);
}

/* Relative half-width; rows without an interval come first. No launch makes one number of several modes. */
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
	/* 100 % and more, or an emulator, whose times are no numbers, or whose counts are exact: what the planned launches give
	   will do, even if an interval needs more of them. */
	if ((engine->options->precision >= 1 && row->state->launches >= engine->options->launches) || kb_is_emulated(row) ||
	    kb_backend_of(row)->processes > 0)
		return true;
	return row->result.bound == KB_NOTHING || width(row) <= engine->options->precision;
}

/* Whoever asks for more launches gets them. */
static bool has_most(const struct kb_engine *engine, const struct kb_row *row)
{
	return row->state->launches >= fmax(MOST_LAUNCHES, kb_backend_processes(row, engine->options->launches));
}

static bool done(const struct kb_engine *engine, const struct kb_row *row)
{
	const struct kb_row_state *state = row->state;

	if (state->over || has_most(engine, row))
		return true;
	if (state->launches < kb_backend_processes(row, engine->options->launches))
		return false;
	return is_precise(engine, row);
}

static bool fits(const struct kb_engine *engine, const struct kb_row *row)
{
	/* The first launch of a row is always worth a try while there is any budget at all. */
	return !stop_signal && kb_wall_ns() + row->state->launch_ns < engine->deadline_ns;
}

static void tell_progress(const struct kb_engine *engine, const struct kb_row *rows, size_t count, size_t now, unsigned launches)
{
	uint64_t time = kb_wall_ns();
	unsigned open = 0;

	for (size_t i = 0; i < count; i++)
		open += !done(engine, &rows[i]);
	if (engine->observer->progress)
		engine->observer->progress(engine->observer->context, &rows[now], launches, open,
		                           time < engine->deadline_ns ? engine->deadline_ns - time : 0);
}

struct schedule {
	const struct kb_engine *engine;
	struct kb_row *rows;
	size_t count, *order;
	struct kb_rng rng, proofs;      /* proofs have their own: measurements are the same with and without them */
	unsigned launches;
	char *error;
};

/* Variants of a row get the n of the first one: what differs then is not how it was measured. */
static void inherit_design(const struct schedule *schedule, struct kb_row *row)
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

	unsigned asked = kb_backend_processes(row, engine->options->launches);

	return state->launches <= 1 || (state->launches >= asked && (state->launches - asked) % (1 + state->launches / 6) == 0) ||
	       engine->options->method == KB_METHOD_KANATA || (last && last->outcome[0]);
}

static int visit(struct schedule *schedule, size_t i, uint64_t prove)
{
	struct kb_row *row = &schedule->rows[i];

	if (!prove)
		inherit_design(schedule, row);
	tell_progress(schedule->engine, schedule->rows, schedule->count, i, schedule->launches);
	struct kb_rng *rng = prove ? &schedule->proofs : &schedule->rng;
	int error = kb_engine_launch(schedule->engine, row, prove, kb_rng_next(rng) >> 1, schedule->error);

	schedule->launches++;
	if (!error && is_news(schedule->engine, row))
		kb_engine_update(schedule->engine, schedule->rows, i);
	return error;
}

static int prove_all(struct schedule *schedule)
{
	for (size_t i = 0; i < schedule->count; i++) {
		struct kb_row *row = &schedule->rows[i];

		if (!wants_proof(row) || !fits(schedule->engine, row))
			continue;
		int error = visit(schedule, i, proof_operations(kb_rng_next(&schedule->proofs) >> 1));

		if (error)
			return error;
	}
	return 0;
}

/* One launch of every row that still needs one, in a new order. */
static int round_of_all(struct schedule *schedule)
{
	kb_rng_shuffle(&schedule->rng, schedule->order, schedule->count, sizeof *schedule->order);
	for (size_t k = 0; k < schedule->count; k++) {
		size_t i = schedule->order[k];

		if (done(schedule->engine, &schedule->rows[i]) || !fits(schedule->engine, &schedule->rows[i]))
			continue;
		int error = visit(schedule, i, 0);

		if (error)
			return error;
	}
	return 0;
}

/* What one more process is worth: least to a row that has had many, so that one which cannot be had leaves something to others. */
static double worth(const struct kb_row *row)
{
	return fmin(width(row), WORST_WIDTH) / (row->state->launches + 1);
}

static size_t most_worth(const struct schedule *schedule)
{
	size_t best = schedule->count;

	for (size_t i = 0; i < schedule->count; i++) {
		const struct kb_row *row = &schedule->rows[i];

		if (done(schedule->engine, row) || !fits(schedule->engine, row))
			continue;
		if (best == schedule->count || worth(row) > worth(&schedule->rows[best]))
			best = i;
	}
	return best;
}

/* What is left of the budget for each row that is not done. */
static double share_ns(const struct schedule *schedule)
{
	uint64_t now = kb_wall_ns(), end = schedule->engine->deadline_ns;
	size_t open = 0;

	for (size_t i = 0; i < schedule->count; i++)
		open += !done(schedule->engine, &schedule->rows[i]);
	return end > now && open > 0 ? (double)(end - now) / (double)open : 0;
}

static int refine_row(struct schedule *schedule, size_t i)
{
	/* Blocks or processes? Where samples are probed a process is as long as stretches of uncontended time ask for. */
	if (schedule->engine->options->method != KB_METHOD_KANATA && schedule->rows[i].state->design.probe == 0)
		kb_plan_row(&schedule->rows[i], share_ns(schedule));
	return visit(schedule, i, 0);
}

/* The widest one of a group takes the others along: a ratio needs launches of both that were made together. */
static int refine_group(struct schedule *schedule, unsigned group)
{
	int error = 0;

	kb_rng_shuffle(&schedule->rng, schedule->order, schedule->count, sizeof *schedule->order);
	for (size_t k = 0; k < schedule->count && !error; k++) {
		const struct kb_row *row = &schedule->rows[schedule->order[k]];

		if (row->group == group && !row->state->over && !has_most(schedule->engine, row) && fits(schedule->engine, row))
			error = refine_row(schedule, schedule->order[k]);
	}
	return error;
}

static int refine(struct schedule *schedule)
{
	for (size_t i; (i = most_worth(schedule)) < schedule->count;) {
		int error = schedule->rows[i].group ? refine_group(schedule, schedule->rows[i].group) : refine_row(schedule, i);

		if (error)
			return error;
	}
	return 0;
}

/* The first round has shown how long launches are. */
static void shorten(struct schedule *schedule)
{
	const struct kb_engine *engine = schedule->engine;
	unsigned fewest = engine->options->launches < KB_PROCESSES_MIN ? engine->options->launches : KB_PROCESSES_MIN;
	uint64_t now = kb_wall_ns();

	if (engine->options->method != KB_METHOD_KANATA && now < engine->deadline_ns)
		kb_plan_short(schedule->rows, schedule->count, fewest, (double)(engine->deadline_ns - now));
}

static int run_schedule(struct schedule *schedule)
{
	int error = prove_all(schedule);

	for (unsigned round = 0; round < schedule->engine->options->launches && !error; round++) {
		if (round > 0)
			shorten(schedule);
		error = round_of_all(schedule);
	}
	return error ? error : refine(schedule);
}

static bool all_precise(const struct kb_engine *engine, const struct kb_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!rows[i].state->over && !is_precise(engine, &rows[i]))
			return false;
	}
	return true;
}

int kb_row_begin(struct kb_row *row)
{
	row->state = calloc(1, sizeof *row->state);
	return row->state ? 0 : -ENOMEM;
}

int kb_engine_run(const struct kb_engine *engine, struct kb_row *rows, size_t count, struct kb_run_outcome *outcome,
                  char error[256])
{
	struct schedule schedule = { engine, rows, count, calloc(count + 1, sizeof *schedule.order), .error = error };
	int result = schedule.order ? 0 : -ENOMEM;

	kb_rng_seed(&schedule.rng, engine->options->seed);
	kb_rng_seed(&schedule.proofs, ~engine->options->seed);
	for (size_t i = 0; i < count && !result; i++) {
		schedule.order[i] = i;
		result = kb_row_begin(&rows[i]);
	}
	if (!result)
		result = run_schedule(&schedule);
	outcome->launches = schedule.launches;
	outcome->interrupted = stop_signal != 0;
	outcome->signal = stop_signal;
	stop_signal = 0; /* taken; not at the start, where one may have come during calibration */
	for (size_t i = 0; i < count && !result; i++) {
		/* The first ones were made before the floor was known this well; of others the budget ended the planned processes. */
		if (engine->floor && engine->floor->from == KB_FLOOR_RUN ? rows[i].state->text_count > 0 : !is_news(engine, &rows[i]))
			kb_engine_update(engine, rows, i);
	}
	if (!result) {
		outcome->precision_met = all_precise(engine, rows, count);
	} else if (result == -ENOMEM) {
		snprintf(error, 256, "out of memory");
	}
	free(schedule.order);
	return result;
}

void kb_row_release(struct kb_row *row)
{
	for (size_t i = 0; row->state && i < row->state->text_count; i++)
		kb_kept_free(&row->state->texts[i]);
	if (row->state)
		free(row->state->texts);
	free(row->state);
	row->state = NULL;
}
