/*
 * T-LONG: operations that are longer than a neighbour stays away. Divided by points, each costs what its parts cost uncontended; whole,
 * the lower quartile of what was clean at both ends is taken; and above 1 ms nothing uncontended is claimed. Through the whole engine.
 */
/* runs: slow, 4 s */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "truth/contended.h"
#include "truth/truth.h"

#define US 1e3
/* A clock reading is a hundred ticks, and the samples have hardly any noise of their own. */
#define OPERATION(length) .op = (length), .no_base = true, .fixed = 1, .v0 = 100, .v1 = 100
#define BUSY(clean, busy) .sibling = { NEIGHBOUR, .clean_ns = (clean), .busy_ns = (busy) }

/* A sample has one pair of readings, whose cost nobody takes off. */
static double truth_of(const struct kb_synthetic *model)
{
	return model->op + SYNTHETIC_CLOCK_COST + 1;
}

static void runs(struct contended_runs *seen, const struct kb_synthetic *model, int tries, enum kb_uncontended_by *by, unsigned *said)
{
	*seen = (struct contended_runs){ .tries = 0 };
	for (int i = 0; i < tries; i++) {
		const struct engine_wish wish = { .seed = 900 + (uint64_t)i, .precision = 0.001, .stop_after = CONTENDED_PROCESSES };
		struct kb_result result = contended_result(model, &wish, NULL);

		contended_add(seen, &result, truth_of(model));
		*by = result.uncontended_by;
		*said += kb_verdict_has(&result.verdict, KB_CODE_long_operation);
	}
}

struct row { const char *name; struct kb_synthetic model; double off, observed; enum kb_uncontended_by by; };

static void judge(const struct row *row, int tries)
{
	struct contended_runs seen;
	enum kb_uncontended_by by = KB_BY_MEDIAN;
	unsigned said = 0;
	char what[120];

	runs(&seen, &row->model, tries, &by, &said);
	snprintf(what, sizeof what, "%s: uncontended headlines", row->name);
	truth_row("T-LONG-1", what, 1, 0, (double)seen.uncontended / tries);
	snprintf(what, sizeof what, "%s: by median, quartile, parts", row->name);
	truth_row("T-LONG-1", what, row->by, 0, by);
	snprintf(what, sizeof what, "%s: headline off by, median", row->name);
	truth_row("T-LONG-1", what, 0, row->off, contended_median(seen.value, tries));
	snprintf(what, sizeof what, "%s: observed off by, median", row->name);
	truth_at_least("T-LONG-1", what, row->observed, contended_median(seen.observed, tries));
	snprintf(what, sizeof what, "%s: clean share, median", row->name);
	truth_note("T-LONG-1", what, 0, contended_median(seen.share, tries));
}

static void t_value(void **state)
{
	static const struct row rows[] = {
		{ "400 us in 10 parts, no neighbour", { OPERATION(400 * US), .parts = 10, .sibling = { NEIGHBOUR } }, 0.002, -0.01, KB_BY_PARTS },
		{ "400 us in 10 parts, 67 %", { OPERATION(400 * US), .parts = 10, BUSY(400 * US, 800 * US) }, 0.002, 0.2, KB_BY_PARTS },
		{ "400 us in 10 parts, 80 %", { OPERATION(400 * US), .parts = 10, BUSY(500 * US, 2000 * US) }, 0.002, 0.25, KB_BY_PARTS },
		{ "2 ms in 50 parts, 50 %", { OPERATION(2 * MS), .parts = 50, BUSY(500 * US, 500 * US) }, 0.002, 0.15, KB_BY_PARTS },
		{ "150 us whole, 67 %", { OPERATION(150 * US), BUSY(1 * MS, 2 * MS) }, 0.02, 0.1, KB_BY_QUARTILE },
		{ "60 us whole, 67 %", { OPERATION(60 * US), BUSY(1 * MS, 2 * MS) }, 0.01, 0.1, KB_BY_MEDIAN },
	};
	int tries = truth_tries(20, 2);

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		judge(&rows[i], tries);
}

/* What cannot be divided is told as it was observed, and says so. */
static void t_too_long(void **state)
{
	static const struct kb_synthetic model = { OPERATION(2 * MS), BUSY(500 * US, 500 * US) };
	enum kb_uncontended_by by = KB_BY_MEDIAN;
	struct contended_runs seen;
	int tries = truth_tries(10, 2);
	unsigned said = 0;

	(void)state;
	runs(&seen, &model, tries, &by, &said);
	truth_row("T-LONG-2", "2 ms whole, 50 %: uncontended headlines", 0, 0, seen.uncontended);
	truth_row("T-LONG-2", "2 ms whole, 50 %: reported as long_operation", 1, 0, (double)said / tries);
	truth_row("T-LONG-2", "2 ms whole, 50 %: headline less the observed cost", 0, 1e-9,
	          contended_median(seen.value, tries) - contended_median(seen.observed, tries));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_value), cmocka_unit_test(t_too_long) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
