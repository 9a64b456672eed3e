/* See ab.h: the hooks of the schedule, and two processes in turns. */
#include "run/ab.h"

#include <errno.h>

#include "io.h"
#include "result/summary/summary.h"
#include "run/process/machine.h"
#include "run/schedule.h"

/* Comparison blocks of a pair of processes: enough for a median, few enough that many fresh processes fit. */
#define BLOCKS_MIN 20u
#define BLOCKS_MAX 150u
#define EXTENSIONS 4u           /* of a pair that saw too little uncontended time, by half of its blocks each */
#define REPEATS 3u              /* of the grid in a block */

/* Two processes in turns. */
struct turns {
	const struct kb_engine *engine[2];
	struct kb_row *row[2];
	unsigned pair;                  /* its number, from 1 */
	const struct kb_design *design;
	uint64_t blocks[2];             /* sent to each side */
	struct kb_rng rng;
};

static bool letter(struct turns *turns, unsigned side, bool warm)
{
	const struct kb_engine *engine = turns->engine[side];
	struct kb_block block;

	kb_design_block(turns->design, &turns->rng, turns->blocks[side]++, warm, &block);
	return kb_engine_send(engine, &block) == 0 && engine->transport->await(engine->transport->context, turns->blocks[side]);
}

/* ABBA or BAAB: the first side is drawn anew for each block, so that no period of the machine can favour one. */
static bool take_turns(struct turns *turns, unsigned blocks)
{
	bool alive = true;

	for (unsigned done = 0; done < blocks && alive; done++) {
		unsigned first = (unsigned)kb_rng_below(&turns->rng, 2);

		alive = letter(turns, first, false) && letter(turns, !first, false) && letter(turns, !first, false) && letter(turns, first, false);
	}
	return alive;
}

/* A pair in which a side saw some uncontended time, but too little, goes on for a while: as a process of a run does. */
static void measure_turns(struct turns *turns)
{
	/* Two blocks of each side make one; and more pairs that are half as long as a process of a run tell more than fewer whole ones. */
	unsigned wanted = turns->design->blocks / 4, blocks = wanted < BLOCKS_MIN ? BLOCKS_MIN : wanted > BLOCKS_MAX ? BLOCKS_MAX : wanted;
	unsigned first = (unsigned)kb_rng_below(&turns->rng, 2);
	bool alive = true;

	for (unsigned warm = 0; warm < KB_PAIR_WARM && alive; warm++)
		alive = letter(turns, first, true) && letter(turns, !first, true);
	alive = alive && take_turns(turns, blocks);
	for (unsigned i = 0; alive && i < EXTENSIONS; i++) {
		unsigned a = kb_engine_clean_blocks(turns->engine[0]), b = kb_engine_clean_blocks(turns->engine[1]);

		if ((a >= KB_CLEAN_BLOCKS && b >= KB_CLEAN_BLOCKS) || (i > 0 && (a == 0 || b == 0)) ||
		    kb_wall_ns() + turns->row[0]->state->process_ns / 2 > turns->engine[0]->deadline_ns)
			return;
		alive = take_turns(turns, blocks / 2);
	}
}

/* Both sides get one seed: what a benchmark draws from it (a ring, an order) must not be the difference. */
static int run_turns(struct turns *turns, uint64_t seed, char error[256])
{
	uint64_t started_ns = kb_wall_ns();
	unsigned first = seed & 1;
	bool opened[2] = { false, false };
	int result = 0;

	kb_rng_seed(&turns->rng, seed);
	for (unsigned i = 0; i < 2 && !result; i++) {
		unsigned side = i ? !first : first;

		turns->row[side]->state->processes = turns->pair;
		result = kb_engine_open(turns->engine[side], turns->row[side], turns->design->header, turns->pair, 0, seed, error);
		opened[side] = result == 0;
	}
	if (!result)
		measure_turns(turns);
	/* In order of their numbers: so they are kept. */
	for (unsigned side = 0; side < 2; side++) {
		int ended = opened[side] ? kb_engine_finish(turns->engine[side], turns->row[side], started_ns) : 0;

		result = result ? result : ended;
	}
	return result;
}

