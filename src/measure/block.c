/*
 * Executes one block. The observations stay in memory until the block is over, so that no write falls between two
 * intervals; between them only the probe and the benchmark's own untimed hooks run.
 */
#include "measure/measure.h"
#include "kbench_code.h"

static int note(struct kb_measure *measure, const char *stage, int error)
{
	if (error)
		measure->stage = stage;
	return error;
}

/* The two readings and nothing else. base may be missing: then its circle is nothing at all. */
static int timed(struct kb_measure *measure, int (*circle)(struct kb_run *, uint64_t), uint64_t n,
                 uint64_t *start, uint64_t *ticks)
{
	const struct kb_clock *clock = measure->clock;
	int error = 0;

	*start = clock->begin();
	if (circle)
		error = circle(measure->run, n);
	uint64_t stop = clock->end();

	*ticks = stop - *start;
	return error;
}

static int run_op(struct kb_measure *measure, uint64_t n, uint64_t *start, uint64_t *ticks)
{
	const struct kb_bench *bench = measure->run->bench;

	if (!bench->observe)
		return timed(measure, bench->op, n, start, ticks);
	*start = measure->clock->begin();
	return bench->observe(measure->run, n, ticks);
}

static unsigned probe_after(struct kb_measure *measure, struct kb_obs *obs)
{
	const struct kb_probe *probe = measure->probe;

	return probe->after ? probe->after(probe->context, obs->role, obs->n, obs->ticks, &obs->cpu) : 0;
}

static void probe_before(struct kb_measure *measure, enum kb_role role)
{
	if (measure->probe->before)
		measure->probe->before(measure->probe->context, role);
}

/* Before the probe, whose readings shall not hold the time that was spent waiting for others. */
static int line_up(struct kb_measure *measure)
{
	return measure->line_up ? note(measure, "barrier", measure->line_up(measure->line)) : 0;
}

static int observe_op(struct kb_measure *measure, struct kb_obs *obs, uint64_t *start)
{
	const struct kb_bench *bench = measure->run->bench;
	int error = bench->before ? note(measure, "before", bench->before(measure->run, obs->n)) : 0;

	if (!error)
		error = line_up(measure);
	if (error)
		return error;
	probe_before(measure, obs->role);
	error = note(measure, "op", run_op(measure, obs->n, start, &obs->ticks));
	obs->flags |= probe_after(measure, obs);
	if (!error && bench->check)
		error = note(measure, "check", bench->check(measure->run, obs->n));
	if (!error && bench->after)
		error = note(measure, "after", bench->after(measure->run, obs->n));
	return error;
}

/* Of a paired benchmark both kinds of interval begin in the state that `before` makes: their difference is the operation. */
static int observe_base(struct kb_measure *measure, struct kb_obs *obs, uint64_t *start)
{
	const struct kb_bench *bench = measure->run->bench;
	bool is_base = obs->role == KB_ROLE_BASE, both = is_base && bench->method == KB_PAIRED;
	int error = both && bench->before ? note(measure, "before", bench->before(measure->run, obs->n)) : 0;

	if (!error)
		error = line_up(measure);
	if (error)
		return error;
	probe_before(measure, obs->role);
	error = note(measure, "base", timed(measure, is_base ? bench->base : NULL, obs->n, start, &obs->ticks));

	obs->flags |= probe_after(measure, obs);
	if (!error && both && bench->after)
		error = note(measure, "after", bench->after(measure->run, obs->n));
	return error;
}

static enum kb_role role_of(enum kb_step_kind kind)
{
	return (enum kb_role)kind; /* the plan and the record use the same letters */
}

/* A step back of the clock shows as a huge unsigned difference. */
static void flag_backwards(struct kb_obs *obs)
{
	if (obs->ticks > UINT64_MAX / 2) {
		obs->flags |= KB_FLAG_BACKWARDS;
		obs->ticks = 0;
	}
}

static int observe(struct kb_measure *measure, const struct kb_block *block, const struct kb_step *step,
                   struct kb_obs *obs)
{
	uint64_t start = 0;

	*obs = (struct kb_obs){
		.role = role_of(step->kind), .n = step->n, .block = block->index,
		.flags = block->warm ? KB_FLAG_WARMUP : 0,
	};
	bool is_op = obs->role == KB_ROLE_OP || obs->role == KB_ROLE_SINGLE;
	int error = is_op ? observe_op(measure, obs, &start) : observe_base(measure, obs, &start);

	if (measure->first == 0)
		measure->first = start;
	obs->t = start >= measure->first ? start - measure->first : 0;
	flag_backwards(obs);
	return error;
}

static void sentinel(struct kb_measure *measure, const struct kb_block *block, enum kb_chain chain, const char *name,
                     uint64_t n, struct kb_sentinel *out)
{
	uint64_t start = measure->clock->begin();
	kb_chain(chain, n, 1, 3);
	uint64_t stop = measure->clock->end();

	*out = (struct kb_sentinel){ .n = n, .ticks = stop - start, .block = block->index };
	for (size_t i = 0; name[i] && i + 1 < sizeof out->name; i++)
		out->name[i] = name[i];
}

