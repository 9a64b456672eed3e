/* Rows that were measured in several copies: what all of them did together, and how much side by side they were. */
#ifndef KB_REPORT_TEXT_PARALLEL_H
#define KB_REPORT_TEXT_PARALLEL_H

#include <stdio.h>

#include "report/text/table.h"

/* A table of these rows; prints nothing where there is none. */
void kb_parallel_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_look *look);

#endif
