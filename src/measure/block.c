/*
 * Executes one block. The observations stay in memory until the block is over, so that no write falls between two
 * samples; between them only the probe and the benchmark's own untimed hooks run.
 */
#include "measure/measure.h"

static int note(struct kb_measure *measure, const char *stage, int error)
{
	if (error)
		measure->stage = stage;
	return error;
}

/* The two readings and nothing else. base may be missing: then its timed loop is nothing at all. */
static int timed(struct kb_measure *measure, int (*loop)(struct kb_run *, uint64_t), uint64_t n,
                 uint64_t *start, uint64_t *ticks)
{
	const struct kb_clock *clock = measure->clock;
	int error = 0;

	*start = clock->begin();
	if (loop)
		error = loop(measure->run, n);
	uint64_t stop = clock->end();

	*ticks = stop - *start;
	return error;
}

static int lie(struct kb_measure *measure, const char *detail)
{
	measure->detail = detail;
	return note(measure, "observe", -KB_NO_ERRNO);
}

/* What a benchmark saw by clock readings of its own lies inside the sample. Clocks of two CPUs may differ a little. */
static int bound_ticks(struct kb_measure *measure, uint64_t ticks, uint64_t elapsed)
{
	uint64_t slack = elapsed / 16 + measure->clock->hz / 1000000;

	if (ticks > UINT64_MAX / 2 && elapsed <= UINT64_MAX / 2)
		return lie(measure, "ticks below zero, while the clock went on");
	if (ticks > elapsed + slack && elapsed <= UINT64_MAX / 2)
		return lie(measure, "more ticks than passed in the sample");
	if (ticks > 0 && measure->clock_read && !*measure->clock_read)
		return lie(measure, "ticks, and the clock was not read: kb_now");
	return 0;
}

static int run_op(struct kb_measure *measure, uint64_t n, uint64_t *start, uint64_t *ticks)
{
	const struct kb_bench *bench = measure->run->bench;

	if (!bench->observe)
		return note(measure, "op", timed(measure, bench->op, n, start, ticks));
	if (measure->clock_read)
		*measure->clock_read = false;
	*start = measure->clock->begin();
	int error = note(measure, "op", bench->observe(measure->run, n, ticks));
	uint64_t stop = measure->clock->end();

	return error ? error : bound_ticks(measure, *ticks, stop - *start);
}

/* ---- around a sample ----------------------------------------------------------------------------- */

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

/* Another hardware thread of this core makes it longer. */
static void probe_contention(struct kb_measure *measure)
{
	uint64_t start;

	measure->probing = true;
	measure->probed = kb_contention_probe(measure->clock, measure->loops, &start);
	measure->probed_at = start + measure->probed;
	measure->probing = false;
}

/* Last before the sample, behind all hooks: what comes between the two would age it. */
static void contention_before(struct kb_measure *measure, struct kb_around *around)
{
	if (measure->loops == 0)
		return;
	measure->probing = true;
	uint64_t now = measure->clock->begin();
	measure->probing = false;

	if (measure->probed_at == 0 || now - measure->probed_at > measure->clock->hz / (1000000000u / KB_PROBE_FRESH_NS))
		probe_contention(measure);
	around->before = measure->probed;
}

/* First after the sample, ahead of evidence and hooks. */
static void contention_after(struct kb_measure *measure, struct kb_around *around)
{
	if (measure->loops == 0)
		return;
	probe_contention(measure);
	around->after = measure->probed;
}

static void open_sample(struct kb_measure *measure, struct kb_around *around)
{
	contention_before(measure, around);
	if (measure->probe->arm)
		measure->probe->arm(measure->probe->context);
}

static void close_sample(struct kb_measure *measure, enum kb_role role, struct kb_around *around)
{
	if (measure->probe->disarm)
		measure->probe->disarm(measure->probe->context, role);
	contention_after(measure, around);
}

