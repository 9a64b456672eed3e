/* See comparison.h. Cells are made twice, once for the widths: like the table of results. */
#include "report/text/comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/columns.h"
#include "report/text/figure.h"
#include "report/text/words.h"
#include "stats/distribution/average.h"

#define NAME_WIDTH_MAX 46
#define CELL_ROOM 336

enum column { NAME, BASE, NEW, UNIT, RATIO, INTERVAL, FINDS, DELTA, DECISION, VERDICTS, COLUMNS };

struct line { char cell[COLUMNS][CELL_ROOM]; };

static const struct { const char *title; bool right; } columns[COLUMNS] = {
	[NAME] = { "benchmark", false },
	[BASE] = { "base", true },
	[NEW] = { "new", true },
	[UNIT] = { "unit", false },
	[RATIO] = { "ratio", true },
	[INTERVAL] = { "95 % CI", false },
	[FINDS] = { "finds", true },
	[DELTA] = { "delta", true },
	[DECISION] = { "decision", false },
	[VERDICTS] = { "base, new", false },
};

static double percent(double ln)
{
	return 100 * expm1(ln);
}

static struct kb_scale scale_of(const char *unit, const struct kb_estimate *estimate)
{
	struct kb_result like = { .estimate = *estimate, .ticks_per_ns = 1 };

	return strcmp(unit, "ns") ? (struct kb_scale){ unit, 1 } : kb_scale_of(&like);
}

static void make_line(struct line *line, const struct kb_comparison *row, const struct kb_look *look)
{
	/* Both sides in the unit that fits the first, unless they have no common one. */
	struct kb_scale scale = scale_of(row->unit, row->a.known ? &row->a : &row->b);
	struct kb_scale of_b = row->unit_b ? scale_of(row->unit_b, &row->b) : scale;
	const struct kb_interval *ln = &row->difference.ln;

	memset(line, 0, sizeof *line);
	snprintf(line->cell[NAME], CELL_ROOM, "%s", row->key);
	kb_figure_estimate(line->cell[BASE], &row->a, scale.factor, look->utf8);
	kb_figure_estimate(line->cell[NEW], &row->b, of_b.factor, look->utf8);
	snprintf(line->cell[UNIT], CELL_ROOM, "%s%s%s", scale.unit, row->unit_b ? ", " : "", row->unit_b ? of_b.unit : "");
	snprintf(line->cell[RATIO], CELL_ROOM, "-");
	if (row->launches > 0 && (ln->known || row->launches == 1))
		snprintf(line->cell[RATIO], CELL_ROOM, "%.4f", exp(ln->value));
	if (ln->known)
		snprintf(line->cell[INTERVAL], CELL_ROOM, "%.4f..%.4f", exp(ln->low), exp(ln->high));
	if (isfinite(row->difference.detectable))
		snprintf(line->cell[FINDS], CELL_ROOM, "%.2g %%", percent(row->difference.detectable));
	if (row->launches > 0)
		snprintf(line->cell[DELTA], CELL_ROOM, "%+.2f", row->delta);
	snprintf(line->cell[DECISION], CELL_ROOM, "%s%s", kb_decision_name(row->decision), row->regression ? " !" : "");
	snprintf(line->cell[VERDICTS], CELL_ROOM, "%s, %s", kb_status_name(row->status[0]), kb_status_name(row->status[1]));
}

static void widen(unsigned *widths, const struct line *line)
{
	for (int i = 0; i < COLUMNS; i++) {
		unsigned width = kb_text_width(line->cell[i]);

		if (i == NAME && width > NAME_WIDTH_MAX)
			width = NAME_WIDTH_MAX;
		widths[i] = width > widths[i] ? width : widths[i];
	}
}

static void print_line(FILE *out, const struct line *line, const unsigned *widths)
{
	for (int i = 0; i < COLUMNS; i++) {
		unsigned used = kb_text_width(line->cell[i]);
		int pad = widths[i] > used ? (int)(widths[i] - used) : 0;

		if (i == NAME && used > widths[i])
			fprintf(out, "%s\n%*s", line->cell[i], (int)widths[i], "");
		else if (columns[i].right)
			fprintf(out, "%*s%s", pad, "", line->cell[i]);
		else
			fprintf(out, "%s%*s", line->cell[i], i == COLUMNS - 1 ? 0 : pad, "");
		fputs(i == COLUMNS - 1 ? "\n" : "  ", out);
	}
}

/* ---- below a row, for who asks ------------------------------------------------------------------- */

static void print_split(FILE *out, const struct kb_comparison *row, const struct kb_look *look)
{
	const struct kb_levels *levels = &row->levels;
	char text[300];

	snprintf(text, sizeof text, "variance of ln ratio: T1^2 %.3g of blocks, T2^2 %.3g of processes%s; %.0f blocks in a process, %.0f "
		 "processes", levels->t2[0], levels->t2[1], levels->t2[1] <= 0 ? " (they add nothing)" : "", levels->repeats[0],
		 levels->repeats[1]);
	kb_words_wrap(out, look, 4, text);
}

/* A tail that grows while the median stays shows here and nowhere else. */
static void print_shift(FILE *out, const struct kb_comparison *row, const struct kb_look *look)
{
	char text[600];
	size_t used = (size_t)snprintf(text, sizeof text, "ratio at deciles:");

	for (unsigned k = 0; k < KB_DECILES && used < sizeof text; k++) {
		const struct kb_interval *ln = &row->shift[k];

		used += (size_t)snprintf(text + used, sizeof text - used, "%s %u %% %.4f (%.4f..%.4f)", k > 0 ? "," : "",
					 10 * (k + 1), exp(ln->value), exp(ln->low), exp(ln->high));
	}
	kb_words_wrap(out, look, 4, text);
}

