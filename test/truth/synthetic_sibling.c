/*
 * What the other hardware thread of the core does, the core clock, and a state of the machine in which the operation is cheaper:
 * all three come and go by synthetic time, whether a sample runs or not. So a sample may begin uncontended and end contended.
 */
#define _GNU_SOURCE
#include "synthetic_process.h"

#include <math.h>

#define FOREVER 1e300

static double uniform(struct kb_rng *rng)
{
	return ((double)(kb_rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

static double normal(struct kb_rng *rng)
{
	return sqrt(-2 * log(uniform(rng))) * cos(2 * M_PI * uniform(rng));
}

static double between(struct kb_rng *rng, const double range[2])
{
	return range[0] + (range[1] - range[0]) * uniform(rng);
}

/* A stretch of this mean: exponential, or lognormal of that shape, most of whose time is in few long ones. */
static double stretch(struct kb_rng *rng, double mean, double shape)
{
	return shape > 0 ? mean * exp(shape * normal(rng) - shape * shape / 2) : -mean * log(uniform(rng));
}

/* ---- states -------------------------------------------------------------------------------------- */

static bool is_here(const struct kb_synthetic_process *process)
{
	const struct kb_synthetic_sibling *sibling = &process->model->sibling;

	return !sibling->processes || sibling->processes >> process->request.process & 1;
}

static double length_of(struct kb_synthetic_process *process, bool busy)
{
	const struct kb_synthetic_sibling *sibling = &process->model->sibling;
	double mean = busy ? sibling->busy_ns : sibling->clean_ns, other = busy ? sibling->clean_ns : sibling->busy_ns;

	/* Without an end, or whichever of the two there is. */
	return other > 0 ? stretch(&process->regimes.rng, mean, sibling->shape) : FOREVER;
}

/* Each time it comes it does something else. */
static void come(struct kb_synthetic_process *process)
{
	const struct kb_synthetic_sibling *sibling = &process->model->sibling;
	struct kb_synthetic_regimes *regimes = &process->regimes;
	double how = uniform(&regimes->rng);

	regimes->factor[SYNTHETIC_PROBE] = sibling->on_probe[0] + how * (sibling->on_probe[1] - sibling->on_probe[0]);
	regimes->factor[SYNTHETIC_CHAIN] = sibling->on_chain[0] > 0 ? between(&regimes->rng, sibling->on_chain) : 1;
	/* What slows the probe more slows the operation more, as a rule. */
	how = 0.7 * how + 0.3 * uniform(&regimes->rng);
	regimes->factor[SYNTHETIC_WORK] = sibling->on_op[0] + how * (sibling->on_op[1] - sibling->on_op[0]);
}

static void turn_contention(struct kb_synthetic_process *process)
{
	const struct kb_synthetic_sibling *sibling = &process->model->sibling;
	struct kb_synthetic_regimes *regimes = &process->regimes;

	/* One that never rests does one thing after the other. */
	if (sibling->busy_ns > 0 && sibling->clean_ns <= 0) {
		regimes->busy = true;
		regimes->busy_until += stretch(&regimes->rng, sibling->busy_ns, sibling->shape);
	} else {
		regimes->busy = !regimes->busy;
		regimes->busy_until += length_of(process, regimes->busy);
	}
	if (regimes->busy)
		come(process);
}

static void turn_clock(struct kb_synthetic_process *process)
{
	struct kb_synthetic_regimes *regimes = &process->regimes;

	regimes->slow = !regimes->slow;
	regimes->slow_until += between(&regimes->rng, (const double[]){ 10e6, 500e6 });
}

static void turn_fast(struct kb_synthetic_process *process)
{
	const struct kb_synthetic_sibling *sibling = &process->model->sibling;
	struct kb_synthetic_regimes *regimes = &process->regimes;
	double mean = 35e6; /* of 5 to 150 ms by the logarithm */

	regimes->fast = !regimes->fast;
	regimes->fast_until += regimes->fast ? 5e6 * pow(30, uniform(&regimes->rng)) :
	                       stretch(&regimes->rng, mean * (1 / sibling->fast_share - 1), 0);
}

/* ---- time ---------------------------------------------------------------------------------------- */

static double rate(const struct kb_synthetic_process *process, enum kb_synthetic_kind kind)
{
	const struct kb_synthetic_sibling *sibling = &process->model->sibling;
	const struct kb_synthetic_regimes *regimes = &process->regimes;
	double factor = regimes->busy ? regimes->factor[kind] : 1;

	if (regimes->slow)
		factor *= sibling->slow_clock;
	if (regimes->fast && kind == SYNTHETIC_WORK)
		factor *= 1 - sibling->fast_by;
	return factor;
}

static double next_turn(const struct kb_synthetic_regimes *regimes)
{
	return fmin(regimes->busy_until, fmin(regimes->slow_until, regimes->fast_until));
}

static void turn(struct kb_synthetic_process *process)
{
	struct kb_synthetic_regimes *regimes = &process->regimes;

	while (regimes->busy_until <= process->now)
		turn_contention(process);
	while (regimes->slow_until <= process->now)
		turn_clock(process);
	while (regimes->fast_until <= process->now)
		turn_fast(process);
}

void kb_synthetic_pass(struct kb_synthetic_process *process, double ticks, enum kb_synthetic_kind kind)
{
	turn(process);
	while (ticks > 0) {
		double factor = rate(process, kind), until = next_turn(&process->regimes);

		if (ticks * factor < until - process->now) {
			process->now += ticks * factor;
			return;
		}
		ticks -= (until - process->now) / factor;
		process->now = until;
		turn(process);
	}
}

void kb_synthetic_regimes_start(struct kb_synthetic_process *process)
{
	const struct kb_synthetic_sibling *sibling = &process->model->sibling;
	struct kb_synthetic_regimes *regimes = &process->regimes;
	double cycle = sibling->busy_ns + sibling->clean_ns;

	*regimes = (struct kb_synthetic_regimes){ .busy_until = FOREVER, .slow_until = FOREVER, .fast_until = FOREVER };
	kb_rng_seed(&regimes->rng, process->request.seed ^ 0x51b1e51b1e51b1e5u);
	if (sibling->busy_ns > 0 && is_here(process)) {
		/* As a process would find it: in which of the two, by the shares of time. */
		regimes->busy = uniform(&regimes->rng) * cycle >= sibling->busy_ns;
		regimes->busy_until = process->now;
		turn_contention(process);
	}
	if (sibling->slow_clock > 0) {
		regimes->slow = uniform(&regimes->rng) < 0.5;
		regimes->slow_until = process->now + between(&regimes->rng, (const double[]){ 0, 255e6 });
	}
	if (sibling->fast_share > 0) {
		regimes->fast = uniform(&regimes->rng) >= sibling->fast_share;
		regimes->fast_until = process->now;
		turn_fast(process);
	}
}

/* The probe's loops, a little dearer right behind the operation, whose traces are still in the core. */
double kb_synthetic_probe_ticks(const struct kb_synthetic_process *process)
{
	const struct kb_synthetic_sibling *sibling = &process->model->sibling;
	double ticks = (double)process->measure.loops * SYNTHETIC_K * SYNTHETIC_ADD;

	return process->last == KB_ROLE_OP ? ticks * (1 + sibling->behind_op) : ticks;
}
