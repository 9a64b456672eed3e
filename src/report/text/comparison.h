/* Comparisons as a table for people. */
#ifndef KB_REPORT_TEXT_COMPARISON_H
#define KB_REPORT_TEXT_COMPARISON_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/table.h"
#include "result/comparison.h"
#include "workflow/runs/compare.h"
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

/* ---- exact counts of one kernel, or of two against each other, for people and as Markdown for a build server ---- */

struct kb_counts {
	const struct kb_compared *compared;     /* of one kernel: its run against itself */
	const char *names[2];                   /* of both kernels; the first NULL: there is one */
	unsigned boots;                         /* of each that have to count the same */
	bool markdown;
};

/* What a result comes to. */
enum kb_count_finding { KB_COUNT_SAME, KB_COUNT_MORE, KB_COUNT_FEWER, KB_COUNT_ABSENT, KB_COUNT_UNEQUAL, KB_COUNT_FAILED, KB_COUNT_FINDINGS };
enum kb_count_finding kb_count_find(const struct kb_counts *, size_t row);

void kb_counts_print(FILE *, const struct kb_counts *, const struct kb_style *);

#endif
