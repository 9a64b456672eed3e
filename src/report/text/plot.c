/* See plot.h. */
#include "report/text/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/text/style.h"
#include "stats/stats.h"

#define WIDTH_USUAL 80u
#define LABEL 11u               /* columns of a value, without the rule behind it */
#define COUNT 9u                /* of a count, the blank before it included */
#define BINS 20                 /* at most so many lines for the bulk */
#define BINS_MAX 40             /* up to the maximum, if that is not too far off */
#define ROWS 12                 /* of a run-order plot */

/* ---- canvas: one character is one column in both character sets; no library knows the terminal better ---- */

static const struct kb_pens ascii_pens = { "|", "#", ".", ":", "o", "!", "^", "+", "-" };
static const struct kb_pens utf8_pens = { "│", "▒", "░", "░", "●", "┊", "▲", "└", "─" };

static const struct kb_pens *pens_of(bool utf8)
{
	return utf8 ? &utf8_pens : &ascii_pens;
}

static void repeat(FILE *out, const char *pen, unsigned count)
{
	while (count-- > 0)
		fputs(pen, out);
}

static unsigned bounded(unsigned width)
{
	return width < KB_CANVAS_WIDTH_MIN ? KB_CANVAS_WIDTH_MIN : width > KB_CANVAS_WIDTH_MAX ? KB_CANVAS_WIDTH_MAX : width;
}

struct kb_canvas *kb_canvas_new(unsigned width, unsigned label, unsigned rows, bool utf8)
{
	struct kb_canvas *canvas = calloc(1, sizeof *canvas);

	if (canvas) {
		canvas->pens = pens_of(utf8);
		canvas->label = label;
		canvas->area = bounded(width) - label - 1;
		canvas->rows = rows;
	}
	return canvas;
}

static void draw_axis(FILE *out, const struct kb_pens *pens, unsigned label, unsigned area)
{
	fprintf(out, "%*s%s", (int)label, "", pens->corner);
	repeat(out, pens->line, area);
	fputc('\n', out);
}

void kb_canvas_print(FILE *out, const struct kb_canvas *canvas)
{
	for (unsigned row = canvas->rows; row-- > 0;) {
		const char *const *cells = canvas->cells[row];
		unsigned used = canvas->area;

		while (used > 0 && !cells[used - 1])
			used--;
		fprintf(out, "%*s%s", (int)canvas->label, canvas->labels[row], canvas->pens->rule);
		for (unsigned i = 0; i < used; i++)
			fputs(cells[i] ? cells[i] : " ", out);
		fputc('\n', out);
	}
	draw_axis(out, canvas->pens, canvas->label, canvas->area);
}

/* ---- values -------------------------------------------------------------------------------------- */

/* The finite ones; the caller frees. */
static double *sorted_copy(const double *values, size_t n, size_t *count)
{
	double *copy = malloc((n + 1) * sizeof *copy);

	*count = 0;
	for (size_t i = 0; i < n && copy; i++) {
		if (isfinite(values[i]))
			copy[(*count)++] = values[i];
	}
	if (copy)
		kb_sort(copy, *count);
	return copy;
}

static bool nothing(FILE *out, size_t count)
{
	if (count == 0)
		fputs("no values to draw\n", out);
	return count == 0;
}

/* Where nine in ten values are, and as much again on either side: what is outside are outliers. */
static void bulk(const double *sorted, size_t n, double *low, double *high)
{
	double from = kb_quantile_sorted(sorted, n, 0.05), to = kb_quantile_sorted(sorted, n, 0.95);

	*low = fmax(sorted[0], from - (to - from));
	*high = fmin(sorted[n - 1], to + (to - from));
	if (*low == *high) { /* most are equal: then the others are the plot */
		*low = sorted[0];
		*high = sorted[n - 1];
	}
}

#define DECIMALS_MAX 6

/* Decimals that tell two values apart which are one step from each other; more than DECIMALS_MAX: none would. */
static int decimals_of(double step)
{
	double needed = step > 0 ? ceil(-log10(step) - 1e-9) : 0;

	return needed < 0 ? 0 : needed > DECIMALS_MAX ? DECIMALS_MAX + 1 : (int)needed;
}

#define LABEL_ROOM 24

/* What is too long for LABEL columns or too small is written with an exponent. */
static const char *label(char text[LABEL_ROOM], const char *sign, double value, int decimals)
{
	unsigned width = LABEL - (unsigned)(sign[0] != '\0');
	char number[400];
	int length = snprintf(number, sizeof number, "%.*f", decimals, value + 0.0);

	if (length > (int)width || decimals > DECIMALS_MAX)
		snprintf(number, sizeof number, "%.3e", value);
	snprintf(text, LABEL_ROOM, "%s%*.*s", sign, (int)width, LABEL_ROOM - 4, number);
	return text;
}

