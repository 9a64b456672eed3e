/* Comparisons as a table for people. */
#ifndef KB_REPORT_TEXT_COMPARISON_H
#define KB_REPORT_TEXT_COMPARISON_H

#include <stdio.h>

#include "report/text/table.h"
#include "result/comparison.h"

/* A row a comparison, reasons below it; with look->notes also p, margin, floor, variances and the plan that follows. */
void kb_comparison_print(FILE *out, const struct kb_comparison *rows, size_t count, const struct kb_look *look);

/* "12 rows: 1 slower (1 after Holm), 11 equivalent" */
void kb_comparison_count(FILE *out, const struct kb_comparison *rows, size_t count);

#endif
