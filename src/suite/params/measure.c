/* See measure.h. */
#include "suite/params/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io.h"
#include "suite/select.h"

#define VALUES_TEXT 2048
#define SETS_MAX 6
#define FEW_BLOCKS 100          /* some 12 ms: what is uncontended of them tells the point, and sweeps repeat it */
#define LEAST_NS UINT64_C(400000000)     /* calibration and one process: a shorter sweep measures nothing */

bool kb_prober_want(struct kb_prober *prober, const char *bench, const char *const *sets)
{
	struct kb_row *rows = NULL, *grown;
	size_t set_count = 0, count = 0;
	char error[256];

	while (sets[set_count])
		set_count++;
	if (kb_select(KB_SELECT_NAMED, prober->benches, &bench, 1, sets, set_count, &rows, &count, error)) {
		snprintf(prober->why, sizeof prober->why, "%.190s", error);
		return false;
	}
	grown = realloc(prober->rows, (prober->count + count) * sizeof *grown);
	if (grown) {
		memcpy(grown + prober->count, rows, count * sizeof *rows);
		prober->rows = grown;
		prober->count += count;
	}
	free(rows);
	return grown != NULL;
}

bool kb_prober_want_curve(struct kb_prober *prober, const char *bench, const char *axis, const double *values, size_t count,
                          const char *const *fixed)
{
	const char *sets[SETS_MAX + 2] = { NULL };
	char text[VALUES_TEXT];
	size_t used = (size_t)snprintf(text, sizeof text, "%s=", axis), n = 1;

	for (size_t i = 0; i < count && used < sizeof text - 24; i++)
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%.0f", i ? "," : "", values[i]);
	sets[0] = text;
	for (size_t i = 0; fixed && fixed[i] && n <= SETS_MAX; i++)
		sets[n++] = fixed[i];
	return count > 0 && kb_prober_want(prober, bench, sets);
}

bool kb_prober_has(const struct kb_prober *prober, uint64_t ns)
{
	return !prober->signal && kb_wall_ns() + ns < prober->deadline_ns;
}

/* One process each and no precision asked for: how far points repeat is seen from sweep to sweep, with fresh memory. */
static bool measure(struct kb_prober *prober)
{
	struct kb_run_options options = prober->run;
	char error[256] = "";

	if (prober->count == 0 || prober->signal)
		return false;
	if (!kb_prober_has(prober, LEAST_NS)) {
		snprintf(prober->why, sizeof prober->why, "the budget ended before it was measured; try a larger --budget");
		return false;
	}
	options.budget_ns = prober->deadline_ns - kb_wall_ns();
	options.processes = 1;
	options.precision = INFINITY;
	options.blocks = prober->thorough ? 0 : FEW_BLOCKS;

	bool done = !kb_run_rows(prober->rows, prober->count, &options, prober->observer, &prober->outcome, error);

	prober->run.seed++;
	prober->run.floor = prober->outcome.floor; /* what this sweep has learnt holds for the next one */
	if (done && !prober->run.calibrated) {
		prober->calibrated = prober->outcome;
		prober->run.calibrated = &prober->calibrated;
	}
	if (!done)
		snprintf(prober->why, sizeof prober->why, "%.190s", error);
	return done;
}

bool kb_prober_sweep(struct kb_prober *prober, kb_prober_take *take, void *context)
{
	bool done = measure(prober);

	if (done) {
		prober->processes += prober->outcome.processes;
		prober->signal = prober->outcome.interrupted ? prober->outcome.signal : prober->signal;
	}
	for (size_t i = 0; i < prober->count; i++) {
		const struct kb_reason *reason = kb_verdict_worst(&prober->rows[i].result.verdict);

		if (done && kb_row_ns(&prober->rows[i]) == 0)
			snprintf(prober->why, sizeof prober->why, "%.90s: %s%s%.60s", prober->rows[i].key,
				 reason ? kb_reason_words(reason) : "not measured in the budget", reason && reason->detail[0] ? ": " : "",
				 reason ? reason->detail : "");
		if (done)
			take(context, &prober->rows[i]);
		kb_row_release(&prober->rows[i]);
	}
	free(prober->rows);
	prober->rows = NULL;
	prober->count = 0;
	return done && !prober->signal;
}

double kb_row_ns(const struct kb_row *row)
{
	const struct kb_result *result = &row->result;
	double uncontended = result->process_cost_count > 0 ? result->process_costs[0].uncontended : NAN;
	double ns = uncontended > 0 ? uncontended : result->estimate.known ? result->estimate.value : 0;

	return result->verdict.status == KB_INVALID || result->verdict.status == KB_SKIPPED || !(ns > 0) ? 0 : ns;
}

bool kb_row_disturbed(const struct kb_row *row)
{
	static const enum kb_reason_code codes[] = { KB_CODE_freq_drift, KB_CODE_steal, KB_CODE_changepoint };
	const struct kb_result *result = &row->result;
	bool disturbed = result->disturbed > result->observations;

	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		disturbed = disturbed || kb_verdict_has(&result->verdict, codes[i]);
	return disturbed;
}

double kb_row_number(const struct kb_row *row, const char *name)
{
	int i = kb_param_index(row->settings.bench, kb_span_of(name));

	return i < 0 ? 0 : (double)row->settings.number[i];
}

bool kb_row_is(const struct kb_row *row, const char *name, const char *value)
{
	int i = kb_param_index(row->settings.bench, kb_span_of(name));

	return i >= 0 && !strcmp(row->settings.text[i], value);
}
