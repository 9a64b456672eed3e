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

static void add_change(struct kb_text *text, const struct kb_comparison *row, bool utf8)
{
	const struct kb_interval *ln = &row->difference.ln;
	double value = 100 * expm1(ln->value), half = 50 * (exp(ln->high) - exp(ln->low));
	char change[KB_NUMBER_ROOM], width[KB_NUMBER_ROOM], part[KB_ROW_NAME + 2 * KB_NUMBER_ROOM + 8];

	kb_format_percent(change, fabs(value));
	kb_format_percent(width, half);
	snprintf(part, sizeof part, "%s %s%s %s%s", row->key, value < 0 ? "-" : "+", change, utf8 ? "\u00b1" : "+-", width);
	kb_text_str(text, part);
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

static void add_names(struct kb_text *text, const struct kb_baseline *baseline, enum kb_decision decision, size_t count, bool utf8)
{
	const struct kb_comparison *row;
	double below = INFINITY;
	size_t named = 0;

	for (; named < NAMED_MOST && (row = next_of(baseline, decision, below)) != NULL; named++) {
		kb_text_str(text, named == 0 ? " (" : ", ");
		add_change(text, row, utf8);
		below = fabs(row->difference.ln.value);
	}
	if (named > 0 && named < count)
		kb_text_str(text, ", ...");
	kb_text_str(text, named > 0 ? ")" : "");
}

static void add_counts(struct kb_text *text, const struct kb_baseline *baseline, bool utf8)
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
		kb_text_str(text, separator);
		kb_text_u64(text, counts[order[i]]);
		kb_text_str(text, " ");
		kb_text_str(text, kb_decision_name(order[i]));
		if (order[i] == KB_SLOWER || order[i] == KB_FASTER)
			add_names(text, baseline, order[i], counts[order[i]], utf8);
		separator = ", ";
	}
	if (!separator[0])
		kb_text_str(text, "nothing to compare");
	if (absent > 0) {
		kb_text_str(text, "; not compared: ");
		kb_text_u64(text, absent);
	}
}

void kb_changes_print(FILE *out, const struct kb_baseline *baseline, const char *started, const struct kb_style *style)
{
	char line[4 * KB_ROW_NAME * NAMED_MOST], age[40];
	struct kb_text text = kb_text_in(line, sizeof line);

	format_age(age, fmax(kb_seconds_of_date(started) - kb_seconds_of_date(baseline->started), 0));
	kb_text_str(&text, "against run ");
	kb_text_bytes(&text, baseline->id, ID_START);
	if (baseline->label[0]) {
		kb_text_str(&text, " (");
		kb_text_str(&text, baseline->label);
		kb_text_str(&text, ")");
	}
	kb_text_str(&text, " of ");
	kb_text_str(&text, age);
	kb_text_str(&text, " ago: ");
	add_counts(&text, baseline, style->utf8);
	if (baseline->kernels[0][0]) {
		kb_text_str(&text, "; kernel ");
		kb_text_str(&text, baseline->kernels[0]);
		kb_text_str(&text, " then, ");
		kb_text_str(&text, baseline->kernels[1]);
		kb_text_str(&text, " now");
	}
	kb_make_visible(line, '?'); /* a label is the user's, and what is cut may end inside a character */
	kb_text_plain(line, style);
	kb_print_wrapped(out, style, 0, line);
}
