#include "run/ab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "io.h"
#include "result/uncontended.h"
#include "run/process/machine.h"
#include "run/process/process.h"

/* Comparison blocks of a pair of processes: enough for a median, few enough that many fresh processes fit. */
#define BLOCKS_MIN 20u
#define BLOCKS_MAX 150u
#define EXTENSIONS 4u           /* of a pair that saw too little uncontended time, by half of its blocks each */
#define REPEATS 3u              /* of the grid in a block */

/* Two launches in turns. */
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

/* The first side is drawn anew for each block, so that no period of the machine can favour one. */
static bool abba(struct turns *turns)
{
	unsigned first = (unsigned)kb_rng_below(&turns->rng, 2);

	return letter(turns, first, false) && letter(turns, !first, false) && letter(turns, !first, false) &&
	       letter(turns, first, false);
}

static unsigned clamp_blocks(unsigned blocks)
{
	return blocks < BLOCKS_MIN ? BLOCKS_MIN : blocks > BLOCKS_MAX ? BLOCKS_MAX : blocks;
}

static bool take_turns(struct turns *turns, unsigned blocks)
{
	for (unsigned done = 0; done < blocks; done++) {
		if (!abba(turns))
			return false;
	}
	return true;
}

static bool warm_up(struct turns *turns)
{
	unsigned first = (unsigned)kb_rng_below(&turns->rng, 2);

	for (unsigned warm = 0; warm < KB_PAIR_WARM; warm++) {
		if (!letter(turns, first, true) || !letter(turns, !first, true))
			return false;
	}
	return true;
}

/* A pair in which a side saw some uncontended time, but too little, goes on for a while: as a process of a run does. */
static void measure_turns(struct turns *turns)
{
	/* Two blocks of each side make one; and more pairs that are half as long as a process of a run tell more than fewer whole ones. */
	unsigned blocks = clamp_blocks(turns->design->blocks / 4);
	bool alive = warm_up(turns) && take_turns(turns, blocks);

	for (unsigned i = 0; alive && i < EXTENSIONS; i++) {
		unsigned a = kb_engine_clean_blocks(turns->engine[0]), b = kb_engine_clean_blocks(turns->engine[1]);

		if ((a >= KB_CLEAN_BLOCKS && b >= KB_CLEAN_BLOCKS) || (i > 0 && (a == 0 || b == 0)) ||
		    kb_wall_ns() + turns->row[0]->state->launch_ns / 2 > turns->engine[0]->deadline_ns)
			return;
		alive = take_turns(turns, blocks / 2);
	}
}

static int open_side(struct turns *turns, unsigned side, uint64_t seed, char error[256])
{
	turns->row[side]->state->launches = turns->pair;
	return kb_engine_open(turns->engine[side], turns->row[side], turns->design->header, turns->pair, 0, seed, error);
}

/* Both sides get one seed: what a benchmark draws from it (a ring, an order) must not be the difference. */
static int run_turns(struct turns *turns, uint64_t seed, char error[256])
{
	uint64_t started_ns = kb_wall_ns();
	unsigned first = seed & 1;
	bool opened[2] = { false, false };

	kb_rng_seed(&turns->rng, seed);
	int result = open_side(turns, first, seed, error);

	if (result)
		return result;
	opened[first] = true;
	result = open_side(turns, !first, seed, error);
	opened[!first] = result == 0;
	if (!result)
		measure_turns(turns);
	/* In order of their numbers: so they are kept. */
	for (unsigned side = 0; side < 2; side++) {
		int ended = opened[side] ? kb_engine_finish(turns->engine[side], turns->row[side], started_ns) : 0;

		result = result ? result : ended;
	}
	return result;
}

/* ---- the schedule -------------------------------------------------------------------------------- */

struct schedule {
	const struct kb_ab *ab;
	struct kb_ab_row *results;
	size_t *order;                  /* of the rows */
	unsigned launches;              /* made */
	struct kb_rng rng;
	char *error;
};

