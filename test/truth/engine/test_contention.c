/*
 * T-CONT: a neighbour on the other hardware thread of the core comes and goes while samples run, and the true uncontended cost is
 * known. The headline must hold it, or say that contention is not excluded. Through the whole engine.
 */
/* runs: full, 17 s; runs of the synthetic machine by the hundred */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "truth/contended.h"
#include "truth/truth.h"

#define LEARNING 30             /* processes, of a run that must find out what uncontended is: those that cannot tell end early */

/* ---- the value ----------------------------------------------------------------------------------- */

static void t_value(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; double observed; } rows[] = {
		{ "no neighbour", { .sibling = { NEIGHBOUR } }, -0.001 },
		{ "50 %, 2 ms", { .sibling = { NEIGHBOUR, .clean_ns = 2 * MS, .busy_ns = 2 * MS } }, 0.02 },
		{ "50 %, 0.4 ms", { .sibling = { NEIGHBOUR, .clean_ns = 0.4 * MS, .busy_ns = 0.4 * MS } }, 0.02 },
		{ "90 %, lognormal around 10 ms", { .sibling = { NEIGHBOUR, .clean_ns = 1 * MS, .busy_ns = 9 * MS, .shape = 1.5 } }, 0.2 },
		{ "85 %, an issue-bound loop", { .bound = KB_ISSUE, .sibling = { .probes = true, .on_probe = { 1.15, 2 },
		  .on_op = { 1.15, 2 }, .clean_ns = 1.5 * MS, .busy_ns = 8.5 * MS } }, 0.2 },
	};
	int tries = truth_tries(30, 2);
	struct contended_runs seen;
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		contended_seeds(&seen, &rows[i].model, tries, 1);
		snprintf(what, sizeof what, "%s: uncontended headlines", rows[i].name);
		truth_row("T-CONT-1", what, 1, 0, (double)seen.uncontended / tries);
		snprintf(what, sizeof what, "%s: headline off by, median", rows[i].name);
		truth_row("T-CONT-1", what, 0, 0.003, contended_median(seen.value, tries));
		snprintf(what, sizeof what, "%s: observed off by, median", rows[i].name);
		truth_at_least("T-CONT-1", what, rows[i].observed, contended_median(seen.observed, tries));
		snprintf(what, sizeof what, "%s: clean share, median", rows[i].name);
		truth_note("T-CONT-1", what, 0, contended_median(seen.share, tries));
	}
}

/* ---- never clean, and never known ---------------------------------------------------------------- */

/* Of the first seed: with changes every 5 ms none of its processes has samples that count as independent, and it has a cost all the same. */
static unsigned uncontended_of(const struct kb_synthetic *model, bool unknown, bool alone, int tries, unsigned *said)
{
	unsigned uncontended = 0;

	*said = 0;
	for (int i = 0; i < tries; i++) {
		const struct engine_wish wish = { .seed = 56 + (uint64_t)i, .stop_after = 6, .floor_unknown = unknown, .core_alone = alone };
		struct kb_result result = contended_result(model, &wish, NULL);

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
		{ "no neighbour", { .sibling = { NEIGHBOUR } }, false, KB_HEADLINE_OBSERVED },
		{ "no neighbour, and that is known", { .sibling = { NEIGHBOUR } }, true, KB_HEADLINE_UNCONTENDED },
	};
	int tries = truth_tries(30, 1);
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double worst = 0, off = 0;
		int as_it_should = 0;

		for (int k = 0; k < tries; k++) {
			const struct engine_wish wish = { .seed = 200 + (uint64_t)k, .precision = 0.01, .stop_after = LEARNING,
							.floor_unknown = true, .core_alone = rows[i].alone };
			struct kb_floor floor;
			struct kb_result result = contended_result(&rows[i].model, &wish, &floor);

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
	double off[CONTENDED_TRIES], worst = 0, least = 1;
	int tries = truth_tries(30, 2);

	(void)state;
	for (int k = 0; k < 2 * tries; k++) {
		const struct kb_synthetic *model = &models[k % 2];
		const struct engine_wish wish = { .seed = 300 + (uint64_t)k, .stop_after = CONTENDED_PROCESSES };
		struct kb_result result = contended_result(model, &wish, NULL);

		assert_int_equal(result.headline, KB_HEADLINE_UNCONTENDED);
		off[k] = fabs(result.estimate_cycles.value * SYNTHETIC_ADD / kb_synthetic_cost(model) - 1);
		worst = fmax(worst, off[k]);
		if (k % 2 == 0)
			least = fmin(least, result.clean_share);
	}
	truth_at_least("T-CONT-4", "core clock moves by 25 %: clean share, at least", 0.95, least);
	truth_at_most("T-CONT-4", "core clock moves by 25 %: core cycles off by, median", 0.001, contended_median(off, 2 * tries));
	/* A neighbour makes the clock probes between the samples up to 1 % longer. */
	truth_at_most("T-CONT-4", "core clock moves by 25 %: core cycles off by, at most", 0.002, worst);
}

static void t_states(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; double clean; } rows[] = {
		{ "op is 7 % cheaper for 3 % of the time", { .sibling = { NEIGHBOUR, .fast_share = 0.03, .fast_by = 0.07 } }, 0.95 },
		{ "the same, 85 % contended", { .sibling = { NEIGHBOUR, .fast_share = 0.03, .fast_by = 0.07, .clean_ns = 1.5 * MS,
		  .busy_ns = 8.5 * MS } }, 0 },
		{ "probes are 4 % slower after op", { .sibling = { NEIGHBOUR, .behind_op = 0.04 } }, 0.95 },
		{ "probes are 6 % slower after op", { .sibling = { NEIGHBOUR, .behind_op = 0.06 } }, 0.95 },
	};
	int tries = truth_tries(30, 2);
	struct contended_runs seen;
	char what[100];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		contended_seeds(&seen, &rows[i].model, tries, 400);
		snprintf(what, sizeof what, "%s: uncontended headlines", rows[i].name);
		truth_row("T-CONT-5", what, 1, 0, (double)seen.uncontended / tries);
		snprintf(what, sizeof what, "%s: headline off by, median", rows[i].name);
		truth_row("T-CONT-5", what, 0, 0.003, contended_median(seen.value, tries));
		snprintf(what, sizeof what, "%s: clean share, median", rows[i].name);
		if (rows[i].clean > 0)
			truth_at_least("T-CONT-5", what, rows[i].clean, contended_median(seen.share, tries));
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
