/* Several runs in one table, a column each: what a row costs on several machines, or before and after. No judgement:
   that is kbench compare's. */
#ifndef KB_REPORT_TEXT_BESIDE_H
#define KB_REPORT_TEXT_BESIDE_H

#include <stdio.h>

#include "report/text/table.h"

#define KB_BESIDE_MAX 8

struct kb_beside {
	const char *heading;            /* short, of the column: A, B ... */
	const struct kb_result *const *results;
	size_t count;
};

/* Rows in order of their first appearance. A cell has the cost and the verdict; "-" where a run lacks the result. The unit
   stands in every cell. count is at most KB_BESIDE_MAX. */
void kb_beside_print(FILE *out, const struct kb_beside *columns, unsigned count, const struct kb_look *look);

#endif