/* Two lengths of the dependent chain, because their difference is free of the clock's own cost. */
static unsigned sentinels(struct kb_measure *measure, const struct kb_block *block, struct kb_sentinel *out)
{
	sentinel(measure, block, KB_CHAIN_ADD, "add", KB_SENTINEL_SHORT, &out[0]);
	sentinel(measure, block, KB_CHAIN_ADD, "add", KB_SENTINEL_LONG, &out[1]);
	sentinel(measure, block, KB_CHAIN_ISSUE, "issue", KB_SENTINEL_LONG, &out[2]);
	return 3;
}

#define FIELDS_MAX 768          /* of one observation: all that its hooks can say */

static void emit(struct kb_measure *measure, unsigned observations, unsigned guards)
{
	char fields[FIELDS_MAX];

	for (unsigned i = 0; i < observations; i++) {
		struct kb_obs *obs = &measure->observations[i];

		if (measure->said)
			obs->extra = (struct kb_span){ fields, measure->said(i, fields, sizeof fields) };
		kb_record_obs(measure->out, obs);
	}
	for (unsigned i = 0; i < guards; i++)
		kb_record_sentinel(measure->out, &measure->sentinels[i]);
}

/* How many lines were made. */
struct made { unsigned observations, guards; };

static int guard(struct kb_measure *measure, const struct kb_block *block, struct made *made)
{
	int error = line_up(measure);

	if (!error)
		made->guards += sentinels(measure, block, &measure->sentinels[made->guards]);
	return error;
}

static int run_steps(struct kb_measure *measure, const struct kb_block *block, struct made *made)
{
	int error = 0;

	for (unsigned i = 0; i < block->count && !error; i++) {
		const struct kb_step *step = &block->steps[i];

		measure->at = made->observations;
		if (step->kind == KB_STEP_SENTINEL)
			error = guard(measure, block, made);
		else if (!(error = observe(measure, block, step, &measure->observations[made->observations])))
			made->observations++;
	}
	return error;
}

/* ---- groups -------------------------------------------------------------------------------------- */

/* One test and what re-arms the next: the same short code each time, because it is what the next interval finds in the
   core. No probe, no check; the reading of the clock that starts the first test is the launch's zero, too. */
static int run_test(struct kb_measure *measure, struct kb_obs *obs)
{
	const struct kb_bench *bench = measure->run->bench;
	uint64_t start = 0;
	int error = bench->before ? note(measure, "before", bench->before(measure->run, obs->n)) : 0;

	if (!error)
		error = note(measure, "op", run_op(measure, obs->n, &start, &obs->ticks));
	if (!error && bench->after)
		error = note(measure, "after", bench->after(measure->run, obs->n));
	obs->t = start;
	return error;
}

/* What the probe saw in the whole group stands on its last test: nobody knows which one it was. */
static void end_group(struct kb_measure *measure, const struct kb_block *block, unsigned tests)
{
	struct kb_obs all = { .role = KB_ROLE_OP, .n = block->steps[0].n * tests };

	for (unsigned i = 0; i < tests; i++)
		all.ticks += measure->observations[i].ticks;
	all.flags = probe_after(measure, &all);
	for (unsigned i = 0; i < tests; i++) {
		struct kb_obs *obs = &measure->observations[i];

		if (measure->first == 0)
			measure->first = obs->t;
		obs->t = obs->t >= measure->first ? obs->t - measure->first : 0;
		obs->cpu = all.cpu;
		obs->flags |= i < block->skip ? (unsigned)KB_FLAG_WARMUP : 0;
		obs->flags |= i + 1 == tests ? all.flags : 0;
		flag_backwards(obs);
	}
}

/* The check follows the last test and speaks of all of them. */
static void refute_group(struct kb_measure *measure, unsigned tests)
{
	unsigned refuted = tests > 0 ? measure->observations[tests - 1].flags & KB_FLAG_REFUTED : 0;

	for (unsigned i = 0; i < tests; i++)
		measure->observations[i].flags |= refuted;
}

/* The table is touched before: its page faults belong into no interval. */
static int run_group(struct kb_measure *measure, const struct kb_block *block, struct made *made)
{
	const struct kb_bench *bench = measure->run->bench;
	unsigned tests = block->skip + block->tests;
	int error = 0;

	for (unsigned i = 0; i < tests; i++)
		measure->observations[i] = (struct kb_obs){ .role = KB_ROLE_OP, .n = block->steps[0].n, .block = block->index };
	if (measure->probe->group)
		measure->probe->group(measure->probe->context, tests);
	probe_before(measure, KB_ROLE_OP);
	for (unsigned i = 0; i < tests && !error; i++, made->observations += !error) {
		measure->at = i;
		error = run_test(measure, &measure->observations[i]);
	}
	end_group(measure, block, made->observations);
	if (measure->probe->group)
		measure->probe->group(measure->probe->context, 1);
	if (!error && bench->check)
		error = note(measure, "check", bench->check(measure->run, block->steps[0].n));
	refute_group(measure, made->observations);
	return error;
}

int kb_measure_block(struct kb_measure *measure, const struct kb_block *block)
{
	const struct kb_probe *probe = measure->probe;
	struct made made = { 0, 0 };

	if (probe->block_begin)
		probe->block_begin(probe->context, block->warm);
	int error = (block->tests > 0 ? run_group : run_steps)(measure, block, &made);

	emit(measure, made.observations, made.guards);
	if (error)
		kb_record_fail(measure->out, measure->stage, -error, measure->detail ? measure->detail : "");
	else if (probe->block_end)
		probe->block_end(probe->context, measure->out, block->index);
	return error ? error : measure->out->error;
}
