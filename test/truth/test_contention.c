/*
 * T-CONT: a neighbour on the other hardware thread of the core comes and goes while samples run, and the true uncontended cost is
 * known. The headline must hold it, or say that contention is not excluded. Through the whole engine.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "engine_run.h"
#include "stats/stats.h"
#include "truth.h"
#include "unit/stats/draws.h"

#define TRIES_MAX 400
#define MOST_PROCESSES 12       /* what a row of a real run gets, more or less */

/* What a neighbour makes of the times: measured on real ones, doc/noise.md. */
#define NEIGHBOUR .probes = true, .on_probe = { 1.15, 2 }, .on_op = { 1.2, 1.6 }, .on_chain = { 1, 1.01 }
#define MS 1e6

static struct kb_result result_of(const struct kb_synthetic *model, const struct engine_wish *wish, struct kb_floor *floor)
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

/* ---- the value ----------------------------------------------------------------------------------- */

/* What many seeds of one model came to, each relative to the truth. */
struct seen {
	double value[TRIES_MAX], observed[TRIES_MAX], share[TRIES_MAX];
	int tries, uncontended, covers, processes;
};

static void see(struct seen *seen, const struct kb_result *result, double truth)
{
	int i = seen->tries++;

	seen->value[i] = result->estimate.value / truth - 1;
	seen->observed[i] = result->observed.value / truth - 1;
	seen->share[i] = result->clean_share;
	seen->uncontended += result->headline == KB_HEADLINE_UNCONTENDED;
	seen->covers += result->estimate.bounded && result->estimate.low <= truth && truth <= result->estimate.high;
	seen->processes += (int)result->processes;
}

static double middle(const double *x, int n)
{
	double scratch[TRIES_MAX];

	return kb_median(x, (size_t)n, scratch);
}

static void see_seeds(struct seen *seen, const struct kb_synthetic *model, int tries, uint64_t first)
{
	*seen = (struct seen){ .tries = 0 };
	for (int i = 0; i < tries; i++) {
		const struct engine_wish wish = { .seed = first + (uint64_t)i, .precision = 0.01, .stop_after = MOST_PROCESSES };
		struct kb_result result = result_of(model, &wish, NULL);

		see(seen, &result, kb_synthetic_cost(model));
	}
}

static void t_value(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; double observed; } rows[] = {
		{ "nobody", { .sibling = { NEIGHBOUR } }, -0.001 },
		{ "50 %, 2 ms", { .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS } }, 0.02 },
		{ "50 %, 0.4 ms", { .sibling = { NEIGHBOUR, .clean_ns = 0.4 * MS, .busy_ns = 0.4 * MS } }, 0.02 },
		{ "90 %, lognormal around 10 ms", { .sibling = { NEIGHBOUR, .clean_ns = 1 * MS, .busy_ns = 9 * MS, .shape = 1.5 } }, 0.2 },
		{ "85 %, an issue-bound loop", { .bound = KB_ISSUE, .sibling = { .probes = true, .on_probe = { 1.15, 2 },
		  .on_op = { 1.15, 2 }, .clean_ns = 1.5 * MS, .busy_ns = 8.5 * MS } }, 0.2 },
	};
	int tries = truth_tries(30, 2);
	struct seen seen;
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		see_seeds(&seen, &rows[i].model, tries, 1);
		snprintf(what, sizeof what, "%s: uncontended headlines", rows[i].name);
		truth_row("T-CONT-1", what, 1, 0, (double)seen.uncontended / tries);
		snprintf(what, sizeof what, "%s: headline off by, median", rows[i].name);
		truth_row("T-CONT-1", what, 0, 0.003, middle(seen.value, tries));
		snprintf(what, sizeof what, "%s: observed off by, median", rows[i].name);
		truth_at_least("T-CONT-1", what, rows[i].observed, middle(seen.observed, tries));
		snprintf(what, sizeof what, "%s: clean share, median", rows[i].name);
		truth_note("T-CONT-1", what, 0, middle(seen.share, tries));
	}
}

/* ---- never clean, and never known ---------------------------------------------------------------- */

static unsigned uncontended_of(const struct kb_synthetic *model, bool unknown, bool alone, int tries, unsigned *said)
{
	unsigned uncontended = 0;

	*said = 0;
	for (int i = 0; i < tries; i++) {
		const struct engine_wish wish = { .seed = 50 + (uint64_t)i, .stop_after = 6, .floor_unknown = unknown, .core_alone = alone };
		struct kb_result result = result_of(model, &wish, NULL);

		uncontended += result.headline == KB_HEADLINE_UNCONTENDED;
		*said += kb_verdict_has(&result.verdict, KB_CODE_contention_not_excluded) && result.verdict.status == KB_NOISY;
	}
	return uncontended;
}