static const struct kb_kept *text_of(const struct kb_row *row, unsigned launch)
{
	for (size_t i = row->state->text_count; i-- > 0;) {
		if (row->state->texts[i].launch == launch)
			return &row->state->texts[i];
	}
	return NULL;
}

static int add_pair(struct kb_pairs *pairs, const struct kb_kept *a, const struct kb_kept *b, const struct kb_floor *floor)
{
	struct kb_launch_text *text_a = kb_kept_unpack(a, 1), *text_b = kb_kept_unpack(b, 1);
	int error = text_a && text_b ? kb_pairs_add(pairs, text_a, text_b, floor) : -ENOMEM;

	kb_kept_release(text_a, 1);
	kb_kept_release(text_b, 1);
	return error;
}

static int keep_pair(const struct kb_ab *ab, size_t i, unsigned number, struct kb_pairs *pairs)
{
	static const struct kb_floor unknown = { .k = 0 };
	const struct kb_kept *a = text_of(&ab->rows[0][i], number), *b = text_of(&ab->rows[1][i], number);

	if (!a || !b) /* the budget ended it, which is no fault of its own: it is not kept, and there is no pair */
		return 0;
	return add_pair(pairs, a, b, ab->side[0].floor ? ab->side[0].floor : &unknown);
}

static int measure(struct schedule *schedule, size_t i)
{
	const struct kb_ab *ab = schedule->ab;
	struct kb_ab_row *row = &schedule->results[i];
	uint64_t started_ns = kb_wall_ns();
	struct turns turns = {
		.engine = { &ab->side[0], &ab->side[1] }, .row = { &ab->rows[0][i], &ab->rows[1][i] },
		.pair = (unsigned)row->pairs.count + 1, .design = &ab->rows[0][i].state->design,
	};
	int error = run_turns(&turns, kb_rng_next(&schedule->rng) >> 1, schedule->error);

	schedule->launches += 2;
	row->spent_ns += kb_wall_ns() - started_ns;
	if (!error && !kb_run_stopping())
		error = keep_pair(ab, i, turns.pair, &row->pairs);
	if (error || row->pairs.count == 0)
		return error;
	/* Analysing all processes again takes longer the more there are: only where it may end the row. */
	if (row->pairs.count == 1 || row->pairs.pairs[row->pairs.count - 1].why == KB_CODE_record_truncated) {
		kb_engine_update(&ab->side[0], ab->rows[0], i);
		kb_engine_update(&ab->side[1], ab->rows[1], i);
	}
	return 0;
}

static bool is_over(const struct schedule *schedule, size_t i)
{
	return schedule->ab->rows[0][i].state->over || schedule->ab->rows[1][i].state->over;
}

/* Told apart, or equivalent: asked only at the looks that the level of a decision allows for. */
static bool is_decided(const struct schedule *schedule, size_t i)
{
	const struct kb_pairs *pairs = &schedule->results[i].pairs;

	if (!kb_is_look(kb_pairs_speaking(pairs)) || kb_pairs_wait(pairs))
		return false;
	struct kb_difference difference = kb_pairs_difference(pairs, schedule->ab->margin);

	return kb_decide(&difference, schedule->ab->margin) != KB_INCONCLUSIVE;
}

static bool done(const struct schedule *schedule, size_t i)
{
	size_t pairs = schedule->results[i].pairs.count;

	if (is_over(schedule, i) || pairs >= KB_PAIRS_MOST)
		return true;
	if (pairs < schedule->ab->side[0].options->launches)
		return false;
	return schedule->ab->rows[0][i].result.bound == KB_NOTHING || is_decided(schedule, i);
}

static bool fits(const struct schedule *schedule, size_t i)
{
	const struct kb_ab *ab = schedule->ab;

	return !kb_run_stopping() && kb_wall_ns() + ab->rows[0][i].state->launch_ns < ab->side[0].deadline_ns;
}

