/* See table_cells.h. */
#include "report/text/table_cells.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/text/number_format.h"
#include "report/text/style.h"
#include "stats/stats.h"
#include "workflow/runs/baseline.h"

/* ---- name ---------------------------------------------------------------------------------------- */

/* Whether results of the same benchmark differ in it. Of a command it is the name, of one alone, too; and so is the other machine, without
   which the result would be another one. */
static bool varies(const struct kb_table *table, const struct kb_result *result, struct kb_span name, struct kb_span value)
{
	if ((result->method == KB_METHOD_COMMAND && kb_span_is(name, "command")) || kb_span_is(name, "host"))
		return true;
	for (size_t i = 0; i < table->count; i++) {
		if (!strcmp(table->results[i]->benchmark, result->benchmark) &&
		    !kb_span_equal(kb_params_value(table->results[i]->params, name), value))
			return true;
	}
	return false;
}

/* text NULL: counts only. */
static unsigned varying_params(struct kb_text *text, const struct kb_table *table, const struct kb_result *result, unsigned varying)
{
	struct kb_span rest = { result->params, strlen(result->params) }, word, name, value;
	unsigned count = 0;
	char plain[16];

	while ((word = kb_span_word(&rest)).length > 0) {
		if (!kb_span_pair(word, &name, &value) || !varies(table, result, name, value))
			continue;
		count++;
		if (!text)
			continue;
		kb_text_str(text, " ");
		/* "same-cpu" explains itself, and so does a single "64K"; "on" and "4" need the name of their parameter. */
		snprintf(plain, sizeof plain, "%.*s", (int)value.length, value.at);
		if (kb_span_is(name, "host"))
			word = value;
		else if (!kb_list_has("on,off,yes,no,none,both,auto,nothing", plain) && value.length > 0 &&
		    (isalpha((unsigned char)value.at[0]) || (varying == 1 && isupper((unsigned char)value.at[value.length - 1]))))
			word = value;
		kb_text_bytes(text, word.at, word.length);
	}
	return count;
}

void kb_cells_name(char cell[KB_CELL_ROOM], const struct kb_table *table, const struct kb_result *result)
{
	struct kb_text text = kb_text_in(cell, KB_CELL_ROOM);

	kb_text_str(&text, result->benchmark);
	varying_params(&text, table, result, varying_params(NULL, table, result, 0));
}

/* ---- numbers ------------------------------------------------------------------------------------- */

enum kind { TIME, CYCLES, RATE };

/* A result in its one unit. */
struct shown {
	enum kind kind;
	const char *unit;
	double factor;
	struct kb_estimate cost, observed;
	double quality;
};

/* The unit that was asked for, where the result has it; a bandwidth in GB/s, what the core decides in its cycles, else time. GB and MB
   are powers of ten here, as for disks and networks; bytes per ns are GB/s. */
static struct shown show(const struct kb_result *result, const char *unit)
{
	struct kb_scale scale = kb_scale_by_name(result, unit);
	struct shown shown = { TIME, scale.unit, scale.factor, result->estimate, result->observed, kb_quality(&result->estimate) };

	if (result->estimate_cycles.known &&
	    (unit ? !strcmp(unit, "cycles") : kb_core_bound(result->bound) && result->bytes_per_op == 0)) {
		shown = (struct shown){ CYCLES, "cy", 1, result->estimate_cycles, result->observed_cycles,
					kb_quality(&result->estimate_cycles) };
	} else if (!unit && result->bytes_per_op > 0 && result->ticks_per_ns > 0 && result->estimate.value > 0) {
		shown.kind = RATE;
		shown.cost = kb_rate_of(&result->estimate, (double)result->bytes_per_op);
		shown.observed = kb_rate_of(&result->observed, (double)result->bytes_per_op);
		shown.unit = shown.cost.value >= 1 ? "GB/s" : "MB/s";
		shown.factor = shown.cost.value >= 1 ? 1 : 1000;
	}
	return shown;
}

static int decimals_of(const char *number)
{
	const char *point = strchr(number, '.');

	return point ? (int)strlen(point + 1) : 0;
}

/* NULL: it was not compared. */
static const struct kb_comparison *change_of(const struct kb_table *table, const struct kb_result *result)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->results[i] == result)
			return table->changes[i].counts ? &table->changes[i] : NULL;
	}
	return NULL;
}

/* Of the number in its line: what takes longer has the lower bandwidth. */
static void print_change(FILE *cells, const struct kb_comparison *change, enum kind kind)
{
	enum kb_decision decision = change ? kb_baseline_decision(change) : KB_DECISIONS;
	double ln = change ? change->difference.ln.value : 0;
	char percent[KB_NUMBER_ROOM];

	if (decision != KB_SLOWER && decision != KB_FASTER) {
		fprintf(cells, "%s\t", decision == KB_EQUIVALENT ? "=" : decision == KB_INCONCLUSIVE ? "?" : "-");
		return;
	}
	ln = kind == RATE ? -ln : ln;
	kb_format_percent(percent, 100 * fabs(expm1(ln)));
	fprintf(cells, "%s%s\t", ln < 0 ? "-" : "+", percent);
}

