/*
 * Measurements from text that was not made for us, or that was: the content decides what it is, not its name.
 *
 *	groups      a table of the KBench document: CSV with a column s and one column a test size, or console output,
 *	            of which it may be several
 *	points      CSV with two columns, n and ticks, in run order
 *	list        CSV with one column of values (a column s beside it counts them)
 *	lines       CSV with three columns: a label, x and y; one line through the points of each label
 *	printed     CSV with a label and columns slope_printed, intercept_printed, r2_printed
 *	record      one or more of kbench-record
 *
 * Anything malformed or contradictory is refused with its line number: a wrong table must not become a number.
 */
#ifndef KB_IMPORT_IMPORT_H
#define KB_IMPORT_IMPORT_H

#include "types.h"
#include "result/samples.h"

enum kb_import_kind {
	KB_IMPORT_GROUPS, KB_IMPORT_POINTS, KB_IMPORT_LIST, KB_IMPORT_LINES, KB_IMPORT_PRINTED, KB_IMPORT_RECORD,
	KB_IMPORT_KINDS
};

/* In words: "Kanata table", "record" ... */
extern const char *const kb_import_words[KB_IMPORT_KINDS];

/* One group, one list, or the points of one label or one launch; all in the order of the text. */
struct kb_import_series {
	char label[336];                /* of lines and printed: as in the file; record: benchmark and parameters */
	double n;                       /* groups, list: operations a value; else 0 */
	double *x;                      /* points, record: n; lines: x; else NULL */
	double *y;                      /* ticks, or y */
	uint32_t *block;                /* points, record */
	size_t count, room;
	char printed[3][32];            /* printed: slope, intercept, r2 */
};

struct kb_import {
	enum kb_import_kind kind;
	const char *unit;               /* of y: cycles, ticks, or "" */
	struct kb_import_series *series;
	size_t count, room;
	struct kb_launch_text *launches;        /* record, one a series; they point into the caller's text */
	size_t launch_count;
};

#define KB_IMPORT_ERROR 400

/* name stands in messages only. 0, -EINVAL (error has one line: name, line, what) or -ENOMEM. The import is to be freed
   in any case. A record needs the text as long as the import lives. */
int kb_import_text(struct kb_import *import, const char *name, const char *text, size_t length,
                   char error[KB_IMPORT_ERROR]);
void kb_import_free(struct kb_import *import);

/* The name of a record's clock, from which its unit follows; empty: it ends before that. */
struct kb_span kb_import_clock(const char *record, size_t length);

#endif
