/*
 * T-STP: a row is measured launch after launch until its interval is narrow enough; does the interval at the stop cover?
 * Through the whole engine, because what is looked at when decides. The budget and the seed: test_engine.c.
 */
/* runs: slow, 3 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "truth/engine_run.h"
#include "truth/truth.h"

#define TARGET 0.01
#define BLOCKS 100              /* of a process: an eighth of the usual, for processes are what is looked at */

/* The narrower the processes lie, the sooner the first look at five of them is the last one. */
static void stop_at(const char *name, const struct kb_synthetic *model, int tries)
{
	double cost = kb_synthetic_cost(model), processes = 0;
	int covers = 0;
	char what[80];

	for (int i = 0; i < tries; i++) {
		const struct engine_wish wish = { .seed = 100 + (uint64_t)i, .precision = TARGET, .blocks = BLOCKS };
		struct engine_run run;
		const struct kb_estimate *typical = &run.row.result.estimate;

		engine_run(&run, model, &wish);
		assert_true(run.outcome.precision_met);
		assert_true((typical->high - typical->low) / 2 <= TARGET * typical->value);
		covers += typical->low <= cost && cost <= typical->high;
		processes += (double)run.processes / tries;
		engine_run_close(&run);
	}
	snprintf(what, sizeof what, "%s: coverage at the stop", name);
	truth_at_least("T-STP", what, truth_full() ? 0.92 : 0.75, (double)covers / tries);
	snprintf(what, sizeof what, "%s: processes at the stop", name);
	truth_note("T-STP", what, 5, processes);
}

static void t_stp_processes(void **state)
{
	(void)state;
	stop_at("processes differ by 0.4 %", &(struct kb_synthetic){ .process_sd = 0.004 }, truth_tries(400, 12));
	stop_at("processes differ by 1 %", &(struct kb_synthetic){ .process_sd = 0.010 }, truth_tries(400, 12));
	stop_at("processes differ by 1.5 %", &(struct kb_synthetic){ .process_sd = 0.015 }, truth_tries(1600, 8));
}

/* Intervals whose costs hang together: within a process that narrows nothing, for a process is one value. */
static void t_stp_correlated(void **state)
{
	static const double phi[] = { 0, .3, .6, .9 };

	(void)state;
	for (size_t i = 0; i < sizeof phi / sizeof *phi; i++) {
		const struct kb_synthetic model = { .process_sd = 0.004, .ar = phi[i], .ar_sd = 0.04 };
		char name[40];

		snprintf(name, sizeof name, "phi=%g", phi[i]);
		stop_at(name, &model, truth_tries(400, 8));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_stp_processes), cmocka_unit_test(t_stp_correlated) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
