/*
 * See table.h. Cells are made twice, once to learn the widths and once to print: no row is kept, so a table of any
 * length needs no memory.
 */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "report/figure.h"
#include "report/words.h"

/* A longer name stands on a line of its own, else one sweep would push every number off the screen. */
#define NAME_WIDTH_MAX 46
#define CELL_ROOM (sizeof ((struct kb_result *)0)->benchmark + sizeof ((struct kb_result *)0)->params + 1)

enum column { NAME, TYPICAL, QUIET, P50, P99, UNIT, VERDICT, COLUMNS };
/* A row has one to four lines: the time always, also where it is unknown; the others only with numbers. */
enum line_kind { TIME, CYCLES, RATE, EMPTY, LINES };

struct line { char cell[COLUMNS][CELL_ROOM]; };

static const struct { const char *title; bool right; } columns[COLUMNS] = {
	[NAME] = { "benchmark", false },
	[TYPICAL] = { "typical", true },
	[QUIET] = { "quiet", true },
	[P50] = { "p50", true },
	[P99] = { "p99", true },
	[UNIT] = { "unit", false },
	[VERDICT] = { "verdict", false },
};

/* Without its interval: a quantile is there to be compared with the headline, JSON and detail have the ends. */
static void quantile(char *cell, const struct kb_estimate *estimate, double factor)
{
	kb_figure_plain(cell, estimate->known ? estimate->value * factor : NAN, KB_FIGURE_DIGITS);
}

/* The unit carries what one operation is called: "us/round-trip" cannot be taken for one way. */
static void time_line(struct line *line, const struct kb_result *result, const struct kb_look *look)
{
	struct kb_scale scale = kb_scale_of(result);

	kb_row_name(line->cell[NAME], result);
	kb_figure_estimate(line->cell[TYPICAL], &result->typical, scale.factor, look->utf8);
	kb_figure_estimate(line->cell[QUIET], &result->quiet, scale.factor, look->utf8);
	quantile(line->cell[P50], &result->quantile[KB_P50], scale.factor);
	quantile(line->cell[P99], &result->quantile[KB_P99], scale.factor);
	if (result->typical.known || result->quiet.known) {
		snprintf(line->cell[UNIT], CELL_ROOM, "%s%s%s", scale.unit, result->per[0] ? "/" : "", result->per);
	}
	snprintf(line->cell[VERDICT], CELL_ROOM, "%s", kb_status_name(result->verdict.status));
}

/* No quantiles in cycles: single operations are timed by the clock, whose reading is part of them. */
static void cycles_line(struct line *line, const struct kb_result *result, const struct kb_look *look)
{
	kb_figure_estimate(line->cell[TYPICAL], &result->typical_cycles, 1, look->utf8);
	kb_figure_estimate(line->cell[QUIET], &result->quiet_cycles, 1, look->utf8);
	snprintf(line->cell[UNIT], CELL_ROOM, "cycles");
}

/* Time is what was measured: its interval is turned over, so the upper end of the cost is the lower end of the rate. */
static struct kb_estimate rate_of(const struct kb_estimate *cost, uint64_t bytes)
{
	struct kb_estimate rate = { .known = cost->known && cost->value > 0 };

	if (rate.known) {
		rate.value = (double)bytes / cost->value;
		rate.bounded = cost->bounded && cost->low > 0;
	}
	if (rate.bounded) {
		rate.low = (double)bytes / cost->high;
		rate.high = (double)bytes / cost->low;
	}
	return rate;
}

/* GB and MB are powers of ten here, as for disks and networks; sizes of working sets are powers of two. */
static void rate_line(struct line *line, const struct kb_result *result, const struct kb_look *look)
{
	struct kb_estimate typical = rate_of(&result->typical, result->bytes_per_op);
	struct kb_estimate quiet = rate_of(&result->quiet, result->bytes_per_op);
	/* Bytes per ns are GB/s. */
	bool giga = (typical.known ? typical.value : quiet.value) >= 1;

	kb_figure_estimate(line->cell[TYPICAL], &typical, giga ? 1 : 1000, look->utf8);
	kb_figure_estimate(line->cell[QUIET], &quiet, giga ? 1 : 1000, look->utf8);
	snprintf(line->cell[UNIT], CELL_ROOM, giga ? "GB/s" : "MB/s");
}

