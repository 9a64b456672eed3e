/*
 * The schedule: proofs first, then every row once a round in a shuffled order, then the widest one until all are precise or the
 * budget is over. It knows no statistics: kb_summarise says after each launch what the row came to, and its width is all it asks.
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
#include "run/foreign.h"
#include "run/method_kanata.h"
#include "stats/compare.h"

#define MOST_LAUNCHES 120       /* or as many as asked for: a row that does not converge must not eat the budget of all others */
#define PROVE_OPERATIONS 50
#define GRACE_NS UINT64_C(5000000000)    /* after the end of the budget, for the launch in flight */

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

/* ---- one launch ---------------------------------------------------------------------------------- */

static int keep(struct kb_row_state *state, const struct kb_launch_text *text)
{
	struct kb_launch_text *grown = realloc(state->texts, (state->text_count + 1) * sizeof *grown);
	char *record = malloc(text->length + 1), *outcome = strdup(text->outcome);

	if (grown)
		state->texts = grown;
	if (!grown || !record || !outcome) {
		free(record);
		free(outcome);
		return -ENOMEM;
	}
	if (text->length > 0)
		memcpy(record, text->record, text->length);
	state->texts[state->text_count++] = (struct kb_launch_text){ text->launch, outcome, record, text->length };
	return 0;
}

int kb_engine_send(const struct kb_engine *engine, const struct kb_block *block)
{
	char line[KB_PLAN_LINE_MAX];
	struct kb_text text = kb_text_in(line, sizeof line);

	kb_plan_format(&text, block);
	return engine->transport->send(engine->transport->context, line, text.used);
}

static void warm_up(const struct kb_engine *engine, const struct kb_row_state *state, struct kb_rng *rng, uint64_t *blocks)
{
	struct kb_block block;

	for (int i = 0; i < 2; i++) {
		kb_design_block(&state->design, rng, (*blocks)++, true, &block);
		kb_engine_send(engine, &block);
	}
}

static bool is_kanata(const struct kb_engine *engine)
{
	return engine->options->method && !strcmp(engine->options->method, KB_KANATA);
}

/* Sends the whole plan: the parent then sleeps while the blocks run. A send that fails means that the launch ended. */
static void send_plan(const struct kb_engine *engine, const struct kb_row_state *state, struct kb_rng *rng)
{
	uint64_t blocks = 0;
	struct kb_block block;

	if (state->design.tests == 0) /* groups know what to skip, and their table shows the warm-up */
		warm_up(engine, state, rng, &blocks);
	for (unsigned i = 0; i < state->design.blocks; i++) {
		kb_design_block(&state->design, rng, blocks++, false, &block);
		if (kb_engine_send(engine, &block))
			return;
	}
}

int kb_engine_keep(const struct kb_engine *engine, struct kb_row *row, const struct kb_launch_text *text)
{
	const struct kb_run_observer *observer = engine->observer;
	int error = keep(row->state, text);

	if (!error && observer->launch_done)
		error = observer->launch_done(observer->context, row, text->launch, text->outcome, text->record, text->length);
	return error;
}

/* The launch was ended because the budget was over, before its own time limit: no fault of its own. */
static bool ended_by_budget(const struct kb_engine *engine, const char *outcome, uint64_t elapsed_ns)
{
	return !strncmp(outcome, "timeout", 7) && elapsed_ns < engine->options->timeout_ns &&
	       kb_wall_ns() >= engine->deadline_ns;
}

int kb_engine_finish(const struct kb_engine *engine, struct kb_row *row, uint64_t started_ns)
{
	struct kb_launch_text text = engine->transport->close(engine->transport->context);
	uint64_t elapsed = kb_wall_ns() - started_ns;

	if (text.outcome[0] && (stop_signal || ended_by_budget(engine, text.outcome, elapsed))) {
		row->state->launches -= row->state->launches > 0;
		return 0;
	}
	if (elapsed > row->state->launch_ns)
		row->state->launch_ns = elapsed;
	return kb_engine_keep(engine, row, &text);
}