/* Cycles are held against whole numbers, so they keep the digits that their CI supports; a fifth digit of a time would not be read. */
static void print_numbers(FILE *cells, const struct kb_table *table, const struct kb_result *result, const struct shown *shown)
{
	int least = shown->kind != CYCLES ? 2 : shown->cost.value < 1 ? 3 : 4, most = shown->kind == CYCLES ? 6 : 4;
	char cost[KB_NUMBER_ROOM], quality[KB_NUMBER_ROOM], observed[KB_NUMBER_ROOM], p99[KB_NUMBER_ROOM];

	if (kb_is_exact(result)) {
		kb_format_exact(cost, shown->cost.value);
		snprintf(quality, sizeof quality, "exact");
	} else {
		kb_format_number(cost, &shown->cost, shown->factor, least, most);
		kb_format_percent(quality, shown->quality);
	}
	/* To be held against the cost, so never with more decimals than that. */
	kb_format_number(observed, &shown->observed, shown->factor, shown->kind == CYCLES ? 4 : 3, shown->kind == CYCLES ? 6 : 3);
	if (shown->observed.known && shown->cost.known && decimals_of(observed) > decimals_of(cost))
		snprintf(observed, sizeof observed, "%.*f", decimals_of(cost), shown->observed.value * shown->factor);
	/* Single operations are timed by the clock: they have no cycles of the core, and no rate. */
	kb_format_value(p99, shown->kind == TIME && result->quantile[KB_P99].known ? result->quantile[KB_P99].value * shown->factor : NAN, 3);
	/* The same number twice, where nothing was excluded: with the same digits. */
	fprintf(cells, "%s\t%s\t%s\t", cost, shown->cost.known ? shown->unit : "", quality);
	if (table->changes)
		print_change(cells, change_of(table, result), shown->kind);
	fprintf(cells, "%s\t%s\t", result->headline == KB_HEADLINE_OBSERVED ? cost : observed, p99);
}

/* ---- processes ----------------------------------------------------------------------------------- */

/* The whole height is what the process that is farthest off deviates, but 5 % at least: the noise of good numbers is flat. */
#define LEAST_DEVIATION 0.05
#define MIDDLE 3

static void print_processes(FILE *cells, const struct kb_result *result, enum kind kind, bool utf8)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const digits[] = { "1", "2", "3", "4", "5", "6", "7", "8" };
	unsigned count = result->process_cost_count < KB_PICTURE_MAX ? result->process_cost_count : KB_PICTURE_MAX;
	double values[KB_PICTURE_MAX], scratch[KB_PICTURE_MAX], most = LEAST_DEVIATION;

	/* In the unit of the line: a bar that is higher than others is a larger number. */
	for (unsigned i = 0; i < count; i++) {
		const struct kb_process_cost *at = &result->process_costs[i];

		values[i] = kind == RATE ? (at->cost > 0 ? 1 / at->cost : NAN) : kind == CYCLES && at->cycles > 0 ? at->cycles : at->cost;
	}

	double median = count > 0 ? kb_median(values, count, scratch) : NAN;

	for (unsigned i = 0; i < count; i++)
		most = fmax(most, fabs(values[i] / median - 1));
	if (!(median > 0) || !isfinite(most))
		count = 0;
	for (unsigned i = 0; i < count; i++) {
		double part = (values[i] / median - 1) / most;
		int level = MIDDLE + (int)lround(part * (part > 0 ? 7 - MIDDLE : MIDDLE));

		fputs(utf8 ? bars[level] : digits[level], cells);
	}
	fputs(count > 0 ? "\t" : "-\t", cells);
}

/* ---- causes -------------------------------------------------------------------------------------- */

/* "not verified" below "unverified" tells nothing: there the detail does. */
void kb_cells_reason(char text[KB_CELL_ROOM], const struct kb_result *result, const struct kb_style *style)
{
	const struct kb_reason *reason = NULL;
	bool bare;

	/* The first of the worst; none: nothing worsened the verdict. */
	for (unsigned i = 0; i < result->verdict.count && i < KB_REASONS_MAX; i++) {
		const struct kb_reason *other = &result->verdict.reasons[i];

		if (kb_reason_severity(other) >= KB_MAKES_NOISY && (!reason || kb_reason_severity(other) > kb_reason_severity(reason)))
			reason = other;
	}
	bare = reason && reason->code == KB_CODE_expect_unknown && reason->detail[0];
	text[0] = '\0';
	if (reason)
		snprintf(text, KB_CELL_ROOM, "%s%s%s", bare ? "" : kb_reason_words(reason), !bare && reason->detail[0] ? ": " : "",
			 reason->detail);
	kb_text_plain(text, style);
}

