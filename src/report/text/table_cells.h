/* The cells of one line of the table, as text; src/report/text/table.c sets them. */
#ifndef KB_REPORT_TEXT_TABLE_CELLS_H
#define KB_REPORT_TEXT_TABLE_CELLS_H

#include "report/text/table.h"

enum kb_column {
	KB_COLUMN_NAME, KB_COLUMN_COST, KB_COLUMN_UNIT, KB_COLUMN_QUALITY, KB_COLUMN_OBSERVED, KB_COLUMN_P99, KB_COLUMN_PROCESSES,
	KB_COLUMN_VERDICT, KB_COLUMN_CAUSES, KB_COLUMNS
};

#define KB_CELL_ROOM 512
/* Of the picture of processes: the first so many in the order in which they ran. */
#define KB_PICTURE_MAX 8

/* Share of contended samples: below this nobody needs to know. */
#define KB_CONTENDED_LEAST 0.05

struct kb_cells { char text[KB_COLUMNS][KB_CELL_ROOM]; };

/* All results of a table, and what its warning already says of them. */
struct kb_table {
	const struct kb_result *const *results;
	size_t count;
	const struct kb_look *look;
	double contended;               /* share of the samples; NAN: nothing of it is said */
	bool not_excluded;              /* in all results that were probed */
};

void kb_cells_make(struct kb_cells *, const struct kb_table *, const struct kb_result *);

/* What decided the verdict: words and detail; "" of one that is ok. */
void kb_cells_reason(char text[KB_CELL_ROOM], const struct kb_result *, const struct kb_look *);

#endif
