/* See junit.h: what two runs came to, for build servers. */
#include "report/export/junit.h"

#include <math.h>
#include <string.h>

enum outcome { PASSED, FAILURE, ERROR, SKIPPED };

/* As the gate of `kbench compare` judges: slower, but not surely enough for it, is not settled either. */
static enum outcome outcome_of(const struct kb_comparison *row)
{
	if (row->invalid)
		return ERROR;
	if (row->regression)
		return FAILURE;
	return !row->counts || row->decision == KB_INCONCLUSIVE || row->decision == KB_SLOWER ? SKIPPED : PASSED;
}

/* "slower: ratio 1.0500, 95 % CI 1.0400 to 1.0600" */
static void say(char text[160], const struct kb_comparison *row, enum outcome outcome)
{
	const struct kb_interval *ln = &row->difference.ln;
	const char *what = outcome == ERROR ? "a side is invalid" : outcome != SKIPPED ? kb_decision_name(row->decision) :
			   row->counts ? "not settled" : "nothing to compare";
	int used = snprintf(text, 160, "%s", what);

	if (row->counts && ln->known)
		snprintf(text + used, 160 - (size_t)used, ": ratio %.4f, 95 %% CI %.4f to %.4f", exp(ln->value), exp(ln->low), exp(ln->high));
}

static void print_cost(FILE *out, const char *side, const struct kb_estimate *cost, const char *unit, enum kb_status status)
{
	fprintf(out, "%s: ", side);
	if (cost->known)
		fprintf(out, "%.6g %s", cost->value, unit);
	else
		fputs("no number", out);
	if (cost->known && cost->bounded)
		fprintf(out, ", 95 %% CI %.6g to %.6g", cost->low, cost->high);
	fprintf(out, ", %s\n", kb_status_name(status));
}

static void print_case(FILE *out, const struct kb_comparison *row)
{
	static const char *const elements[] = { "system-out", "failure", "error", "skipped" };
	enum outcome outcome = outcome_of(row);
	const char *unit = row->unit_b ? row->unit_b : row->unit;
	char text[160];

	say(text, row, outcome);
	kb_junit_case(out, row->key, row->b.known && !strcmp(unit, "ns") ? &row->b : NULL);
	fprintf(out, "    <%s", elements[outcome]);
	if (outcome == FAILURE || outcome == ERROR)
		kb_junit_attribute(out, "type", outcome == ERROR ? "invalid" : kb_decision_name(row->decision));
	if (outcome != PASSED)
		kb_junit_attribute(out, "message", text);
	fprintf(out, ">%s\n", text);
	if (strcmp(row->key, row->key_b) != 0 && row->key_b[0]) {
		fputs("new is ", out);
		kb_junit_text(out, row->key_b);
		fputc('\n', out);
	}
	print_cost(out, "base", &row->a, row->unit, row->status[0]);
	print_cost(out, "new", &row->b, unit, row->status[1]);
	kb_junit_reasons(out, &row->verdict);
	fprintf(out, "</%s>\n  </testcase>\n", elements[outcome]);
}

void kb_export_junit_comparisons(FILE *out, const struct kb_junit_comparisons *comparisons)
{
	struct kb_junit_counts counts = { .tests = comparisons->count };
	char suite[300];

	for (size_t i = 0; i < comparisons->count; i++) {
		enum outcome outcome = outcome_of(&comparisons->rows[i]);

		counts.failures += outcome == FAILURE;
		counts.errors += outcome == ERROR;
		counts.skipped += outcome == SKIPPED;
	}
	snprintf(suite, sizeof suite, "kbench compare %.120s %.120s", comparisons->base, comparisons->new);
	kb_junit_begin(out, suite, &counts, comparisons->started);
	for (size_t i = 0; i < comparisons->count; i++)
		print_case(out, &comparisons->rows[i]);
	kb_junit_end(out);
}