/* ---- what is scheduled ---------------------------------------------------------------------------- */

struct comparison {
	struct kb_schedule schedule;    /* of the results of side A */
	const struct kb_ab *ab;
	struct kb_ab_row *results;
};

static const struct kb_kept *text_of(const struct kb_row *row, unsigned process)
{
	for (size_t i = row->state->text_count; i-- > 0;) {
		if (row->state->texts[i].process == process)
			return &row->state->texts[i];
	}
	return NULL;
}

static int keep_pair(const struct kb_ab *ab, size_t i, unsigned number, struct kb_pairs *pairs)
{
	static const struct kb_floor unknown = { .k = 0 };
	const struct kb_kept *a = text_of(&ab->rows[0][i], number), *b = text_of(&ab->rows[1][i], number);

	if (!a || !b) /* the budget ended it, which is no fault of its own: it is not kept, and there is no pair */
		return 0;
	struct kb_process_text *text_a = kb_kept_unpack(a, 1), *text_b = kb_kept_unpack(b, 1);
	int error = text_a && text_b ? kb_pairs_add(pairs, text_a, text_b, ab->side[0].floor ? ab->side[0].floor : &unknown) : -ENOMEM;

	kb_kept_release(text_a, 1);
	kb_kept_release(text_b, 1);
	return error;
}

static void update(const struct kb_ab *ab, size_t i)
{
	kb_engine_update(&ab->side[0], ab->rows[0], i);
	kb_engine_update(&ab->side[1], ab->rows[1], i);
}

static int measure(struct kb_schedule *schedule, size_t i)
{
	const struct comparison *comparison = schedule->context;
	const struct kb_ab *ab = comparison->ab;
	struct kb_ab_row *row = &comparison->results[i];
	uint64_t started_ns = kb_wall_ns();
	struct turns turns = {
		.engine = { &ab->side[0], &ab->side[1] }, .row = { &ab->rows[0][i], &ab->rows[1][i] },
		.pair = (unsigned)row->pairs.count + 1, .design = &ab->rows[0][i].state->design,
	};
	int error = run_turns(&turns, kb_rng_next(&schedule->rng) >> 1, schedule->error);

	schedule->processes += 2;
	row->spent_ns += kb_wall_ns() - started_ns;
	if (!error && !kb_run_stop_signal())
		error = keep_pair(ab, i, turns.pair, &row->pairs);
	/* Analysing all processes again takes longer the more there are: only where it may end the result. */
	if (!error && row->pairs.count > 0 &&
	    (row->pairs.count == 1 || row->pairs.pairs[row->pairs.count - 1].why == KB_CODE_record_truncated))
		update(ab, i);
	return error;
}

static bool is_over(const struct kb_ab *ab, size_t i)
{
	return ab->rows[0][i].state->over || ab->rows[1][i].state->over;
}

static bool is_done(const struct comparison *comparison, size_t i)
{
	const struct kb_ab *ab = comparison->ab;
	const struct kb_pairs *pairs = &comparison->results[i].pairs;

	if (is_over(ab, i) || pairs->count >= KB_PAIRS_MOST)
		return true;
	if (pairs->count < ab->side[0].options->processes)
		return false;
	if (ab->rows[0][i].result.bound == KB_NOTHING)
		return true;
	/* Told apart, or equivalent: asked only at the looks that the level of a decision allows for. */
	if (!kb_is_look(kb_pairs_usable(pairs)) || kb_pairs_wait(pairs))
		return false;
	struct kb_difference difference = kb_pairs_difference(pairs, ab->margin);

	return kb_decide(&difference, ab->margin) != KB_INCONCLUSIVE;
}

static bool is_open(const struct kb_schedule *schedule, size_t i)
{
	return schedule->rows[i].state->designed && !is_done(schedule->context, i);
}

/* The result that has had the least time. */
static double worth(const struct kb_schedule *schedule, size_t i)
{
	const struct comparison *comparison = schedule->context;

	return -(double)comparison->results[i].spent_ns;
}