/* Before the probe, whose readings must not hold the time that was spent waiting for others. */
static int line_up(struct kb_measure *measure)
{
	return measure->line_up ? note(measure, "barrier", measure->line_up(measure->line)) : 0;
}

/* A hook that forked made all memory of this process shared: what is written from here on is copied now, and is no fault that the
   evidence would count as one of the operation. */
static void touch(struct kb_measure *measure, struct kb_obs *obs, uint64_t *start)
{
	volatile unsigned char *written = (volatile unsigned char *)obs;

	*(volatile uint64_t *)&measure->probed = measure->probed;
	*(volatile bool *)&measure->probing = false;
	*(volatile uint64_t *)start = 0;
	written[0] = written[0];
	written[sizeof *obs - 1] = written[sizeof *obs - 1];
}

static int observe_op(struct kb_measure *measure, struct kb_obs *obs, uint64_t *start)
{
	const struct kb_bench *bench = measure->run->bench;
	int error = bench->before ? note(measure, "before", bench->before(measure->run, obs->n)) : 0;

	if (!error)
		error = line_up(measure);
	if (error)
		return error;
	touch(measure, obs, start);
	probe_before(measure, obs->role);
	kb_marks_arm(measure, obs);
	open_sample(measure, &obs->around);
	error = run_op(measure, obs->n, start, &obs->ticks);
	kb_marks_take(measure, *start, obs);
	close_sample(measure, obs->role, &obs->around);
	obs->flags |= probe_after(measure, obs);
	if (!error && bench->check)
		error = note(measure, "check", bench->check(measure->run, obs->n));
	if (!error && bench->after)
		error = note(measure, "after", bench->after(measure->run, obs->n));
	return error;
}

/* Of a paired benchmark both kinds of sample begin in the state that `before` makes: their difference is the operation. */
static int observe_base(struct kb_measure *measure, struct kb_obs *obs, uint64_t *start)
{
	const struct kb_bench *bench = measure->run->bench;
	bool is_base = obs->role == KB_ROLE_BASE, both = is_base && bench->method == KB_PAIRED;
	int error = both && bench->before ? note(measure, "before", bench->before(measure->run, obs->n)) : 0;

	if (!error)
		error = line_up(measure);
	if (error)
		return error;
	touch(measure, obs, start);
	probe_before(measure, obs->role);
	open_sample(measure, &obs->around);
	error = note(measure, "base", timed(measure, is_base ? bench->base : NULL, obs->n, start, &obs->ticks));
	close_sample(measure, obs->role, &obs->around);
	obs->flags |= probe_after(measure, obs);
	if (!error && both && bench->after)
		error = note(measure, "after", bench->after(measure->run, obs->n));
	return error;
}

/* What the memory, or whatever else others share, gives to both is the same in both: their ratio does not have it. */
static int observe_twin(struct kb_measure *measure, struct kb_obs *obs)
{
	struct kb_obs twin = { .role = KB_ROLE_CLOCK, .n = obs->n }; /* of a role that no evidence is about */
	uint64_t start = 0;

	probe_before(measure, twin.role);
	open_sample(measure, &twin.around);
	int error = note(measure, "twin", timed(measure, measure->run->bench->twin, twin.n, &start, &twin.ticks));
	close_sample(measure, twin.role, &twin.around);
	if (!probe_after(measure, &twin) && twin.ticks <= UINT64_MAX / 2)
		obs->twin = twin.ticks;
	return error;
}

/* By turns the twin is first: what one of both leaves behind meets the other. */
static int observe_both(struct kb_measure *measure, struct kb_obs *obs, uint64_t *start)
{
	bool has_twin = obs->role == KB_ROLE_OP && measure->run->twin && measure->run->bench->twin;
	bool first = has_twin && (obs->block + measure->at) % 2 == 1;
	int error = first ? observe_twin(measure, obs) : 0;

	if (!error)
		error = observe_op(measure, obs, start);
	return error || !has_twin || first ? error : observe_twin(measure, obs);
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
		.role = (enum kb_role)step->kind /* by the same letters */, .n = step->n, .block = block->index,
		.flags = block->warm ? KB_FLAG_WARMUP : 0,
	};
	bool is_op = obs->role == KB_ROLE_OP || obs->role == KB_ROLE_SINGLE;
	int error = is_op ? observe_both(measure, obs, &start) : observe_base(measure, obs, &start);

	if (measure->first == 0)
		measure->first = start;
	obs->t = start >= measure->first ? start - measure->first : 0;
	flag_backwards(obs);
	return error;
}

