/* One line of the table; src/report/text/table.c has the others. */
#ifndef KB_REPORT_TEXT_TABLE_CELLS_H
#define KB_REPORT_TEXT_TABLE_CELLS_H

#include "report/text/table.h"

#include "report/text/columns.h"

#define KB_CELL_ROOM 512
/* Of the bars of processes: the first so many in the order in which they ran. */
#define KB_PICTURE_MAX 8

/* Share of contended samples that is worth a warning. */
#define KB_CONTENDED_LEAST 0.05

/* All results of a table, and what its warning already tells of them. */
struct kb_table {
	const struct kb_result *const *results;
	size_t count;
	const struct kb_style *style;
	const struct kb_comparison *changes;    /* of results, in their order; NULL: no column */
	double contended;               /* share of the samples; NAN: the warning has nothing of it */
	bool not_excluded;              /* in all results that were probed */
	size_t clocks_moved;            /* results in which the core clock moved; 0: the warning has nothing of it */
};

/* The columns of the table, to be opened, and their titles. */
struct kb_columns kb_table_columns(const struct kb_table *);
void kb_cells_titles(FILE *cells, const struct kb_table *);

void kb_cells_print(FILE *cells, const struct kb_table *, const struct kb_result *);

/* The benchmark and the parameters in which its results differ. */
void kb_cells_name(char text[KB_CELL_ROOM], const struct kb_table *, const struct kb_result *);

/* What decided the verdict: words and detail; "" of one that is ok. */
void kb_cells_reason(char text[KB_CELL_ROOM], const struct kb_result *, const struct kb_style *);

/* ---- order: a new array of the results, what deserves a look first; free it. NULL without memory ------ */

const struct kb_result **kb_table_sorted(const struct kb_result *const *results, size_t count, enum kb_table_order);

/* ---- groups: domains of benchmarks under one heading, in the words of the manual -------------------- */

extern const unsigned kb_group_count;   /* groups have numbers below it, in the order of the table */

/* The group of a benchmark, by its domain; the last one is that of domains that are not known here. */
unsigned kb_group_of(const char *benchmark);

/* "SYSTEM CALLS"; "" of the self-tests, which stand below the table. */
const char *kb_group_heading(unsigned group);

#endif