static void tell_progress(const struct schedule *schedule, size_t now)
{
	const struct kb_engine *engine = &schedule->ab->side[0];
	uint64_t time = kb_wall_ns();
	unsigned open = 0;

	for (size_t i = 0; i < schedule->ab->count; i++)
		open += !done(schedule, i);
	if (engine->observer->progress)
		engine->observer->progress(engine->observer->context, &schedule->ab->rows[0][now], schedule->launches, open,
		                           time < engine->deadline_ns ? engine->deadline_ns - time : 0);
}

/* Sides take turns block by block: the change from one to the other must not be most of a block. */
static void lengthen(struct kb_design *design)
{
	if (design->grid_count > 1) {
		design->blocks = design->blocks * design->repeats / REPEATS;
		design->repeats = REPEATS;
	}
}

/* n is found on side A and holds for both; each side proves its own system calls. */
static int prepare(struct schedule *schedule, size_t i)
{
	const struct kb_ab *ab = schedule->ab;
	int error = 0;

	for (unsigned side = 0; side < 2 && !error && fits(schedule, i); side++) {
		error = kb_engine_prove(&ab->side[side], &ab->rows[side][i], kb_rng_next(&schedule->rng) >> 1, schedule->error);
		kb_engine_update(&ab->side[side], ab->rows[side], i);
	}
	if (error || is_over(schedule, i) || !fits(schedule, i))
		return error;
	error = kb_engine_design(&ab->side[0], &ab->rows[0][i], kb_rng_next(&schedule->rng) >> 1, schedule->error);
	lengthen(&ab->rows[0][i].state->design);
	if (!error && !ab->rows[0][i].state->designed)
		kb_engine_update(&ab->side[0], ab->rows[0], i);
	return error;
}

static bool can_go_on(const struct schedule *schedule, size_t i)
{
	return schedule->ab->rows[0][i].state->designed && !done(schedule, i) && fits(schedule, i);
}

/* One pair of processes of every row that needs more, in a new order. */
static int round_of_all(struct schedule *schedule)
{
	int error = 0;

	kb_rng_shuffle(&schedule->rng, schedule->order, schedule->ab->count, sizeof *schedule->order);
	for (size_t k = 0; k < schedule->ab->count && !error; k++) {
		size_t i = schedule->order[k];

		if (!can_go_on(schedule, i))
			continue;
		tell_progress(schedule, i);
		error = measure(schedule, i);
	}
	return error;
}

/* Of the rows that are not decided: the one that has had the least time. */
static size_t least_served(const struct schedule *schedule)
{
	size_t count = schedule->ab->count, best = count;

	for (size_t i = 0; i < count; i++) {
		if (can_go_on(schedule, i) && (best == count || schedule->results[i].spent_ns < schedule->results[best].spent_ns))
			best = i;
	}
	return best;
}

/* The pairs were read when the run did not know the floor of its probe as well as now. */
static int read_again(const struct kb_ab *ab, size_t i, struct kb_pairs *pairs)
{
	const struct kb_floor *floor = ab->side[0].floor;
	unsigned count = (unsigned)pairs->count;
	int error = 0;

	if (!floor || (floor->from != KB_FLOOR_RUN && floor->from != KB_FLOOR_UNKNOWN))
		return 0;
	kb_pairs_free(pairs);
	for (unsigned number = 1; number <= count && !error; number++)
		error = keep_pair(ab, i, number, pairs);
	return error;
}

/* Until all rows are decided, or the budget is over. A row that is open again when its pairs were read again goes on. */
static int decide_all(struct schedule *schedule)
{
	size_t count = schedule->ab->count;
	int error = 0;

	do {
		for (size_t i; !error && (i = least_served(schedule)) < count;) {
			tell_progress(schedule, i);
			error = measure(schedule, i);
		}
		for (size_t i = 0; i < count && !error; i++)
			error = read_again(schedule->ab, i, &schedule->results[i].pairs);
	} while (!error && least_served(schedule) < count);
	return error;
}