/* ---- the clock probe ----------------------------------------------------------------------------- */

static void probe_clock(struct kb_measure *measure, const struct kb_block *block, uint64_t n, struct kb_probe_line *out)
{
	*out = (struct kb_probe_line){ .name = "clock", .n = n, .block = block->index };
	uint64_t start;

	contention_before(measure, &out->around);
	out->ticks = kb_clock_probe(measure->clock, n, &start);
	contention_after(measure, &out->around);
}

#define FIELDS_MAX 768          /* of one observation: all that its hooks can say */

static void emit(struct kb_measure *measure, unsigned observations, unsigned guards)
{
	char fields[FIELDS_MAX];

	for (unsigned i = 0; i < observations; i++) {
		struct kb_obs *obs = &measure->observations[i];

		if (measure->annotate)
			obs->extra = (struct kb_span){ fields, measure->annotate(i, fields, sizeof fields) };
		kb_record_obs(measure->out, obs);
	}
	for (unsigned i = 0; i < guards; i++)
		kb_record_probe(measure->out, &measure->probes[i]);
}

/* How many lines were made. */
struct made { unsigned observations, guards; };

static int guard(struct kb_measure *measure, const struct kb_block *block, struct made *made)
{
	int error = line_up(measure);

	if (error)
		return error;
	probe_clock(measure, block, KB_CLOCK_PROBE_SHORT, &measure->probes[made->guards++]);
	probe_clock(measure, block, KB_CLOCK_PROBE_LONG, &measure->probes[made->guards++]);
	return 0;
}

static int run_steps(struct kb_measure *measure, const struct kb_block *block, struct made *made)
{
	int error = 0;

	for (unsigned i = 0; i < block->count && !error; i++) {
		const struct kb_step *step = &block->steps[i];

		measure->at = made->observations;
		if (step->kind == KB_STEP_PROBE)
			error = guard(measure, block, made);
		else if (!(error = observe(measure, block, step, &measure->observations[made->observations])))
			made->observations++;
	}
	return error;
}

/* ---- groups -------------------------------------------------------------------------------------- */

/* One test and what re-arms the next: the same short code each time, because it is what the next sample finds in the
   core. No probe, no check; the reading of the clock that starts the first test is the process's zero, too. */
static int run_test(struct kb_measure *measure, struct kb_obs *obs)
{
	const struct kb_bench *bench = measure->run->bench;
	uint64_t start = 0;
	int error = bench->before ? note(measure, "before", bench->before(measure->run, obs->n)) : 0;

	if (!error)
		error = run_op(measure, obs->n, &start, &obs->ticks);
	if (!error && bench->after)
		error = note(measure, "after", bench->after(measure->run, obs->n));
	obs->t = start;
	return error;
}

/* What the probe saw in the whole group stands on its last test: which test it was is not known. */
static void end_group(struct kb_measure *measure, const struct kb_block *block, unsigned tests)
{
	struct kb_obs all = { .role = KB_ROLE_OP, .n = block->steps[0].n * tests };

	for (unsigned i = 0; i < tests; i++)
		all.ticks += measure->observations[i].ticks;
	close_sample(measure, KB_ROLE_OP, &all.around);
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

/* The table is touched before: its page faults belong into no sample. */
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
	open_sample(measure, &(struct kb_around){ 0, 0 });
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

	measure->loops = block->probe;
	kb_marks_begin(measure, block);
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
