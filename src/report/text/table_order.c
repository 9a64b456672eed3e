/* See table_cells.h: the lines of a table in one list. */
#define _GNU_SOURCE
#include "report/text/table_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/result.h"

/* The larger, the earlier; what has no number is the last. */
static double weight(const struct kb_result *result, enum kb_table_order order)
{
	double value = NAN;

	/* Skipped is no verdict on a number. */
	if (order == KB_TABLE_VERDICT)
		return result->verdict.status == KB_SKIPPED ? -1 : (double)result->verdict.status;
	/* Of clocks whose rate is not known ticks are what there is. */
	if (order == KB_TABLE_COST && result->estimate.known)
		value = result->estimate.value;
	if (order == KB_TABLE_CI)
		value = kb_quality(&result->estimate);
	return isnan(value) ? -INFINITY : value;
}

/* Equal ones by name. */
static int compare(const void *a, const void *b, void *context)
{
	const struct kb_result *x = *(const struct kb_result *const *)a, *y = *(const struct kb_result *const *)b;
	enum kb_table_order order = *(const enum kb_table_order *)context;
	double of_x = order == KB_TABLE_NAME ? 0 : weight(x, order), of_y = order == KB_TABLE_NAME ? 0 : weight(y, order);
	int by_name = strcmp(x->benchmark, y->benchmark);

	if (of_x != of_y)
		return of_x > of_y ? -1 : 1;
	return by_name ? by_name : strverscmp(x->params, y->params);
}

const struct kb_result **kb_table_sorted(const struct kb_result *const *results, size_t count, enum kb_table_order order)
{
	const struct kb_result **sorted = calloc(count + 1, sizeof *sorted);

	if (sorted && count > 0) {
		memcpy(sorted, results, count * sizeof *sorted);
		qsort_r(sorted, count, sizeof *sorted, compare, &order);
	}
	return sorted;
}