static int run_schedule(struct schedule *schedule)
{
	int error = 0;

	for (size_t i = 0; i < schedule->ab->count && !error; i++)
		error = prepare(schedule, i);
	for (unsigned round = 0; round < schedule->ab->side[0].options->launches && !error; round++)
		error = round_of_all(schedule);
	return error ? error : decide_all(schedule);
}

static int begin_rows(const struct kb_ab *ab)
{
	for (size_t i = 0; i < ab->count; i++) {
		if (kb_row_begin(&ab->rows[0][i]) || kb_row_begin(&ab->rows[1][i]))
			return -ENOMEM;
	}
	return 0;
}

int kb_ab_run(const struct kb_ab *ab, struct kb_ab_row *results, struct kb_run_outcome *outcome, char error[256])
{
	struct schedule schedule = {
		.ab = ab, .results = results, .order = calloc(ab->count + 1, sizeof *schedule.order), .error = error,
	};
	int result = schedule.order ? begin_rows(ab) : -ENOMEM;

	kb_rng_seed(&schedule.rng, ab->side[0].options->seed);
	for (size_t i = 0; i < ab->count && !result; i++)
		schedule.order[i] = i;
	if (!result)
		result = run_schedule(&schedule);
	outcome->launches = schedule.launches;
	outcome->signal = kb_run_stop_signal();
	outcome->interrupted = outcome->signal != 0;
	outcome->precision_met = !result;
	for (size_t i = 0; i < ab->count && !result; i++) {
		kb_engine_update(&ab->side[0], ab->rows[0], i);
		kb_engine_update(&ab->side[1], ab->rows[1], i);
		outcome->precision_met = outcome->precision_met && done(&schedule, i);
	}
	if (result == -ENOMEM)
		snprintf(error, 256, "out of memory");
	free(schedule.order);
	return result;
}

/* ---- on this machine ----------------------------------------------------------------------------- */

static int run_processes(struct kb_ab *ab, struct kb_process *process[2], struct kb_ab_row *results,
                         struct kb_run_outcome *outcome, char error[256])
{
	struct kb_transport transport[2];

	for (unsigned i = 0; i < 2; i++) {
		if (!process[i])
			return snprintf(error, 256, "out of memory"), -ENOMEM;
		transport[i] = kb_process_transport(process[i]);
		ab->side[i].transport = &transport[i];
	}
	/* What runs for the other side is no stray when a process of this one ends. */
	kb_process_with(process[0], process, 2);
	kb_process_with(process[1], process, 2);
	return kb_ab_run(ab, results, outcome, error);
}

int kb_ab_rows(struct kb_ab *ab, const struct kb_run_options options[2], const struct kb_run_observer observers[2],
               struct kb_ab_row *results, struct kb_run_outcome *outcome, char error[256])
{
	struct kb_ratios ratios = { .all = 0 };
	struct kb_machine machine;
	struct kb_process *process[2];
	int result = kb_machine_open(&machine, &options[0], outcome, error);

	if (result)
		return result;
	outcome->floor = options[0].floor;
	for (unsigned i = 0; i < 2; i++) {
		ab->side[i] = (struct kb_engine){
			.clock = &outcome->clock, .options = &options[i], .observer = &observers[i],
			.deadline_ns = machine.started_ns + options[0].budget_ns - options[0].budget_ns / 100, .probe = outcome->probe, .floor = &outcome->floor,
			.ratios = &ratios,
		};
		process[i] = kb_process_new(&options[i], &machine.guardian, machine.scratch);
	}
	result = run_processes(ab, process, results, outcome, error);
	outcome->k = kb_ratios_mode(&ratios, &(bool){ false });
	for (unsigned i = 0; i < 2; i++)
		kb_process_free(process[i]);
	kb_machine_close(&machine, outcome);
	return result;
}