/* A launch that hangs must not outlive the budget by much; one that is a little late may still end. */
static uint64_t launch_deadline(const struct kb_engine *engine)
{
	uint64_t now = kb_wall_ns(), last = (engine->deadline_ns > now ? engine->deadline_ns : now) + GRACE_NS;

	return now + engine->options->timeout_ns < last ? now + engine->options->timeout_ns : last;
}

int kb_engine_open(const struct kb_engine *engine, struct kb_row *row, const char *method, unsigned launch,
                   uint64_t prove, uint64_t seed, char error[256])
{
	struct kb_launch_request request = {
		.row = row, .clock = kb_foreign_clock(row, engine->clock), .method = method, .launch = launch, .seed = seed, .prove = prove,
		.deadline_ns = launch_deadline(engine),
	};

	return engine->transport->open(engine->transport->context, &request, error);
}

static int measure(const struct kb_engine *engine, struct kb_row *row, uint64_t seed, char error[256])
{
	struct kb_row_state *state = row->state;
	uint64_t started_ns = kb_wall_ns();
	struct kb_rng rng;
	int result = kb_engine_open(engine, row, state->design.header, ++state->launches, 0, seed, error);

	if (result)
		return result;
	kb_rng_seed(&rng, seed);
	send_plan(engine, state, &rng);
	return kb_engine_finish(engine, row, started_ns);
}

static int prove(const struct kb_engine *engine, struct kb_row *row, uint64_t operations, uint64_t seed, char error[256])
{
	int result = kb_engine_open(engine, row, "proof", 0, operations, seed, error);

	if (!result)
		result = kb_engine_finish(engine, row, kb_wall_ns());
	row->state->launch_ns = 0; /* a proof says nothing about the length of a launch */
	return result;
}

static int launch(const struct kb_engine *engine, struct kb_row *row, uint64_t operations, uint64_t seed, char error[256])
{
	if (operations)
		return prove(engine, row, operations, seed, error);
	if (is_kanata(engine) && !row->state->designed) {
		kb_kanata_design(&row->state->design, row->settings.bench, &engine->options->kanata);
		row->state->designed = true;
	}
	if (!row->state->designed)
		row->state->designed = kb_foreign_design(row, engine->options->method, &row->state->design);
	if (!row->state->designed) {
		int result = kb_engine_design(engine, row, seed, error);

		/* Without a design there was no launch that says why: it was ended by the budget. */
		if (result || row->state->launches || !row->state->designed || stop_signal)
			return result;
	}
	return measure(engine, row, seed, error);
}

/* ---- the schedule -------------------------------------------------------------------------------- */

static bool wants_proof(const struct kb_row *row)
{
	const struct kb_bench *bench = row->settings.bench;

	/* A proof sets intervals of n and 2 n against each other, and a paired benchmark has but one n. */
	for (int i = 0; i < KB_EXPECT_MAX && bench->expect[i].counter && bench->method != KB_PAIRED; i++) {
		if (bench->expect[i].counter == KB_SYSCALLS && kb_settings_match(&row->settings, bench->expect[i].when))
			return true;
	}
	return false;
}

static uint64_t proof_operations(const struct kb_bench *bench)
{
	return bench->max_n && bench->max_n / 2 < PROVE_OPERATIONS ? bench->max_n / 2 : PROVE_OPERATIONS;
}

int kb_engine_prove(const struct kb_engine *engine, struct kb_row *row, uint64_t seed, char error[256])
{
	return wants_proof(row) ? prove(engine, row, proof_operations(row->settings.bench), seed, error) : 0;
}

