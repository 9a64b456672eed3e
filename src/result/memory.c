/* What rows of memory tell alongside their cost: how they stand to their twin, and where their loads were served from. */
#include "result/summary/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/blocks.h"

#define TRIMMED 0.2             /* of the samples on either side: interrupts that nobody saw, bursts of strangers */
#define PAIRS_FEWEST 16u        /* of a process */
#define LOADS_FEWEST 100u       /* of a result */
#define MOST 0.9                /* of the loads: the row is of that level */
#define CLASS_FEWEST 10u        /* loads from memory, or from a cache, that tell how long one takes */

static double trimmed_mean(double *values, size_t count)
{
	size_t cut = (size_t)(TRIMMED * (double)count);
	double sum = 0;

	kb_sort(values, count);
	for (size_t i = cut; i < count - cut; i++)
		sum += values[i];
	return sum / (double)(count - 2 * cut);
}

/* Pair by pair, for both sides of a pair did the same at the same place at nearly the same time; by logarithms, so that it does not matter
   which side a burst hits. */
double kb_twin_ratio(const struct kb_samples *samples, const struct kb_process_fit *fit)
{
	const struct kb_points *op = &samples->op;
	double *logs = malloc((op->count + 1) * sizeof *logs), fixed = kb_fit_fixed(fit), less = kb_fit_less(samples, fit), ratio = NAN;
	size_t count = 0;

	for (size_t i = 0; logs && i < op->count; i++) {
		double own = (op->ticks[i] - fixed) / op->n[i] - less, twin = (op->twin[i] - fixed) / op->n[i] - less;

		if (op->twin[i] > 0 && !(op->flags[i] & ~KB_FLAG_CONTENDED) && own > 0 && twin > 0)
			logs[count++] = log(own / twin);
	}
	if (count >= PAIRS_FEWEST)
		ratio = exp(trimmed_mean(logs, count));
	free(logs);
	return ratio;
}

bool kb_result_range(const struct kb_result *result, double *low, double *high)
{
	*low = INFINITY;
	*high = -INFINITY;
	for (unsigned i = 0; result->bound == KB_MEMORY && i < result->process_cost_count; i++) {
		*low = fmin(*low, result->process_costs[i].cost);
		*high = fmax(*high, result->process_costs[i].cost);
	}
	return *low <= *high;
}

const char *kb_found_level(const struct kb_result_found *found)
{
	return found->share >= MOST ? "cache" : found->share <= 1 - MOST ? "memory" : "mixed";
}

/* ---- where loads were served from ---------------------------------------------------------------- */

struct loads { double *ring, *memory, *first; size_t count; };

/* All three are given together, or none is. */
static void add_loads(struct loads *loads, const struct kb_samples *samples)
{
	const struct kb_covariate_values *ring = kb_samples_covariate(samples, KB_LOAD_RING), *memory = kb_samples_covariate(samples, KB_LOAD_MEMORY);
	const struct kb_covariate_values *first = kb_samples_covariate(samples, KB_LOAD_FIRST);

	if (!ring || !memory || !first || ring->count != memory->count || ring->count != first->count)
		return;
	for (size_t i = 0; i < ring->count; i++, loads->count++) {
		loads->ring[loads->count] = ring->values[i];
		loads->memory[loads->count] = memory->values[i];
		loads->first[loads->count] = first->values[i];
	}
}

/* Latencies beyond that of the first cache. Means, for one load is a few steps of the clock. */
static void classify(struct loads *loads, double scale, struct kb_result_found *found)
{
	double first = trimmed_mean(loads->first, loads->count), memory = trimmed_mean(loads->memory, loads->count);
	size_t near = 0;

	if (!(memory > first))
		return;
	kb_sort(loads->ring, loads->count);
	while (near < loads->count && loads->ring[near] < (first + memory) / 2)
		near++;
	*found = (struct kb_result_found){ .loads = loads->count, .share = (double)near / (double)loads->count, .memory = NAN, .cache = NAN };
	if (near >= CLASS_FEWEST)
		found->cache = (trimmed_mean(loads->ring, near) - first) * scale;
	if (loads->count - near >= CLASS_FEWEST)
		found->memory = (trimmed_mean(loads->ring + near, loads->count - near) - first) * scale;
}

void kb_result_find(const struct kb_summary *summary, struct kb_result *result)
{
	struct loads loads = { .count = 0 };
	size_t room = 1;

	for (size_t i = 0; i < summary->count; i++)
		room += summary->samples[i].op.count + summary->samples[i].single.count;
	loads.ring = malloc(room * sizeof *loads.ring);
	loads.memory = malloc(room * sizeof *loads.memory);
	loads.first = malloc(room * sizeof *loads.first);
	for (size_t i = 0; loads.ring && loads.memory && loads.first && i < summary->count; i++) {
		if (kb_samples_whole(&summary->samples[i]))
			add_loads(&loads, &summary->samples[i]);
	}
	if (loads.count >= LOADS_FEWEST && result->ticks_per_ns > 0)
		classify(&loads, 1 / result->ticks_per_ns, &result->found);
	free(loads.ring);
	free(loads.memory);
	free(loads.first);
}
