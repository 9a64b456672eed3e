/* Comparisons as a table for people. */
#ifndef KB_REPORT_TEXT_COMPARISON_H
#define KB_REPORT_TEXT_COMPARISON_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/table.h"
#include "result/comparison.h"
#include "workflow/runs/mix.h"

/* A line a comparison, reasons below it; with style->notes also p, margin, floor, variances and the plan that follows. */
void kb_comparison_print(FILE *out, const struct kb_comparison *rows, size_t count, const struct kb_style *style);

/* "12 rows: 1 slower (1 after Holm), 11 equivalent" */
void kb_comparison_count(FILE *out, const struct kb_comparison *rows, size_t count);

/* "the mix of 3 results takes 64.9 ±0.2 (base) and 61.2 ±0.3 us (new): ratio 0.9430, 95 % CI [0.9390, 0.9470]", and what is not in it. */
void kb_mix_print(FILE *out, const struct kb_mix_cost *, const struct kb_style *style);

/* What variants of a benchmark come to against each other, below the table of results. Prints nothing where there are none. */
void kb_variants_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_style *style);

/* Adds `interference` and `scaling`, arrays of comparisons, to a document of results that has them. */
void kb_variants_add(json_t *document, const struct kb_result *const *results, size_t count);

#endif