static void t_never_clean(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; } rows[] = {
		{ "one load", { .sibling = { .probes = true, .on_probe = { 1.66, 1.66 }, .on_op = { 1.4, 1.4 }, .busy_ns = 1e12 } } },
		{ "the lightest load", { .sibling = { .probes = true, .on_probe = { 1.15, 1.15 }, .on_op = { 1.2, 1.2 }, .busy_ns = 1e12 } } },
		{ "changing every 5 ms", { .sibling = { NEIGHBOUR, .busy_ns = 5 * MS } } },
		{ "changing every 50 ms", { .sibling = { NEIGHBOUR, .busy_ns = 50 * MS } } },
		{ "changing every 500 ms", { .sibling = { NEIGHBOUR, .busy_ns = 500 * MS } } },
	};
	int tries = truth_tries(30, 1);
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		for (unsigned unknown = 0; unknown < 2; unknown++) {
			unsigned said, uncontended = uncontended_of(&rows[i].model, unknown, false, tries, &said);

			snprintf(what, sizeof what, "busy all the time, %s, K %s: uncontended headlines", rows[i].name,
			         unknown ? "unknown" : "known");
			truth_row("T-CONT-2", what, 0, 0, (double)uncontended / tries);
			snprintf(what, sizeof what, "busy all the time, %s, K %s: noisy, contention not excluded", rows[i].name,
			         unknown ? "unknown" : "known");
			truth_row("T-CONT-2", what, 1, 0, (double)said / tries);
		}
	}
}

/* ---- the floor from the run itself --------------------------------------------------------------- */

static void t_floor_of_the_run(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; bool alone; enum kb_headline headline; } rows[] = {
		{ "50 %, 2 ms", { .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS } }, false, KB_HEADLINE_UNCONTENDED },
		{ "85 %, 10 ms", { .sibling = { NEIGHBOUR, .clean_ns = 1.5 * MS, .busy_ns = 8.5 * MS } }, false, KB_HEADLINE_UNCONTENDED },
		{ "nobody", { .sibling = { NEIGHBOUR } }, false, KB_HEADLINE_OBSERVED },
		{ "nobody, and that is known", { .sibling = { NEIGHBOUR } }, true, KB_HEADLINE_UNCONTENDED },
	};
	int tries = truth_tries(30, 1);
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double worst = 0, off = 0;
		int as_it_should = 0;

		for (int k = 0; k < tries; k++) {
			const struct engine_wish wish = { .seed = 200 + (uint64_t)k, .stop_after = MOST_PROCESSES, .floor_unknown = true,
							  .core_alone = rows[i].alone };
			struct kb_floor floor;
			struct kb_result result = result_of(&rows[i].model, &wish, &floor);

			as_it_should += result.headline == rows[i].headline;
			worst = fmax(worst, fabs(floor.k / SYNTHETIC_K - 1));
			off = fmax(off, fabs(result.estimate.value / kb_synthetic_cost(&rows[i].model) - 1));
		}
		snprintf(what, sizeof what, "K unknown, %s: %s headlines", rows[i].name, kb_headline_name(rows[i].headline));
		truth_row("T-CONT-3", what, 1, 0, (double)as_it_should / tries);
		if (rows[i].headline == KB_HEADLINE_OBSERVED)
			continue;
		snprintf(what, sizeof what, "K unknown, %s: K is off by, at most", rows[i].name);
		truth_at_most("T-CONT-3", what, 0.01, worst);
		snprintf(what, sizeof what, "K unknown, %s: headline off by, at most", rows[i].name);
		truth_at_most("T-CONT-3", what, 0.01, off);
	}
}

/* ---- what is no contention ----------------------------------------------------------------------- */

/* The probe counts core cycles by the additions beside it, so a core clock that moves is none of its business. */
static void t_core_clock(void **state)
{
	static const struct kb_synthetic models[] = {
		{ .bound = KB_LATENCY, .sibling = { NEIGHBOUR, .slow_clock = 1.25 } },
		{ .bound = KB_LATENCY, .sibling = { NEIGHBOUR, .slow_clock = 1.25, .clean_ns = 2 * MS, .busy_ns = 2 * MS } },
	};
	double off[TRIES_MAX], worst = 0, least = 1;
	int tries = truth_tries(30, 2);

	(void)state;
	for (int k = 0; k < 2 * tries; k++) {
		const struct kb_synthetic *model = &models[k % 2];
		const struct engine_wish wish = { .seed = 300 + (uint64_t)k, .stop_after = MOST_PROCESSES };
		struct kb_result result = result_of(model, &wish, NULL);

		assert_int_equal(result.headline, KB_HEADLINE_UNCONTENDED);
		off[k] = fabs(result.estimate_cycles.value * SYNTHETIC_ADD / kb_synthetic_cost(model) - 1);
		worst = fmax(worst, off[k]);
		if (k % 2 == 0)
			least = fmin(least, result.clean_share);
	}
	truth_at_least("T-CONT-4", "core clock moves by 25 %: clean share, at least", 0.95, least);
	truth_at_most("T-CONT-4", "core clock moves by 25 %: core cycles off by, median", 0.001, middle(off, 2 * tries));
	/* A neighbour makes the clock probes between the samples up to 1 % longer. */
	truth_at_most("T-CONT-4", "core clock moves by 25 %: core cycles off by, at most", 0.002, worst);
}

