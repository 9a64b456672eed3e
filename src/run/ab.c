#include "run/ab.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "io.h"
#include "run/machine.h"
#include "run/process.h"

/* Comparison blocks of a launch: enough for the median's interval, few enough that many fresh launches fit. */
#define BLOCKS_MIN 30u
#define BLOCKS_MAX 150u
#define REPEATS 3u              /* of the grid in a block */
#define TARGET 0.25             /* of the margin: a half-width that leaves room to decide */

/* Two launches in turns. */
struct turns {
	const struct kb_engine *engine[2];
	struct kb_row *row[2];
	unsigned launch[2];
	const struct kb_design *design;
	struct kb_ab_row *result;       /* its costs are added to */
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

static unsigned clamp_blocks(size_t blocks)
{
	return blocks < BLOCKS_MIN ? BLOCKS_MIN : blocks > BLOCKS_MAX ? BLOCKS_MAX : (unsigned)blocks;
}

static void take_turns(struct turns *turns)
{
	unsigned blocks = clamp_blocks(turns->result->blocks ? turns->result->blocks : turns->design->blocks / 2), done = 0;

	for (unsigned warm = 0; warm < KB_PAIR_WARM; warm++) {
		if (!letter(turns, 0, true) || !letter(turns, 1, true))
			return;
	}
	uint64_t started_ns = kb_wall_ns();

	while (done < blocks && abba(turns))
		done++;
	turns->result->cost_ns[0] += (double)(kb_wall_ns() - started_ns);
	turns->result->cost_blocks += done;
}

static int open_side(struct turns *turns, unsigned side, uint64_t seed, char error[256])
{
	turns->row[side]->state->launches = turns->launch[side];
	return kb_engine_open(turns->engine[side], turns->row[side], turns->design->header, turns->launch[side], 0, seed, error);
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
		take_turns(turns);
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
	size_t *order;                  /* twice the rows: comparisons and self-tests */
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

static int add_pair(struct kb_pairs *pairs, const struct kb_kept *a, const struct kb_kept *b)
{
	struct kb_launch_text *text_a = kb_kept_unpack(a, 1), *text_b = kb_kept_unpack(b, 1);
	int error = text_a && text_b ? kb_pairs_add(pairs, text_a, text_b) : -ENOMEM;

	kb_kept_release(text_a, 1);
	kb_kept_release(text_b, 1);
	return error;
}

static int measure(struct schedule *schedule, size_t i, bool self)
{
	const struct kb_ab *ab = schedule->ab;
	struct kb_ab_row *row = &schedule->results[i];
	struct kb_pairs *pairs = self ? &row->self : &row->pairs;
	uint64_t started_ns = kb_wall_ns();
	unsigned next = (unsigned)pairs->count + 1;
	struct turns turns = {
		.engine = { self ? &ab->self[0] : &ab->side[0], self ? &ab->self[1] : &ab->side[1] },
		.row = { self ? &ab->self_rows[i] : &ab->rows[0][i], self ? &ab->self_rows[i] : &ab->rows[1][i] },
		.launch = { self ? 2 * next - 1 : next, self ? 2 * next : next }, .design = &ab->rows[0][i].state->design,
		.result = row,
	};
	int error = run_turns(&turns, kb_rng_next(&schedule->rng) >> 1, schedule->error);

	schedule->launches += 2;
	row->cost_ns[1] += (double)(kb_wall_ns() - started_ns);
	row->cost_pairs++;
	if (error || kb_run_stopping())
		return error;

	const struct kb_kept *a = text_of(turns.row[0], turns.launch[0]), *b = text_of(turns.row[1], turns.launch[1]);

	if (!a || !b) /* the budget ended it, which is no fault of its own: it is not kept, and there is no pair */
		return 0;
	error = add_pair(pairs, a, b);
	/* Analysing all launches again takes longer the more there are: only where it may end the row. */
	if (pairs->count == 1 || pairs->pairs[pairs->count - 1].why == KB_CODE_record_truncated) {
		kb_engine_update(turns.engine[0], turns.row[0] - i, i);
		kb_engine_update(turns.engine[1], turns.row[1] - i, i);
	}
	return error;
}

bool kb_ab_plan(const struct kb_ab_row *row, double budget_ns, size_t plan[2])
{
	struct kb_levels levels;

	if (row->cost_blocks == 0 || !kb_pairs_levels(&row->pairs, &levels))
		return false;
	kb_levels_plan(&levels, (const double[]){ row->cost_ns[0] / (double)row->cost_blocks,
	                                          (row->cost_ns[1] - row->cost_ns[0]) / (double)row->cost_pairs },
	               budget_ns, plan);
	return true;
}

/* After the first launches: from now on as many blocks as their split of variances asks for. Half the time that is
   left goes to the self-test. */
static void plan_row(struct schedule *schedule, size_t i)
{
	uint64_t now = kb_wall_ns(), end = schedule->ab->side[0].deadline_ns;
	size_t plan[2];

	if (end > now && kb_ab_plan(&schedule->results[i], (double)(end - now) / 2 / (double)schedule->ab->count, plan))
		schedule->results[i].blocks = clamp_blocks(plan[0]);
}

/* Half-width over target; above 1: not precise enough. Fewer pairs than a decision needs are not, unless so few were asked for. */
static double width(const struct schedule *schedule, size_t i)
{
	unsigned fewest = schedule->ab->side[0].options->launches < KB_LAUNCHES_MIN ? 2 : KB_LAUNCHES_MIN;
	struct kb_interval ln = kb_pairs_difference(&schedule->results[i].pairs, 0).ln;

	if (kb_pairs_speaking(&schedule->results[i].pairs) < fewest || !ln.known)
		return INFINITY;
	return (ln.high - ln.low) / 2 / (TARGET * schedule->ab->margin);
}

static bool is_over(const struct schedule *schedule, size_t i)
{
	const struct kb_ab *ab = schedule->ab;

	return ab->rows[0][i].state->over || ab->rows[1][i].state->over || ab->self_rows[i].state->over;
}

static bool done(const struct schedule *schedule, size_t i)
{
	size_t pairs = schedule->results[i].pairs.count;

	if (is_over(schedule, i) || pairs >= KB_AB_PAIRS_MAX)
		return true;
	if (pairs < schedule->ab->side[0].options->launches)
		return false;
	return schedule->ab->rows[0][i].result.bound == KB_NOTHING || width(schedule, i) <= 1;
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
	if (design->grid_count > 1)
		design->repeats = REPEATS;
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

/* One pair of launches of every row that needs more, and one of its self-test, in a new order. */
static int round_of_all(struct schedule *schedule)
{
	size_t count = schedule->ab->count;
	int error = 0;

	kb_rng_shuffle(&schedule->rng, schedule->order, 2 * count, sizeof *schedule->order);
	for (size_t k = 0; k < 2 * count && !error; k++) {
		size_t i = schedule->order[k] / 2;
		bool self = schedule->order[k] % 2;

		/* A self-test never runs ahead for ever: it ends when its row does. */
		if (is_over(schedule, i) || !schedule->ab->rows[0][i].state->designed || (done(schedule, i) && !self) ||
		    !fits(schedule, i))
			continue;
		tell_progress(schedule, i);
		error = measure(schedule, i, self);
	}
	return error;
}

static size_t widest(const struct schedule *schedule)
{
	size_t count = schedule->ab->count, best = count;

	for (size_t i = 0; i < count; i++) {
		if (!done(schedule, i) && schedule->ab->rows[0][i].state->designed && fits(schedule, i) &&
		    (best == count || width(schedule, i) > width(schedule, best)))
			best = i;
	}
	return best;
}

static int refine(struct schedule *schedule)
{
	for (size_t i; (i = widest(schedule)) < schedule->ab->count;) {
		unsigned first = (unsigned)kb_rng_below(&schedule->rng, 2);

		tell_progress(schedule, i);
		int error = measure(schedule, i, first);

		if (!error && fits(schedule, i) && !is_over(schedule, i))
			error = measure(schedule, i, !first);
		if (error)
			return error;
	}
	return 0;
}

static int run_schedule(struct schedule *schedule)
{
	int error = 0;

	for (size_t i = 0; i < schedule->ab->count && !error; i++)
		error = prepare(schedule, i);
	for (unsigned round = 0; round < schedule->ab->side[0].options->launches && !error; round++)
		error = round_of_all(schedule);
	for (size_t i = 0; i < schedule->ab->count; i++)
		plan_row(schedule, i);
	return error ? error : refine(schedule);
}

static int begin_rows(const struct kb_ab *ab)
{
	for (size_t i = 0; i < ab->count; i++) {
		if (kb_row_begin(&ab->rows[0][i]) || kb_row_begin(&ab->rows[1][i]) || kb_row_begin(&ab->self_rows[i]))
			return -ENOMEM;
	}
	return 0;
}

int kb_ab_run(const struct kb_ab *ab, struct kb_ab_row *results, struct kb_run_outcome *outcome, char error[256])
{
	struct schedule schedule = {
		.ab = ab, .results = results, .order = calloc(2 * ab->count + 1, sizeof *schedule.order), .error = error,
	};
	int result = schedule.order ? begin_rows(ab) : -ENOMEM;

	kb_rng_seed(&schedule.rng, ab->side[0].options->seed);
	for (size_t i = 0; i < 2 * ab->count && !result; i++)
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
		kb_engine_update(&ab->self[0], ab->self_rows, i);
		outcome->precision_met = outcome->precision_met && done(&schedule, i);
	}
	if (result == -ENOMEM)
		snprintf(error, 256, "out of memory");
	free(schedule.order);
	return result;
}

/* ---- on this machine ----------------------------------------------------------------------------- */

/* Side A twice: the second collector is the other side of its self-test. */
static int run_processes(struct kb_ab *ab, struct kb_process *process[3], struct kb_ab_row *results,
                         struct kb_run_outcome *outcome, char error[256])
{
	struct kb_transport transport[3];

	for (unsigned i = 0; i < 3; i++) {
		if (!process[i])
			return snprintf(error, 256, "out of memory"), -ENOMEM;
		transport[i] = kb_process_transport(process[i]);
	}
	ab->side[0].transport = ab->self[0].transport = &transport[0];
	ab->side[1].transport = &transport[1];
	ab->self[1].transport = &transport[2];
	kb_process_beside(process[0], (struct kb_process *[]){ process[1], process[2] });
	kb_process_beside(process[1], (struct kb_process *[]){ process[0], process[2] });
	kb_process_beside(process[2], (struct kb_process *[]){ process[0], process[1] });
	return kb_ab_run(ab, results, outcome, error);
}

int kb_ab_rows(struct kb_ab *ab, const struct kb_run_options options[2], const struct kb_run_observer observers[3],
               struct kb_ab_row *results, struct kb_run_outcome *outcome, char error[256])
{
	struct kb_machine machine;
	struct kb_process *process[3];
	int result = kb_machine_open(&machine, &options[0], outcome, error);

	if (result)
		return result;
	for (unsigned i = 0; i < 2; i++) {
		ab->side[i] = (struct kb_engine){
			.clock = &outcome->clock, .options = &options[i], .observer = &observers[i],
			.deadline_ns = machine.started_ns + options[0].budget_ns,
		};
		ab->self[i] = ab->side[i];
		ab->self[i].options = &options[0];
		ab->self[i].observer = &observers[2];
	}
	for (unsigned i = 0; i < 3; i++)
		process[i] = kb_process_new(&options[i == 1], &machine.guardian, machine.scratch);
	result = run_processes(ab, process, results, outcome, error);
	for (unsigned i = 0; i < 3; i++)
		kb_process_free(process[i]);
	kb_machine_close(&machine, outcome);
	return result;
}