static void print_occasion(FILE *out, const struct kb_comparison *row, const struct kb_look *look)
{
	char text[200], runs[60] = "as is usual";

	if (row->occasion.runs > 0)
		snprintf(runs, sizeof runs, "by %u runs in the store", row->occasion.runs);
	snprintf(text, sizeof text, "Brunner-Munzel p %.3g; occasions differ by %.2g %% (sd, %s)", row->p_rank, percent(row->occasion.sd), runs);
	kb_words_wrap(out, look, 4, text);
}

static void print_detail(FILE *out, const struct kb_comparison *row, const struct kb_look *look)
{
	char text[300];

	snprintf(text, sizeof text, "margin %.2g %%, %u processes %s; one-sided p of slower %.3g, after Holm %.3g; q of any difference "
		 "%.3g", percent(row->margin), row->launches, row->paired ? "in pairs" : "a side", row->difference.p_slower, row->p_holm,
		 row->q);
	kb_words_wrap(out, look, 4, text);
	if (!row->paired)
		print_occasion(out, row, look);
	if (row->shifted)
		print_shift(out, row, look);
	if (row->split)
		print_split(out, row, look);
}

void kb_comparison_print(FILE *out, const struct kb_comparison *rows, size_t count, const struct kb_look *look)
{
	unsigned widths[COLUMNS] = { 0 };
	struct line line, titles;

	memset(&titles, 0, sizeof titles);
	for (int i = 0; i < COLUMNS; i++)
		snprintf(titles.cell[i], CELL_ROOM, "%s", columns[i].title);
	widen(widths, &titles);
	for (size_t i = 0; i < count; i++) {
		make_line(&line, &rows[i], look);
		widen(widths, &line);
	}
	print_line(out, &titles, widths);
	for (size_t i = 0; i < count; i++) {
		make_line(&line, &rows[i], look);
		print_line(out, &line, widths);
		kb_words_reasons(out, look, &rows[i].verdict);
		if (look->notes)
			print_detail(out, &rows[i], look);
	}
}

/* Ratios of rows that can be compared, in ns so that their times add up; the arrays have room for all rows. */
static size_t comparable(const struct kb_comparison *rows, size_t count, double *ratio, double total[2])
{
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		const struct kb_comparison *row = &rows[i];

		if (!row->counts || row->invalid || !row->difference.ln.known || !row->a.known || !row->b.known)
			continue;
		ratio[n++] = exp(row->difference.ln.value);
		if (strcmp(row->unit, "ns") == 0) {
			total[0] += row->a.value;
			total[1] += row->b.value;
		}
	}
	return n;
}

/* The mean of ratios is geometric, and that of a mixture of rows says little: what the times add up to stands beside it. */
static void print_mean(FILE *out, const struct kb_comparison *rows, size_t count)
{
	double *ratio = malloc((count + 1) * sizeof *ratio), total[2] = { 0 };
	size_t n = ratio ? comparable(rows, count, ratio, total) : 0;
	struct kb_interval mean = n > 1 ? kb_geometric_mean(ratio, n, 0.95) : (struct kb_interval){ 0 };

	free(ratio);
	if (!mean.known)
		return;
	fprintf(out, "geometric mean of %zu ratios %.4f [%.4f, %.4f]", n, mean.value, mean.low, mean.high);
	if (total[0] > 0 && total[1] > 0)
		fprintf(out, "; one operation of each row in ns takes %.4g against %.4g us together", total[0] * 1e-3, total[1] * 1e-3);
	fputc('\n', out);
}

/* How many rows were not compared by their headlines, and what by instead. */
static void print_compared(FILE *out, const struct kb_comparison *rows, size_t count)
{
	static const struct { const char *by, *says; } kinds[] = {
		{ "ratio", "the ratio to their twin: what a change does to both is not in it" },
		{ "observed", "the observed cost, neighbours included: an uncontended one of both sides is missing" },
	};

	for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
		size_t seen = 0;

		for (size_t i = 0; i < count; i++)
			seen += rows[i].compared && !strcmp(rows[i].compared, kinds[kind].by);
		if (seen > 0)
			fprintf(out, "%zu compared by %s\n", seen, kinds[kind].says);
	}
}

void kb_comparison_count(FILE *out, const struct kb_comparison *rows, size_t count)
{
	static const enum kb_decision order[] = { KB_SLOWER, KB_FASTER, KB_EQUIVALENT, KB_INCONCLUSIVE };
	size_t counts[KB_DECISIONS] = { 0 }, regressions = 0;
	const char *separator = ": ";

	for (size_t i = 0; i < count; i++) {
		counts[rows[i].decision]++;
		regressions += rows[i].regression;
	}
	fprintf(out, "%zu row%s", count, count == 1 ? "" : "s");
	for (size_t i = 0; i < KB_DECISIONS; i++) {
		if (counts[order[i]] == 0)
			continue;
		fprintf(out, "%s%zu %s", separator, counts[order[i]], kb_decision_name(order[i]));
		if (order[i] == KB_SLOWER)
			fprintf(out, " (%zu after Holm, marked !)", regressions);
		separator = ", ";
	}
	fputc('\n', out);
	print_compared(out, rows, count);
	print_mean(out, rows, count);
}
