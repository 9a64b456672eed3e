/*
 * Plots for a terminal: they fit `width` columns (at least 60), are drawn in UTF-8 or in plain ASCII, and hold no
 * colours. Values must be finite; what is not is left out. Nothing is printed for n = 0 but one line that says so.
 */
#ifndef KB_REPORT_TEXT_PLOT_H
#define KB_REPORT_TEXT_PLOT_H

#include <stdio.h>

#include "types.h"

/* Histogram: value (lower edge of the bin), on one scale from 0 to 100 % the bin's share and behind it the cumulative
   share, count. What lies far above the bulk is one line at the end, so that no outlier flattens the rest. */
void kb_plot_histogram(FILE *, const double *values, size_t n, unsigned width, bool utf8);

/* The same of values in ascending order, each so many times; no bin is narrower than `least`. */
void kb_plot_counts(FILE *, const double *values, const uint64_t *counts, size_t n, double least, unsigned width, bool utf8);

/* Run-order plot: y against its index; a column holds the range of its values and their median. Each of the marks (an
   index into y, ascending: the first of a new level) is a vertical line. Far outliers stand on the highest row. */
void kb_plot_series(FILE *, const double *y, size_t n, const size_t *marks, size_t mark_count, unsigned width, bool utf8);

/* Quantile table: min, 1, 10, 25, 50, 75, 90, 99 %, max (type 7). */
void kb_plot_quantiles(FILE *, const double *values, size_t n, bool utf8);

/* Columns of the terminal behind `out`: COLUMNS if set, else what the terminal says, else 80; 60 to 200. */
unsigned kb_plot_width(FILE *out);

/* ---- for other plots: characters in rows and columns, a label before each row and an axis below --------- */

#define KB_CANVAS_ROWS 14
#define KB_CANVAS_WIDTH_MIN 60u
#define KB_CANVAS_WIDTH_MAX 200u

/* What plots are drawn with. */
struct kb_pens { const char *rule, *share, *total, *range, *middle, *mark, *beyond, *corner, *line; };

struct kb_canvas {
	const struct kb_pens *pens;
	unsigned label, area, rows;     /* columns of a label and of the plot; rows */
	char labels[KB_CANVAS_ROWS][24];
	const char *cells[KB_CANVAS_ROWS][KB_CANVAS_WIDTH_MAX];         /* from the lowest row on; NULL: blank */
};

/* Empty, within a width that is kept between the two above; free it. NULL without memory. */
struct kb_canvas *kb_canvas_new(unsigned width, unsigned label, unsigned rows, bool utf8);

/* No blanks stand at the end of a line. */
void kb_canvas_print(FILE *out, const struct kb_canvas *);

#endif
