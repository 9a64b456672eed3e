/*
 * Columns of text. Lines are written to a stream, a tab behind each cell, and are printed with the cells below each other, as wide as
 * they need. What stands behind the last tab ends the line; a line without a tab is printed as it is: a heading, a sentence.
 */
#ifndef KB_REPORT_TEXT_COLUMNS_H
#define KB_REPORT_TEXT_COLUMNS_H

#include <stdio.h>

#include "types.h"

#define KB_COLUMNS_MAX 12

struct kb_columns {
	const char *align;              /* a letter a cell: l, r, or u of a unit: left, and close to the number before it */
	unsigned indent;                /* of lines with cells */
	unsigned first_most;            /* columns for the first cell; a longer one has a line of its own. 0: any number */

	/* Columns of a line; 0: any number, and nothing of the rest counts. The last cell is cut at its end. */
	unsigned room;
	const char *drop;               /* cells that are left out for others, the first one first: '1' is the second cell */
	unsigned first_wanted, last_wanted; /* what both get before another cell is left out */
	unsigned first_least;
	bool utf8;                      /* what is cut ends with an ellipsis, else with three points */

	FILE *cells;                    /* of kb_columns_open */
	char *text;
	size_t length;
	unsigned width[KB_COLUMNS_MAX];
};

/* The stream for the lines, which is `out` itself where memory is missing: then nothing is aligned. */
FILE *kb_columns_open(struct kb_columns *, FILE *out);

/* Prints what was written, and closes the stream. */
void kb_columns_print(struct kb_columns *, FILE *out);

/* Columns that text takes on a terminal: its characters, not its bytes; none for colours. */
unsigned kb_text_width(const char *text);

/* Prints text in at most that many columns, and a mark where something is missing. Returns the columns that it took. */
unsigned kb_text_cut(FILE *out, const char *text, unsigned width, bool utf8);

#endif
