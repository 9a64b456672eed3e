/* See changes.h. A ratio is of times: what costs more is slower, also where the table has a bandwidth. */
#include "report/text/changes.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/text/number_format.h"
#include "workflow/machine.h"

#define NAMED_MOST 3            /* that are named; all stand in the table */
#define ID_START 13             /* so much of an id, the milliseconds, names a run */

/* "45 s", "12 min", "5 h", "3 days": in the largest unit that leaves two digits. */
static void format_age(char text[40], double seconds)
{
	static const struct { double seconds; const char *unit; } units[] = {
		{ 86400, "days" }, { 3600, "h" }, { 60, "min" }, { 1, "s" },
	};
	size_t i = 0;

	while (i < 3 && seconds < 1.5 * units[i].seconds)
		i++;
	snprintf(text, 40, "%.0f %s", seconds / units[i].seconds, units[i].unit);
}

static void add_change(FILE *line, const struct kb_comparison *row, bool utf8)
{
	const struct kb_interval *ln = &row->difference.ln;
	double value = 100 * expm1(ln->value), half = 50 * (exp(ln->high) - exp(ln->low));
	char change[KB_NUMBER_ROOM], width[KB_NUMBER_ROOM];

	kb_format_percent(change, fabs(value));
	kb_format_percent(width, half);
	fprintf(line, "%s %s%s %s%s", row->key, value < 0 ? "-" : "+", change, utf8 ? "\u00b1" : "+-", width);
}

/* The largest changes first. */
static const struct kb_comparison *next_of(const struct kb_baseline *baseline, enum kb_decision decision, double below)
{
	const struct kb_comparison *best = NULL;

	for (size_t i = 0; i < baseline->count; i++) {
		const struct kb_comparison *row = &baseline->rows[i];
		double change = fabs(row->difference.ln.value);

		if (row->counts && kb_baseline_decision(row) == decision && change < below &&
		    (!best || change > fabs(best->difference.ln.value)))
			best = row;
	}
	return best;
}

static void add_names(FILE *line, const struct kb_baseline *baseline, enum kb_decision decision, size_t count, bool utf8)
{
	const struct kb_comparison *row;
	double below = INFINITY;
	size_t named = 0;

	for (; named < NAMED_MOST && (row = next_of(baseline, decision, below)) != NULL; named++) {
		fputs(named == 0 ? " (" : ", ", line);
		add_change(line, row, utf8);
		below = fabs(row->difference.ln.value);
	}
	if (named > 0)
		fputs(named < count ? ", ...)" : ")", line);
}

static void add_counts(FILE *line, const struct kb_baseline *baseline, bool utf8)
{
	static const enum kb_decision order[] = { KB_SLOWER, KB_FASTER, KB_EQUIVALENT, KB_INCONCLUSIVE };
	size_t counts[KB_DECISIONS] = { 0 }, absent = 0;
	const char *separator = "";

	for (size_t i = 0; i < baseline->count; i++) {
		if (baseline->rows[i].counts)
			counts[kb_baseline_decision(&baseline->rows[i])]++;
		absent += !baseline->rows[i].key[0];
	}
	for (size_t i = 0; i < KB_DECISIONS; i++) {
		if (counts[order[i]] == 0)
			continue;
		fprintf(line, "%s%zu %s", separator, counts[order[i]], kb_decision_name(order[i]));
		if (order[i] == KB_SLOWER || order[i] == KB_FASTER)
			add_names(line, baseline, order[i], counts[order[i]], utf8);
		separator = ", ";
	}
	if (!separator[0])
		fputs("nothing to compare", line);
	if (absent > 0)
		fprintf(line, "; not compared: %zu", absent);
}

void kb_changes_print(FILE *out, const struct kb_baseline *baseline, const char *started, const struct kb_style *style)
{
	char line[4 * KB_ROW_NAME * NAMED_MOST] = "", age[40];
	bool labelled = baseline->label[0] != '\0';
	FILE *text = fmemopen(line, sizeof line - 1, "w");

	if (!text)
		return; /* the table has the changes */
	double passed = kb_seconds_of_date(started) - kb_seconds_of_date(baseline->started);

	format_age(age, fabs(passed));
	fprintf(text, "against run %.*s%s%s%s %s%s%s: ", ID_START, baseline->id, labelled ? " (" : "", baseline->label, labelled ? ")" : "",
		passed < 0 ? "dated " : "of ", age, passed < 0 ? " after this one" : " ago");
	add_counts(text, baseline, style->utf8);
	if (baseline->kernels[0][0])
		fprintf(text, "; kernel %s then, %s now", baseline->kernels[0], baseline->kernels[1]);
	fclose(text);
	kb_make_visible(line, '?'); /* a label is the user's, and what is cut may end inside a character */
	kb_text_plain(line, style);
	kb_print_wrapped(out, style, 0, line);
}