/* 1, 2 or 5 times a power of ten, not below x. */
static double round_step(double x)
{
	double power = pow(10, floor(log10(x)));
	double digit = x / power;

	return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

/* ---- histogram ----------------------------------------------------------------------------------- */

#define FEW 1001u

struct bins {
	double first, step;             /* lower edge of the first bin; step 0: all values are equal */
	size_t count[BINS_MAX + 1];     /* the last one holds the rest */
	unsigned used;
	bool rest;
};

/* A value on an edge belongs above it, whatever rounding makes of the quotient. */
static double place_of(const struct bins *bins, double value)
{
	return bins->step > 0 ? floor((value - bins->first) / bins->step + 1e-9) : 0;
}

/* No bin is narrower than `least`. */
static void choose_bins(struct bins *bins, const double *sorted, size_t n, double least)
{
	double low, high, top = sorted[n - 1];

	*bins = (struct bins){ .first = sorted[0], .used = 1 };
	if (!(top > sorted[0]) || !isfinite(top - sorted[0]))
		return;
	bulk(sorted, n, &low, &high);
	bins->step = fmax(round_step((high - low) / BINS), least);
	bins->first = floor(low / bins->step) * bins->step;
	double wanted = place_of(bins, top) + 1;

	bins->rest = wanted > BINS_MAX;
	bins->used = bins->rest ? (unsigned)place_of(bins, high) + 1 : (unsigned)wanted;
}

static void count_at(struct bins *bins, double value, size_t times)
{
	unsigned last = bins->used - !bins->rest;
	double place = place_of(bins, value);

	bins->count[place < 0 ? 0 : place < last ? (unsigned)place : last] += times;
}

static void print_bins(FILE *out, const struct bins *bins, size_t count, unsigned width, bool utf8)
{
	const struct kb_pens *pens = pens_of(utf8);
	unsigned area = bounded(width) - LABEL - 1 - COUNT, last = bins->used - !bins->rest;
	size_t upto = 0;
	char text[LABEL_ROOM];

	fprintf(out, "%*s%s%*s%*s\n", (int)LABEL, "value", pens->rule, (int)area, "", (int)COUNT, "count");
	for (unsigned i = 0; i <= last; i++) {
		unsigned share = (unsigned)lround((double)bins->count[i] * area / (double)count), total;

		upto += bins->count[i];
		total = (unsigned)lround((double)upto * area / (double)count);
		fprintf(out, "%s%s", label(text, i < bins->used ? "" : utf8 ? "≥" : ">", bins->first + bins->step * i, decimals_of(bins->step)),
			pens->rule);
		repeat(out, pens->share, share);
		repeat(out, pens->total, total - share);
		fprintf(out, "%*s%*zu\n", (int)(area - total), "", (int)COUNT, bins->count[i]);
	}
	/* "0 %" and its like are as wide as their count of characters, so the ends are put by hand. */
	draw_axis(out, pens, LABEL, area);
	fprintf(out, "%*s0 %%%*s%*s\n", (int)LABEL, "", (int)(area / 2), "50 %", (int)(area - area / 2 - 2), "100 %");
}

void kb_plot_histogram(FILE *out, const double *values, size_t n, unsigned width, bool utf8)
{
	size_t count;
	double *sorted = sorted_copy(values, n, &count);
	struct bins bins;

	if (sorted && !nothing(out, count)) {
		choose_bins(&bins, sorted, count, 0);
		for (size_t i = 0; i < count; i++)
			count_at(&bins, sorted[i], 1);
		print_bins(out, &bins, count, width, utf8);
	}
	free(sorted);
}

/* Lines are chosen by a thousand values that stand for all, with the least and the greatest. */
void kb_plot_counts(FILE *out, const double *values, const uint64_t *counts, size_t n, double least, unsigned width,
		    bool utf8)
{
	double few[FEW];
	size_t all = 0, upto = 0, next = 0;
	struct bins bins;

	for (size_t i = 0; i < n; i++)
		all += counts[i];
	if (nothing(out, all))
		return;
	for (size_t i = 0; i < n; i++) {
		for (upto += counts[i]; next < FEW && (double)upto > (double)(all - 1) * (double)next / (FEW - 1); next++)
			few[next] = values[i];
	}
	choose_bins(&bins, few, FEW, least);
	for (size_t i = 0; i < n; i++)
		count_at(&bins, values[i], counts[i]);
	print_bins(out, &bins, all, width, utf8);
}

/* ---- run order ----------------------------------------------------------------------------------- */

struct frame {
	const double *y;
	size_t n;
	unsigned area;
	double low, high, step;         /* values of the lowest and highest row; between two rows */
};

static size_t first_of(const struct frame *frame, unsigned column)
{
	return (size_t)((double)frame->n * column / frame->area);
}

static int row_of(const struct frame *frame, double value)
{
	double row = frame->step > 0 ? round((value - frame->low) / frame->step) : ROWS / 2;

	return row < 0 ? 0 : row > ROWS - 1 ? ROWS - 1 : (int)row;
}

/* Outliers are drawn at the edge. */
static bool choose_frame(struct frame *frame)
{
	size_t count;
	double *sorted = sorted_copy(frame->y, frame->n, &count);

	if (!sorted || count == 0) {
		free(sorted);
		return false;
	}
	bulk(sorted, count, &frame->low, &frame->high);
	frame->step = (frame->high - frame->low) / (ROWS - 1);
	if (!isfinite(frame->step)) { /* the ends are as far apart as numbers can be */
		frame->low = frame->high = sorted[count / 2];
		frame->step = 0;
	}
	free(sorted);
	return true;
}

/* What one column shows; empty: it has no value. */
struct column { int lowest, highest, middle; bool beyond, marked, empty; };

static void read_column(const struct frame *frame, unsigned at, struct column *column, double *scratch)
{
	size_t from = first_of(frame, at), to = first_of(frame, at + 1), count = 0;

	for (size_t i = from; i < to; i++) {
		if (isfinite(frame->y[i]))
			scratch[count++] = frame->y[i];
	}
	column->empty = count == 0;
	if (column->empty)
		return;
	kb_sort(scratch, count);
	column->lowest = row_of(frame, scratch[0]);
	column->highest = row_of(frame, scratch[count - 1]);
	column->middle = row_of(frame, kb_quantile_sorted(scratch, count, 0.5));
	column->beyond = scratch[count - 1] > frame->high + frame->step / 2;
}

/* NULL: blank. */
static const char *cell(const struct kb_pens *pens, const struct column *column, int row)
{
	if (!column->empty) {
		if (row == column->middle)
			return pens->middle;
		if (row == ROWS - 1 && column->beyond)
			return pens->beyond;
		if (row >= column->lowest && row <= column->highest)
			return pens->range;
	}
	return column->marked ? pens->mark : NULL;
}

/* The index of the first value and of the last one; the marks' own stand below, as far as they fit. */
static void draw_foot(FILE *out, const struct frame *frame, const char *mark, const size_t *marks, size_t mark_count)
{
	char last[24];
	unsigned used = LABEL + 16;

	fprintf(out, "%*s0%*zu\n", (int)LABEL + 1, "", (int)frame->area - 1, frame->n - 1);
	if (mark_count == 0)
		return;
	fprintf(out, "%*s%s level changes at", (int)LABEL + 1, "", mark);
	for (size_t i = 0; i < mark_count; i++) {
		int length = snprintf(last, sizeof last, "%zu", marks[i]);

		if (used + (unsigned)length + 8 > frame->area + LABEL) {
			fputs(" ...", out);
			break;
		}
		used += (unsigned)length + 1;
		fprintf(out, " %s", last);
	}
	fputc('\n', out);
}

void kb_plot_series(FILE *out, const double *y, size_t n, const size_t *marks, size_t mark_count, unsigned width, bool utf8)
{
	struct kb_canvas *canvas = kb_canvas_new(width, LABEL, ROWS, utf8);
	double *scratch = malloc((n + 1) * sizeof *scratch);
	struct frame frame = { .y = y, .n = n };

	if (canvas && scratch) {
		frame.area = canvas->area;
		if (n == 0 || !choose_frame(&frame)) {
			nothing(out, 0);
			n = 0;
		}
	}
	for (unsigned i = 0; i < frame.area && n > 0; i++) {
		struct column column = { 0 };

		read_column(&frame, i, &column, scratch);
		for (size_t k = 0; k < mark_count; k++)
			column.marked |= marks[k] >= first_of(&frame, i) && marks[k] < first_of(&frame, i + 1);
		for (int row = 0; row < ROWS; row++)
			canvas->cells[row][i] = cell(canvas->pens, &column, row);
	}
	if (frame.area > 0 && n > 0) {
		for (int row = 0; row < ROWS; row++) {
			if (frame.step > 0 ? row % 3 == 2 || row == 0 : row == ROWS / 2)
				label(canvas->labels[row], "", frame.low + frame.step * row, decimals_of(frame.step));
		}
		kb_canvas_print(out, canvas);
		draw_foot(out, &frame, canvas->pens->mark, marks, mark_count);
	}
	free(scratch);
	free(canvas);
}

/* ---- quantiles ----------------------------------------------------------------------------------- */

void kb_plot_quantiles(FILE *out, const double *values, size_t n, bool utf8)
{
	static const struct { const char *name; double p; } lines[] = {
		{ "min", 0 }, { "1 %", .01 }, { "10 %", .1 }, { "25 %", .25 }, { "50 %", .5 }, { "75 %", .75 }, { "90 %", .9 },
		{ "99 %", .99 }, { "max", 1 },
	};
	size_t count;
	double *sorted = sorted_copy(values, n, &count);

	if (sorted && !nothing(out, count)) {
		double middle = fabs(kb_quantile_sorted(sorted, count, .5));

		for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
			char text[LABEL_ROOM];

			label(text, "", kb_quantile_sorted(sorted, count, lines[i].p), decimals_of(middle * 1e-4));
			fprintf(out, "%*s%s%s\n", (int)LABEL, lines[i].name, pens_of(utf8)->rule, text);
		}
	}
	free(sorted);
}

/* ---- terminal ------------------------------------------------------------------------------------ */

unsigned kb_plot_width(FILE *out)
{
	unsigned width = kb_terminal_width(out);

	return width > 0 ? bounded(width) : WIDTH_USUAL;
}
