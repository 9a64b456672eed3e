/* Comparisons as JSON, schema kbench-compare/2 (doc/result.md). */
#ifndef KB_RESULT_JSON_COMPARISON_H
#define KB_RESULT_JSON_COMPARISON_H

#include <jansson.h>

#include "result/comparison.h"

#define KB_COMPARE_SCHEMA "kbench-compare/2"

/* One element of rows[]. */
json_t *kb_comparison_to_json(const struct kb_comparison *row);

/* The same with the run that it was compared with, as the store keeps it. NULL without memory. */
json_t *kb_comparison_to_stored(const struct kb_comparison *, const char *baseline_run);

#endif