/* What of the time above is the reading of the clock. */
static void empty_line(struct line *line, const struct kb_result *result, const struct kb_look *look)
{
	struct kb_scale scale = kb_scale_of(result);

	kb_figure_estimate(line->cell[TYPICAL], &result->fixed, scale.factor, look->utf8);
	snprintf(line->cell[UNIT], CELL_ROOM, "%s/empty pair", scale.unit);
}

/* A rate needs a real time: ticks of unknown length have none. */
static bool has_line(const struct kb_result *result, enum line_kind kind)
{
	bool number = result->typical.known || result->quiet.known;

	switch (kind) {
	case CYCLES:
		return result->typical_cycles.known || result->quiet_cycles.known;
	case RATE:
		return number && result->bytes_per_op > 0 && result->ticks_per_ns > 0;
	case EMPTY:
		return number && kb_verdict_has(&result->verdict, KB_CODE_clock_included);
	default:
		return kind == TIME;
	}
}

/* A cell that a maker does not fill stays empty. */
static void make_line(struct line *line, const struct kb_result *result, enum line_kind kind,
		      const struct kb_look *look)
{
	static void (*const makers[LINES])(struct line *, const struct kb_result *, const struct kb_look *) = {
		[TIME] = time_line, [CYCLES] = cycles_line, [RATE] = rate_line, [EMPTY] = empty_line,
	};

	memset(line, 0, sizeof *line);
	makers[kind](line, result, look);
}

/* Widths come from all rows, so numbers of a column can be compared at a glance. */
static void widen(unsigned *widths, const struct line *line)
{
	for (int i = 0; i < COLUMNS; i++) {
		unsigned width = kb_figure_width(line->cell[i]);

		if (i == NAME && width > NAME_WIDTH_MAX)
			width = NAME_WIDTH_MAX;
		if (width > widths[i])
			widths[i] = width;
	}
}

/* printf counts bytes for its widths, and the sign for plus-minus has two. */
static void print_cell(FILE *out, const char *text, unsigned width, bool right)
{
	unsigned used = kb_figure_width(text);
	int pad = width > used ? (int)(width - used) : 0;

	if (right)
		fprintf(out, "%*s%s", pad, "", text);
	else
		fprintf(out, "%s%*s", text, pad, "");
}

/* No blanks at the end of a line: they would break the comparison of two tables and wrap on narrow terminals. */
static void print_line(FILE *out, const struct line *line, const unsigned *widths)
{
	int last = COLUMNS - 1;
	const char *name = line->cell[NAME];

	if (kb_figure_width(name) > widths[NAME]) {
		fprintf(out, "%s\n", name);
		name = "";
	}
	while (last > 0 && !line->cell[last][0])
		last--;
	print_cell(out, name, widths[NAME], false);
	for (int i = NAME + 1; i <= last; i++) {
		fputs("  ", out);
		print_cell(out, line->cell[i], i == last && !columns[i].right ? 0 : widths[i], columns[i].right);
	}
	fputc('\n', out);
}

void kb_table_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_look *look)
{
	unsigned widths[COLUMNS] = { 0 };
	struct line line;

	memset(&line, 0, sizeof line);
	for (int i = 0; i < COLUMNS; i++)
		snprintf(line.cell[i], CELL_ROOM, "%s", columns[i].title);
	struct line titles = line;

	widen(widths, &titles);
	for (size_t i = 0; i < count * LINES; i++) {
		if (has_line(results[i / LINES], i % LINES)) {
			make_line(&line, results[i / LINES], i % LINES, look);
			widen(widths, &line);
		}
	}
	print_line(out, &titles, widths);
	for (size_t i = 0; i < count * LINES; i++) {
		if (has_line(results[i / LINES], i % LINES)) {
			make_line(&line, results[i / LINES], i % LINES, look);
			print_line(out, &line, widths);
		}
		/* Words below the numbers they are about, not gathered at the end where nobody looks. */
		if (i % LINES == LINES - 1)
			kb_words_reasons(out, look, &results[i / LINES]->verdict);
	}
}

void kb_table_count(FILE *out, const struct kb_result *const *results, size_t count)
{
	size_t counts[KB_STATUSES] = { 0 };
	const char *separator = ":";

	for (size_t i = 0; i < count; i++)
		counts[results[i]->verdict.status]++;
	fprintf(out, "%zu row%s", count, count == 1 ? "" : "s");
	for (int status = 0; status < KB_STATUSES; status++) {
		if (counts[status] > 0) {
			fprintf(out, "%s %zu %s", separator, counts[status], kb_status_name(status));
			separator = ",";
		}
	}
	fputc('\n', out);
}
