/*
 * T-QUIET through the whole engine: 60 % of the intervals are lengthened by bursts of 10 us .. 3 ms, half of them
 * without evidence. `quiet` must hold the undisturbed cost, and the verdict must say that it was noisy.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine_run.h"
#include "truth.h"

static void t_quiet(void **state)
{
	/* Noise of the interval alone moves every low quantile alike, so that the line has the truth as its slope. */
	const struct kb_synthetic model = { .bursts = 0.6, .blind = 0.5, .v1 = 1e-9 };
	double truth = kb_synthetic_cost(&model), mean = 0, share;
	int tries = truth_tries(300, 20), covers = 0, noisy = 0;

	(void)state;
	for (int seed = 1; seed <= tries; seed++) {
		struct engine_wish wish = { .seed = (uint64_t)seed };
		const struct kb_estimate *quiet;
		struct engine_run run;

		engine_run(&run, &model, &wish);
		assert_int_equal(run.status, 0);
		quiet = &run.row.result.quiet;
		mean += quiet->value / truth / tries;
		covers += quiet->bounded && quiet->low <= truth && truth <= quiet->high;
		noisy += run.row.result.verdict.status == KB_NOISY;
		engine_run_close(&run);
	}
	share = (double)covers / tries;
	truth_row("T-QUIET", "engine, 5 launches: quiet over the truth", 1, 0.01, mean);
	truth_at_least("T-QUIET", "engine, 5 launches: coverage of quiet", 0.90, share);
	truth_row("T-QUIET", "engine, 5 launches: verdict noisy", 1, 0, (double)noisy / tries);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_quiet) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