/* n is found on side A and holds for both; each side proves its own system calls. */
static int prepare(struct kb_schedule *schedule, size_t i)
{
	const struct comparison *comparison = schedule->context;
	const struct kb_ab *ab = comparison->ab;
	struct kb_design *design = &schedule->rows[i].state->design;
	int error = 0;

	for (unsigned side = 0; side < 2 && !error && kb_schedule_fits(schedule, i); side++) {
		error = kb_engine_prove(&ab->side[side], &ab->rows[side][i], kb_rng_next(&schedule->rng) >> 1, schedule->error);
		kb_engine_update(&ab->side[side], ab->rows[side], i);
	}
	if (error || is_over(ab, i) || !kb_schedule_fits(schedule, i))
		return error;
	error = kb_engine_design(&ab->side[0], &schedule->rows[i], kb_rng_next(&schedule->rng) >> 1, schedule->error);
	/* Sides take turns block by block: the change from one to the other must not be most of a block. */
	if (design->grid_count > 1) {
		design->blocks = design->blocks * design->repeats / REPEATS;
		design->repeats = REPEATS;
	}
	if (!error && !schedule->rows[i].state->designed)
		kb_engine_update(&ab->side[0], schedule->rows, i);
	return error;
}

/* The pairs were read when the run did not know the floor of its probe as well as now. */
static int read_again(const struct kb_ab *ab, size_t i, struct kb_pairs *pairs)
{
	const struct kb_floor *floor = ab->side[0].floor;
	unsigned count = (unsigned)pairs->count;
	int error = 0;

	if (!floor || !kb_floor_is_learned(floor))
		return 0;
	kb_pairs_free(pairs);
	for (unsigned number = 1; number <= count && !error; number++)
		error = keep_pair(ab, i, number, pairs);
	return error;
}

/* A result that is open again when its pairs were read again goes on. */
static int measure_all(struct comparison *comparison)
{
	struct kb_schedule *schedule = &comparison->schedule;
	int error = 0;
	bool open = true;

	for (size_t i = 0; i < schedule->count && !error; i++)
		error = prepare(schedule, i);
	for (unsigned round = 0; round < schedule->engine->options->processes && !error; round++)
		error = kb_schedule_round(schedule);
	while (!error && open) {
		error = kb_schedule_refine(schedule);
		open = false;
		for (size_t i = 0; i < schedule->count && !error; i++) {
			error = read_again(comparison->ab, i, &comparison->results[i].pairs);
			open |= kb_schedule_goes_on(schedule, i);
		}
	}
	return error;
}

int kb_ab_run(const struct kb_ab *ab, struct kb_ab_row *results, struct kb_run_outcome *outcome, char error[256])
{
	struct comparison comparison = {
		.schedule = {
			.engine = &ab->side[0], .rows = ab->rows[0], .count = ab->count, .error = error, .context = &comparison,
			.is_open = is_open, .worth = worth, .measure = measure, .refine = kb_schedule_visit,
		},
		.ab = ab, .results = results,
	};
	int result = kb_schedule_begin(&comparison.schedule);

	for (size_t i = 0; i < ab->count && !result; i++)
		result = kb_row_begin(&ab->rows[1][i]);
	if (!result)
		result = measure_all(&comparison);
	outcome->precision_met = !result;
	for (size_t i = 0; i < ab->count && !result; i++) {
		update(ab, i);
		outcome->precision_met &= is_done(&comparison, i);
	}
	return kb_schedule_end(&comparison.schedule, result, outcome);
}

/* ---- on this machine ----------------------------------------------------------------------------- */

struct request { struct kb_ab *ab; struct kb_ab_row *results; };

static int run_sides(void *context, const struct kb_engine *engines, struct kb_run_outcome *outcome, char error[256])
{
	const struct request *request = context;

	request->ab->side[0] = engines[0];
	request->ab->side[1] = engines[1];
	return kb_ab_run(request->ab, request->results, outcome, error);
}

int kb_ab_rows(struct kb_ab *ab, const struct kb_run_options options[2], const struct kb_run_observer observers[2],
               struct kb_ab_row *results, struct kb_run_outcome *outcome, char error[256])
{
	return kb_machine_run(2, options, observers, run_sides, &(struct request){ ab, results }, outcome, error);
}
