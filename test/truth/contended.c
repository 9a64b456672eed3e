/* See contended.h. */
#include "contended.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "stats/stats.h"

struct kb_result contended_result(const struct kb_synthetic *model, const struct engine_wish *wish, struct kb_floor *floor)
{
	struct kb_result result;
	struct engine_run *run = calloc(1, sizeof *run);

	assert_non_null(run);
	engine_run(run, model, wish);
	assert_int_equal(run->status, 0);
	result = run->row.result;
	if (floor)
		*floor = run->floor;
	engine_run_close(run);
	free(run);
	return result;
}

void contended_add(struct contended_runs *seen, const struct kb_result *result, double truth)
{
	int i = seen->tries++;

	seen->value[i] = result->estimate.value / truth - 1;
	seen->observed[i] = result->observed.value / truth - 1;
	seen->share[i] = result->clean_share;
	seen->uncontended += result->headline == KB_HEADLINE_UNCONTENDED;
	seen->covers += result->estimate.bounded && result->estimate.low <= truth && truth <= result->estimate.high;
	seen->processes += (int)result->processes;
}

void contended_seeds(struct contended_runs *seen, const struct kb_synthetic *model, int tries, uint64_t first)
{
	*seen = (struct contended_runs){ .tries = 0 };
	for (int i = 0; i < tries; i++) {
		const struct engine_wish wish = { .seed = first + (uint64_t)i, .precision = 0.01, .stop_after = CONTENDED_PROCESSES };
		struct kb_result result = contended_result(model, &wish, NULL);

		contended_add(seen, &result, kb_synthetic_cost(model));
	}
}

double contended_median(const double *x, int n)
{
	double scratch[CONTENDED_TRIES];

	return kb_median(x, (size_t)n, scratch);
}
