/* The table of results that `kbench run` and `kbench show` print: a row a benchmark, never a number without verdict. */
#ifndef KB_REPORT_TABLE_H
#define KB_REPORT_TABLE_H

#include <stdio.h>

#include "types.h"
#include "run/result.h"

struct kb_look {
	bool utf8;              /* the terminal's character set has the sign for plus-minus */
	bool notes;             /* notes and hints too, not only what worsens a verdict */
	unsigned width;         /* columns to wrap words at; 0: 110 */
};

/* Rows in the given order. Times have one unit a row; a second line has core cycles, a third the rate, where known. */
void kb_table_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_look *look);

/* "11 rows: 9 ok, 2 noisy" */
void kb_table_count(FILE *out, const struct kb_result *const *results, size_t count);

/* Everything that is known about one result, below its row: how it was measured, evidence, all reasons with hints. */
void kb_detail_print(FILE *out, const struct kb_result *result, const struct kb_look *look);

#endif
