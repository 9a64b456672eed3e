/* A plot for a terminal: characters in rows and columns, with a label before each row and an axis below. */
#ifndef KB_REPORT_TEXT_CANVAS_H
#define KB_REPORT_TEXT_CANVAS_H

#include <stdio.h>

#include "types.h"

#define KB_CANVAS_ROWS 14
#define KB_CANVAS_WIDTH_MIN 60u
#define KB_CANVAS_WIDTH_MAX 200u

/* What plots are drawn with. */
struct kb_pens { const char *rule, *share, *total, *range, *middle, *mark, *beyond, *corner, *line; };

const struct kb_pens *kb_pens(bool utf8);
void kb_pen_repeat(FILE *out, const char *pen, unsigned count);

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

/* The line below a plot, with its corner. */
void kb_canvas_axis(FILE *out, const struct kb_pens *, unsigned label, unsigned area);

unsigned kb_canvas_width(unsigned width);

#endif
