/*
 * The clock stands still but for end(), which adds what the interval's work costs: the measuring code says which is a contention
 * probe; of others, one of which the probe was told is one of op, base or nothing, and one of which it was not is the next of a
 * block's two clock probes. So the real measuring code runs unchanged, real chains included, and only their time is made up.
 */
#define _GNU_SOURCE
#include "synthetic_process.h"

#include <math.h>

#define START 1e9               /* a step back of the clock must stay above zero */
#define STEP_BACK 1e6
#define BURST_SHORT 10e3        /* ns */
#define BURST_LONG 3e6
#define GAP_AT_ONCE 30          /* ns, between a sample and the probe that follows it */
#define SKEW 0.5                /* of the lognormal noise */

/* Clocks are called without a context; of several processes alive one measures at a time. */
static struct kb_synthetic_process *running;

/* ---- noise --------------------------------------------------------------------------------------- */

/* Strictly between 0 and 1: logarithms follow. */
static double uniform(struct kb_rng *rng)
{
	return ((double)(kb_rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

/* Box and Muller, 1958. */
static double normal(struct kb_rng *rng)
{
	double radius = sqrt(-2 * log(uniform(rng)));

	return radius * cos(2 * M_PI * uniform(rng));
}

/* Mean 0, variance 1, lognormal of this shape: every day noise is on one side, as bursts are. */
static double skewed(struct kb_rng *rng, double shape)
{
	double mean = exp(shape * shape / 2), variance = (exp(shape * shape) - 1) * exp(shape * shape);

	return (exp(shape * normal(rng)) - mean) / sqrt(variance);
}

/* One part of an interval, and one of its n operations: the sum of n skewed ones is skewed 1/sqrt(n) as much. A turn
   of the circle without the operation brings its share. */
static double noise(struct kb_synthetic_process *process)
{
	const struct kb_synthetic *model = process->model;
	double n = (double)process->n, v1 = kb_synthetic_or(model->v1, SYNTHETIC_V1);
	double own = skewed(&process->rng, SKEW) * sqrt(kb_synthetic_or(model->v0, SYNTHETIC_V0));

	if (process->role == KB_ROLE_BASE)
		v1 *= kb_synthetic_or(model->base, SYNTHETIC_BASE) / kb_synthetic_or(model->op, SYNTHETIC_OP);
	return model->folded ? own : own + skewed(&process->rng, SKEW / sqrt(n)) * sqrt(v1 * n);
}

static double burst(struct kb_synthetic_process *process)
{
	const struct kb_synthetic *model = process->model;

	if (uniform(&process->rng) >= model->bursts)
		return 0;
	if (uniform(&process->rng) >= model->blind)
		process->flags |= model->burst_flags ? model->burst_flags : KB_FLAG_SWITCH | KB_FLAG_GAP;
	return BURST_SHORT * pow(BURST_LONG / BURST_SHORT, uniform(&process->rng));
}

/* ---- the clock ----------------------------------------------------------------------------------- */

static double drift(struct kb_synthetic_process *process)
{
	const struct kb_synthetic *model = process->model;

	process->ar = model->ar * process->ar + sqrt(1 - model->ar * model->ar) * model->ar_sd * normal(&process->rng);
	return 1 + process->ar + model->drift * (process->now - START) * 1e-9;
}

static double shift(const struct kb_synthetic_process *process)
{
	const struct kb_synthetic *model = process->model;
	unsigned now = process->ops + 1;
	bool here = !model->shift_processes || model->shift_processes >> process->request.process & 1;

	if (process->role != KB_ROLE_OP || !here || now < model->shift_from || (model->shift_to && now > model->shift_to))
		return 1;
	return 1 + model->shift;
}

static double interval(struct kb_synthetic_process *process)
{
	const struct kb_synthetic *model = process->model;
	double ticks = SYNTHETIC_CLOCK_COST;

	if (process->role == KB_ROLE_CLOCK && process->n == 0) /* a twin has operations */
		return ticks;
	ticks += process->second ? model->second : 0;
	process->second = !process->second;
	ticks += kb_synthetic_or(model->fixed, SYNTHETIC_FIXED) + noise(process);
	ticks += process->work * process->factor * shift(process) * drift(process);
	if (process->role == KB_ROLE_OP && process->block_ops++ < model->cold)
		ticks += model->cold_op * (double)process->n;
	if (process->role != KB_ROLE_BASE && uniform(&process->rng) < model->outliers)
		ticks += model->outlier * (double)process->n;
	return ticks + burst(process);
}

static bool is_slow(const struct kb_synthetic_process *process)
{
	return process->model->slow_process == process->request.process && process->request.process > 0;
}

static double clock_probe(struct kb_synthetic_process *process)
{
	double adds = process->long_chain ? KB_CLOCK_PROBE_LONG : KB_CLOCK_PROBE_SHORT, add = SYNTHETIC_ADD;

	process->long_chain = !process->long_chain;
	if (is_slow(process))
		add *= kb_synthetic_or(process->model->slow_add, 1);
	return SYNTHETIC_CLOCK_COST + adds * add + 2 * skewed(&process->rng, SKEW);
}

static uint64_t reading(const struct kb_synthetic_process *process)
{
	double step = (double)process->machine->clock.quantum;

	return (uint64_t)(floor(process->now / step) * step);
}

/* Between two intervals something else happens, so they start at any place between two steps of the clock. A contention probe
   follows its sample at once, and a sample the reading that finds the last probe fresh. */
static double gap(struct kb_synthetic_process *process)
{
	bool at_once = process->measure.loops > 0 && (process->begun || (process->measure.probing && process->sampled));

	return at_once ? GAP_AT_ONCE : 1000 + 500 * uniform(&process->rng);
}

static uint64_t begin(void)
{
	kb_synthetic_pass(running, gap(running), SYNTHETIC_CHAIN);
	running->begun = true;
	running->work = 0;
	running->n = 0;
	return reading(running);
}

static void pass(struct kb_synthetic_process *process)
{
	if (process->measure.probing)
		kb_synthetic_pass(process, kb_synthetic_probe_ticks(process), SYNTHETIC_PROBE);
	else if (process->told)
		kb_synthetic_pass(process, interval(process), SYNTHETIC_WORK);
	else
		kb_synthetic_pass(process, clock_probe(process), SYNTHETIC_CHAIN);
}

static uint64_t end(void)
{
	struct kb_synthetic_process *process = running;
	bool is_op = process->told && process->role == KB_ROLE_OP;

	process->begun = false;
	if (process->measure.probing) {
		pass(process);
		process->sampled = false;
		return reading(process);
	}
	process->flags = 0;
	pass(process);
	process->sampled = true;
	process->last = process->told ? process->role : KB_ROLE_CLOCK;
	if (is_op && ++process->ops == process->model->back_at)
		process->now -= STEP_BACK;
	return reading(process);
}

void kb_synthetic_start(struct kb_synthetic_process *process)
{
	const struct kb_synthetic *model = process->model;

	kb_rng_seed(&process->rng, process->request.seed ^ 0x5eed5eed5eed5eedu);
	process->now = START;
	process->ar = model->ar_sd * normal(&process->rng);
	process->factor = 1 + model->process_sd * normal(&process->rng) + model->creep * process->request.process;
	if (is_slow(process))
		process->factor *= kb_synthetic_or(model->slow_op, 1);
	if (model->odd_share > 0 && uniform(&process->rng) < model->odd_share)
		process->factor *= 1 + model->odd;
	kb_synthetic_regimes_start(process);
}

void kb_synthetic_turn(struct kb_synthetic_process *process)
{
	running = process;
}

struct kb_clock kb_synthetic_clock(const struct kb_synthetic *model)
{
	return (struct kb_clock){
		.name = model->clock ? model->clock : "synthetic", .begin = begin, .end = end, .hz = 1000000000, .cost = SYNTHETIC_CLOCK_COST,
		.quantum = model->quantum ? model->quantum : 1, .ordered = true, .ladder_ok = !model->ladder_fails,
	};
}
