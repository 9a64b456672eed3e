/*
 * T-RULE: what other rules than the chosen ones would give, from the same records: how long the stretches are whose values a process
 * takes the median of, and how many probes around a sample must be at the floor. Off, the median over runs and how far the processes of
 * one run lie apart, in percent; and the share of processes that are usable. Nothing is judged but what was chosen.
 */
/* runs: slow, 4 s */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "result/summary/summary.h"
#include "truth/contended.h"
#include "stats/stats.h"
#include "truth/truth.h"

#define PROCESSES 6
#define TRIES_MAX 40
#define STRETCHES 3             /* usable ones that a process needs */
#define CLEAN 3                 /* samples that make a stretch usable */

struct rule { double stretch_ms; unsigned probes; };

static const struct rule rules[] = { { 2, 4 }, { 5, 4 }, { 10, 4 }, { 2, 2 }, { 5, 2 }, { 10, 2 } };

#define RULES (sizeof rules / sizeof *rules)
#define CHOSEN 1

/* ---- one process --------------------------------------------------------------------------------- */

/* There is one position here, so K alone tells the floor. */
static bool at_floor(const struct kb_samples *samples, uint32_t probe)
{
	double add = kb_contention_add(samples, (uint32_t)samples->probe_blocks[probe]);

	return samples->probes[probe] <= 1.02 * SYNTHETIC_K * add * (double)samples->probe + (double)samples->quantum;
}

/* Two: those around the sample. Four: the next ones on both sides, too. */
static void flag(const struct kb_samples *samples, struct kb_points *points, unsigned probes)
{
	uint32_t beyond = probes / 2 - 1, count = (uint32_t)samples->probe_count;

	for (size_t i = 0; i < points->count; i++) {
		uint32_t after = points->probe[i] - 1, first = after - 1 > beyond ? after - 1 - beyond : 0;

		points->flags[i] &= ~KB_FLAG_CONTENDED;
		for (uint32_t k = first; k <= after + beyond && k < count; k++) {
			if (!at_floor(samples, k))
				points->flags[i] |= KB_FLAG_CONTENDED;
		}
	}
}

static double middle(double *x, size_t n)
{
	kb_sort(x, n);
	return kb_quantile_sorted(x, n, 0.5);
}

/* NAN: too few usable stretches. */
static double cost_by(struct kb_samples *samples, const struct rule *rule)
{
	static double clean[1 << 14], values[1 << 12], off[1 << 14];
	struct kb_points *op = &samples->op;
	struct kb_process_fit fit;
	size_t stretches = 0, n = 0, all = 0;

	flag(samples, op, rule->probes);
	flag(samples, &samples->base, rule->probes);
	kb_fit_process(samples, &fit);
	for (size_t i = 0; i < op->count; i++) {
		if (!op->flags[i])
			off[all++] = op->ticks[i] - fit.op.b_robust * op->n[i];
	}
	double fixed = all > 0 ? middle(off, all) : 0;

	for (size_t i = 0; i < op->count; i++) {
		if (!op->flags[i])
			clean[n++] = (op->ticks[i] - fixed) / op->n[i];
		if (i + 1 < op->count && floor(op->t[i + 1] / (rule->stretch_ms * MS)) <= floor(op->t[i] / (rule->stretch_ms * MS)))
			continue;
		if (n >= CLEAN)
			values[stretches++] = middle(clean, n);
		n = 0;
	}
	return stretches >= STRETCHES && fit.op.known ? middle(values, stretches) - fit.base_cost : NAN;
}

/* ---- a run --------------------------------------------------------------------------------------- */

struct tally {
	double truth;
	double cost[RULES][PROCESSES];
	unsigned processes;
};

static void take(void *context, const struct kb_process_text *text)
{
	struct tally *tally = context;
	struct kb_samples samples;

	if (text->process == 0 || tally->processes == PROCESSES)
		return;
	assert_int_equal(kb_samples_load(&samples, text), 0);
	for (size_t r = 0; r < RULES; r++)
		tally->cost[r][tally->processes] = cost_by(&samples, &rules[r]) / tally->truth - 1;
	tally->processes++;
	kb_samples_free(&samples);
}

struct seen { double off[TRIES_MAX], apart[TRIES_MAX], usable; int runs; };

static void see(struct seen *seen, const struct tally *tally, size_t rule)
{
	double usable[PROCESSES];
	size_t n = 0;

	for (unsigned i = 0; i < tally->processes; i++) {
		if (!isnan(tally->cost[rule][i]))
			usable[n++] = tally->cost[rule][i];
	}
	seen->usable += (double)n / tally->processes;
	if (n < 2)
		return;
	seen->apart[seen->runs] = sqrt(kb_variance(usable, n));
	seen->off[seen->runs++] = middle(usable, n);
}

static void t_rules(void **state)
{
	static const struct { const char *name; struct kb_synthetic model; } rows[] = {
		{ "20 %, 15 us at a time", { .sibling = { NEIGHBOUR, .clean_ns = 0.06 * MS, .busy_ns = 0.015 * MS } } },
		{ "75 %, 0.1 ms clean", { .sibling = { NEIGHBOUR, .clean_ns = 0.1 * MS, .busy_ns = 0.3 * MS } } },
		{ "85 %, 10 ms", { .sibling = { NEIGHBOUR, .clean_ns = 1.5 * MS, .busy_ns = 8.5 * MS } } },
		{ "the same, 7 % cheaper for 10 %", { .sibling = { NEIGHBOUR, .clean_ns = 1.5 * MS, .busy_ns = 8.5 * MS, .fast_share = 0.1,
		  .fast_by = 0.07 } } },
	};
	int tries = truth_tries(TRIES_MAX, 2);
	char what[120];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		static struct seen seen[RULES];

		memset(seen, 0, sizeof seen);
		for (int k = 0; k < tries; k++) {
			struct tally tally = { .truth = kb_synthetic_cost(&rows[i].model) };
			const struct engine_wish wish = { .seed = 700 + (uint64_t)k, .stop_after = PROCESSES, .record = take, .context = &tally };
			static struct engine_run run;

			engine_run(&run, &rows[i].model, &wish);
			engine_run_close(&run);
			for (size_t r = 0; r < RULES; r++)
				see(&seen[r], &tally, r);
		}
		for (size_t r = 0; r < RULES; r++) {
			double off = seen[r].runs > 0 ? middle(seen[r].off, (size_t)seen[r].runs) : NAN;
			double apart = seen[r].runs > 0 ? middle(seen[r].apart, (size_t)seen[r].runs) : NAN;

			snprintf(what, sizeof what, "%s: %g ms, %u probes: off by, %%", rows[i].name, rules[r].stretch_ms, rules[r].probes);
			truth_note("T-RULE", what, 0, 100 * off);
			snprintf(what, sizeof what, "%s: %g ms, %u probes: processes apart, %%", rows[i].name, rules[r].stretch_ms, rules[r].probes);
			truth_note("T-RULE", what, 0, 100 * apart);
			snprintf(what, sizeof what, "%s: %g ms, %u probes: usable processes, %%", rows[i].name, rules[r].stretch_ms, rules[r].probes);
			truth_note("T-RULE", what, 100, 100 * seen[r].usable / tries);
			if (r == CHOSEN)
				truth_at_most("T-RULE", rows[i].name, 0.004, fabs(off));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(t_rules) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