void kb_engine_update(const struct kb_engine *engine, struct kb_row *rows, size_t i)
{
	struct kb_row *row = &rows[i];

	kb_summarise(row->state->texts, row->state->text_count, kb_foreign_launches(row, engine->options->launches),
	             engine->options->precision, &row->result);
	enum kb_status status = row->result.verdict.status;

	row->result.levels.plan[0] = row->state->plan[0];
	row->result.levels.plan[1] = row->state->plan[1];
	if (is_kanata(engine) && row->state->launches > 0 && row->state->text_count > 0)
		row->state->met = kb_kanata_met(&engine->options->kanata, &row->state->texts[row->state->text_count - 1],
		                                &row->state->design);
	row->state->over = status == KB_SKIPPED || status == KB_INVALID;
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
	if (!e->known || !e->bounded)
		return INFINITY;
	return e->value != 0 ? (e->high - e->low) / 2 / fabs(e->value) : 0;
}

static bool is_precise(const struct kb_engine *engine, const struct kb_row *row)
{
	if (is_kanata(engine))
		return row->state->met;
	/* 100 % and more, or an emulator, whose times are no numbers, or whose counts are exact: what the planned launches give
	   will do, even if an interval needs more of them. */
	if ((engine->options->precision >= 1 && row->state->launches >= engine->options->launches) || kb_foreign_is_emulated(row) ||
	    kb_foreign_launches(row, UINT_MAX) < UINT_MAX)
		return true;
	return row->result.bound == KB_NOTHING || width(row) <= engine->options->precision;
}

/* Whoever asks for more launches gets them. */
static bool has_most(const struct kb_engine *engine, const struct kb_row *row)
{
	return row->state->launches >= fmax(MOST_LAUNCHES, kb_foreign_launches(row, engine->options->launches));
}

static bool done(const struct kb_engine *engine, const struct kb_row *row)
{
	const struct kb_row_state *state = row->state;

	if (state->over || has_most(engine, row))
		return true;
	if (state->launches < kb_foreign_launches(row, engine->options->launches))
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
	struct kb_rng rng;
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

static int visit(struct schedule *schedule, size_t i, uint64_t prove)
{
	struct kb_row *row = &schedule->rows[i];

	if (!prove)
		inherit_design(schedule, row);
	tell_progress(schedule->engine, schedule->rows, schedule->count, i, schedule->launches);
	int error = launch(schedule->engine, row, prove, kb_rng_next(&schedule->rng) >> 1, schedule->error);

	schedule->launches++;
	if (!error)
		kb_engine_update(schedule->engine, schedule->rows, i);
	return error;
}

static int prove_all(struct schedule *schedule)
{
	for (size_t i = 0; i < schedule->count; i++) {
		struct kb_row *row = &schedule->rows[i];

		if (!wants_proof(row) || !fits(schedule->engine, row))
			continue;
		int error = visit(schedule, i, proof_operations(row->settings.bench));

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

static size_t widest(const struct schedule *schedule)
{
	size_t best = schedule->count;

	for (size_t i = 0; i < schedule->count; i++) {
		const struct kb_row *row = &schedule->rows[i];

		if (done(schedule->engine, row) || !fits(schedule->engine, row))
			continue;
		if (best == schedule->count || width(row) > width(&schedule->rows[best]))
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
	if (!is_kanata(schedule->engine))
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
	for (size_t i; (i = widest(schedule)) < schedule->count;) {
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
	unsigned fewest = engine->options->launches < KB_LAUNCHES_MIN ? engine->options->launches : KB_LAUNCHES_MIN;
	uint64_t now = kb_wall_ns();

	if (!is_kanata(engine) && now < engine->deadline_ns)
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
	struct schedule schedule = { engine, rows, count, calloc(count + 1, sizeof *schedule.order), { { 0 } }, 0, error };
	int result = schedule.order ? 0 : -ENOMEM;

	kb_rng_seed(&schedule.rng, engine->options->seed);
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
	for (size_t i = 0; row->state && i < row->state->text_count; i++) {
		free((void *)(uintptr_t)row->state->texts[i].outcome);
		free((void *)(uintptr_t)row->state->texts[i].record);
	}
	if (row->state)
		free(row->state->texts);
	free(row->state);
	row->state = NULL;
}
