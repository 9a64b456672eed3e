/* Comparisons as a table for people and as JSON, schema kbench-compare/2 (doc/result.md). */
#ifndef KB_REPORT_COMPARISON_H
#define KB_REPORT_COMPARISON_H

#include <jansson.h>
#include <stdio.h>

#include "report/table.h"
#include "run/comparison.h"

#define KB_COMPARE_SCHEMA "kbench-compare/2"

/* A row a comparison, reasons below it; with look->notes also p, margin, floor, variances and the plan that follows. */
void kb_comparison_print(FILE *out, const struct kb_comparison *rows, size_t count, const struct kb_look *look);

/* "12 rows: 1 slower (1 after Holm), 11 equivalent" */
void kb_comparison_count(FILE *out, const struct kb_comparison *rows, size_t count);

/* One element of rows[]. */
json_t *kb_comparison_to_json(const struct kb_comparison *row);

/* The same with the run that it was compared with, as the store keeps it. NULL without memory. */
json_t *kb_comparison_to_stored(const struct kb_comparison *, const char *baseline_run);

#endif