/* Each tag once, though two reasons may share one. */
static bool is_listed(const char *list, const char *tag)
{
	size_t length = strlen(tag);

	for (const char *at = list; (at = strstr(at, tag)) != NULL; at += length) {
		if ((at == list || at[-1] == ' ') && (at[length] == '\0' || at[length] == ','))
			return true;
	}
	return false;
}

static void add_tag(struct kb_text *text, const char *tag)
{
	if (!tag[0] || is_listed(text->at, tag))
		return;
	if (text->used > 0)
		kb_text_str(text, ", ");
	kb_text_str(text, tag);
}

static void add_tags(struct kb_text *text, const struct kb_table *table, const struct kb_verdict *verdict, enum kb_severity severity)
{
	for (unsigned i = 0; i < verdict->count && i < KB_REASONS_MAX; i++) {
		const struct kb_reason *reason = &verdict->reasons[i];
		bool warned = (reason->code == KB_CODE_contention && !isnan(table->contended)) ||
			      (reason->code == KB_CODE_contention_not_excluded && table->not_excluded) ||
			      (reason->code == KB_CODE_freq_drift && table->clocks_moved > 0);

		/* Of a result that a later version stored the tag is not known; its name is. */
		if (kb_reason_severity(reason) == severity && !warned)
			add_tag(text, reason->code < KB_CODE_COUNT ? kb_code_tag(reason->code) : reason->name);
	}
}

/* First what decided, then what was seen besides. */
static void make_causes(char cell[KB_CELL_ROOM], const struct kb_table *table, const struct kb_result *result)
{
	struct kb_text text = kb_text_in(cell, KB_CELL_ROOM);

	if (result->verdict.status > KB_NOISY) {
		kb_cells_reason(cell, result, table->style);
		return;
	}
	add_tags(&text, table, &result->verdict, KB_MAKES_NOISY);
	add_tags(&text, table, &result->verdict, KB_CAUSE);
	/* By the warning costs exclude it: not this one, though it may be good without, as where a partner was not probed. */
	if (!isnan(table->contended) && !table->not_excluded && result->headline == KB_HEADLINE_OBSERVED &&
	    result->clean_share <= 1 - KB_CONTENDED_LEAST)
		add_tag(&text, kb_code_tag(KB_CODE_contention));
}

/* ---- the line ------------------------------------------------------------------------------------ */

static void print_verdict(FILE *cells, enum kb_status status, const struct kb_style *style)
{
	static const char *const colours[KB_STATUSES] = {
		[KB_OK] = "32", [KB_NOISY] = "33", [KB_UNVERIFIED] = "33", [KB_INVALID] = "31", [KB_SKIPPED] = "2",
	};

	if (style->colour)
		fprintf(cells, "\033[%sm%s\033[0m", colours[status], kb_status_name(status));
	else
		fputs(kb_status_name(status), cells);
}

struct kb_columns kb_table_columns(const struct kb_table *table)
{
	/* p99, processes and observed, in this order, are what is left out of a narrow table. */
	return (struct kb_columns){ .align = table->changes ? "lrurrrrlll" : "lrurrrlll", .indent = 2, .room = table->style->width,
				    .drop = table->changes ? "675" : "564", .first_wanted = 28, .last_wanted = 9, .first_least = 16,
				    .utf8 = table->style->utf8 };
}

void kb_cells_titles(FILE *cells, const struct kb_table *table)
{
	fprintf(cells, "\tcost\t\t%s95 %%\t%sobserved\tp99\tprocesses\tverdict\tcauses\n", table->style->utf8 ? "\u00b1" : "+-",
		table->changes ? "change\t" : "");
}

/* Without number the reason takes the place of the other numbers: it is what is to be known. */
void kb_cells_print(FILE *cells, const struct kb_table *table, const struct kb_result *result)
{
	struct shown shown = show(result, table->style->unit);
	char text[KB_CELL_ROOM];

	kb_cells_name(text, table, result);
	fprintf(cells, "%s\t", text);
	if (result->estimate.known) {
		print_numbers(cells, table, result, &shown);
		print_processes(cells, result, shown.kind, table->style->utf8);
		print_verdict(cells, result->verdict.status, table->style);
		make_causes(text, table, result);
		fprintf(cells, "\t%s\n", text);
	} else {
		fputs("-\t\t", cells);
		print_verdict(cells, result->verdict.status, table->style);
		kb_cells_reason(text, result, table->style);
		fprintf(cells, "  %s\n", text);
	}
}
