/* Simulated processes for the tests of the line: the model's truth, noise, drift. */
#ifndef KB_TEST_PROCESSES_H
#define KB_TEST_PROCESSES_H

#include <math.h>

#include "stats/stats.h"
#include "unit/stats/draws.h"

/* The truth of the published simulation. */
#define TRUE_A 1330.0
#define TRUE_B 4536.0
#define TRUE_V0 6e4
#define TRUE_V1 2e4

#define POINTS_MAX 5000

struct process {
	double n[POINTS_MAX], y[POINTS_MAX];
	uint32_t block[POINTS_MAX];
	size_t count;
};

/* One observation, with the noise of the model. */
static inline double observe(struct kb_rng *rng, double n)
{
	return TRUE_A + TRUE_B * n + sqrt(TRUE_V0 + TRUE_V1 * n) * draw_normal(rng);
}

static inline void add_point(struct process *process, double n, double y, uint32_t block)
{
	process->n[process->count] = n;
	process->y[process->count] = y;
	process->block[process->count++] = block;
}

/* `blocks` shuffled passes over n0 {1, 2, 4, 8}; the cost of an operation drifts as an AR(1) of this relative size. */
static inline void draw_process(struct process *process, struct kb_rng *rng, uint32_t blocks, double drift, double phi)
{
	double n[4] = { 30, 60, 120, 240 }, state = draw_normal(rng);

	process->count = 0;
	for (uint32_t k = 0; k < blocks; k++) {
		kb_rng_shuffle(rng, n, 4, sizeof(*n));
		for (int i = 0; i < 4; i++) {
			state = phi * state + sqrt(1 - phi * phi) * draw_normal(rng);
			add_point(process, n[i], observe(rng, n[i]) + TRUE_B * n[i] * drift * state, k);
		}
	}
}

static inline struct kb_line_fit fit_process(const struct process *process)
{
	return kb_fit_line(process->n, process->y, process->block, process->count, 0.95);
}

#endif