static void t_states(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; double clean; } rows[] = {
		{ "op is 7 % cheaper for 3 % of the time", { .sibling = { NEIGHBOUR, .fast_share = 0.03, .fast_by = 0.07 } }, 0.95 },
		{ "the same, 85 % contended", { .sibling = { NEIGHBOUR, .fast_share = 0.03, .fast_by = 0.07, .clean_ns = 1.5 * MS,
		  .busy_ns = 8.5 * MS } }, 0 },
		{ "probes are 4 % dearer behind op", { .sibling = { NEIGHBOUR, .behind_op = 0.04 } }, 0.95 },
		{ "probes are 6 % dearer behind op", { .sibling = { NEIGHBOUR, .behind_op = 0.06 } }, 0.95 },
	};
	int tries = truth_tries(30, 2);
	struct seen seen;
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		see_seeds(&seen, &rows[i].model, tries, 400);
		snprintf(what, sizeof what, "%s: uncontended headlines", rows[i].name);
		truth_row("T-CONT-5", what, 1, 0, (double)seen.uncontended / tries);
		snprintf(what, sizeof what, "%s: headline off by, median", rows[i].name);
		truth_row("T-CONT-5", what, 0, 0.003, middle(seen.value, tries));
		snprintf(what, sizeof what, "%s: clean share, median", rows[i].name);
		if (rows[i].clean > 0)
			truth_at_least("T-CONT-5", what, rows[i].clean, middle(seen.share, tries));
	}
}

/* ---- coverage ------------------------------------------------------------------------------------ */

static void t_coverage(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; double least; } rows[] = {
		{ "nobody", { .sibling = { NEIGHBOUR } }, 0.93 },
		{ "50 % contended", { .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS, .shape = 1 } }, 0.93 },
		{ "85 % contended", { .sibling = { NEIGHBOUR, .clean_ns = 1.5 * MS, .busy_ns = 8.5 * MS, .shape = 1 } }, 0.93 },
		{ "processes differ by 0.2 %, 50 %", { .launch_sd = 0.002, .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS } }, 0.93 },
		{ "processes differ by 0.7 %", { .launch_sd = 0.007, .sibling = { NEIGHBOUR } }, 0.93 },
		{ "processes differ by 2 %", { .launch_sd = 0.02, .sibling = { NEIGHBOUR } }, 0.93 },
		{ "one process in six 7 % dearer", { .launch_sd = 0.002, .odd_share = 1.0 / 6, .odd = 0.07, .sibling = { NEIGHBOUR } }, 0.93 },
	};
	int tries = truth_tries(200, 2), covers = 0, all = 0;
	struct seen seen;
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		see_seeds(&seen, &rows[i].model, tries, 1000);
		covers += seen.covers;
		all += tries;
		snprintf(what, sizeof what, "%s: coverage of the 95 %% CI", rows[i].name);
		if (truth_full())
			truth_at_least("T-CONT-6", what, rows[i].least, (double)seen.covers / tries);
		snprintf(what, sizeof what, "%s: processes", rows[i].name);
		truth_note("T-CONT-6", what, 6, (double)seen.processes / tries);
		snprintf(what, sizeof what, "%s: headline off by, median", rows[i].name);
		truth_note("T-CONT-6", what, 0, middle(seen.value, tries));
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
		struct seen seen = { .tries = 0 };
		struct kb_rng rng;

		kb_rng_seed(&rng, 600 + i);
		for (int k = 0; k < tries; k++) {
			struct kb_synthetic model = { .launch_sd = 0.002, .sibling = { NEIGHBOUR } };
			const struct engine_wish wish = { .seed = 2000 + (uint64_t)k, .precision = 0.01, .stop_after = MOST_PROCESSES };
			double truth = kb_synthetic_cost(&model);

			model.op = SYNTHETIC_OP + truth * spreads[i] * draw_normal(&rng);
			struct kb_result result = result_of(&model, &wish, NULL);

			see(&seen, &result, truth);
		}
		snprintf(what, sizeof what, "occasions differ by %g %%, processes by 0.2 %%: coverage of the cost over all occasions",
		         100 * spreads[i]);
		truth_note("T-CONT-7", what, 0.95, (double)seen.covers / tries);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(t_value),
		cmocka_unit_test(t_never_clean),
		cmocka_unit_test(t_floor_of_the_run),
		cmocka_unit_test(t_core_clock),
		cmocka_unit_test(t_states),
		cmocka_unit_test(t_coverage),
		cmocka_unit_test(t_occasions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
