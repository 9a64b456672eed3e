/*
 * T-CONT, continued: how often the printed CI holds the true uncontended cost while a neighbour comes and goes. Through the whole engine.
 */
/* runs: full, 8 s; runs of the synthetic machine by the hundred */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "truth/contended.h"
#include "truth/truth.h"
#include "unit/stats/draws.h"

static void t_coverage(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; double least; } rows[] = {
		{ "no neighbour", { .sibling = { NEIGHBOUR } }, 0.93 },
		{ "50 % contended", { .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS, .shape = 1 } }, 0.93 },
		{ "85 % contended", { .sibling = { NEIGHBOUR, .clean_ns = 1.5 * MS, .busy_ns = 8.5 * MS, .shape = 1 } }, 0.93 },
		{ "processes differ by 0.2 %, 50 %", { .process_sd = 0.002, .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS } }, 0.93 },
		{ "processes differ by 0.7 %", { .process_sd = 0.007, .sibling = { NEIGHBOUR } }, 0.93 },
		{ "processes differ by 2 %", { .process_sd = 0.02, .sibling = { NEIGHBOUR } }, 0.93 },
		{ "one process in six costs 7 % more", { .process_sd = 0.002, .odd_share = 1.0 / 6, .odd = 0.07, .sibling = { NEIGHBOUR } }, 0.93 },
	};
	int tries = truth_tries(200, 2), covers = 0, all = 0;
	struct contended_runs seen;
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		contended_seeds(&seen, &rows[i].model, tries, 1000);
		covers += seen.covers;
		all += tries;
		snprintf(what, sizeof what, "%s: coverage of the 95 %% CI", rows[i].name);
		if (truth_full())
			truth_at_least("T-CONT-6", what, rows[i].least, (double)seen.covers / tries);
		snprintf(what, sizeof what, "%s: processes", rows[i].name);
		truth_note("T-CONT-6", what, 6, (double)seen.processes / tries);
		snprintf(what, sizeof what, "%s: headline off by, median", rows[i].name);
		truth_note("T-CONT-6", what, 0, contended_median(seen.value, tries));
	}
	truth_at_least("T-CONT-6", "all of them: coverage of the 95 % CI", truth_full() ? 0.93 : 0.85, (double)covers / all);
}

/* Between occasions the whole machine is another one: nothing inside a run tells by how much. Of the cost over all occasions. */
static void t_occasions(void **state)
{
	static const double spreads[] = { 0.002, 0.005 };
	int tries = truth_tries(200, 1);
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof spreads / sizeof *spreads; i++) {
		struct contended_runs seen = { .tries = 0 };
		struct kb_rng rng;

		kb_rng_seed(&rng, 600 + i);
		for (int k = 0; k < tries; k++) {
			struct kb_synthetic model = { .process_sd = 0.002, .sibling = { NEIGHBOUR } };
			const struct engine_wish wish = { .seed = 2000 + (uint64_t)k, .precision = 0.01, .stop_after = CONTENDED_PROCESSES };
			double truth = kb_synthetic_cost(&model);

			model.op = SYNTHETIC_OP + truth * spreads[i] * draw_normal(&rng);
			struct kb_result result = contended_result(&model, &wish, NULL);

			contended_add(&seen, &result, truth);
		}
		snprintf(what, sizeof what, "occasions differ by %g %%, processes by 0.2 %%: coverage of the cost over all occasions",
		         100 * spreads[i]);
		truth_note("T-CONT-7", what, 0.95, (double)seen.covers / tries);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_coverage), cmocka_unit_test(t_occasions) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
