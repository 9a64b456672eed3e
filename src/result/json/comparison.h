/* Comparisons as JSON, schema kbench-compare/2 (doc/result.md). */
#ifndef KB_RESULT_JSON_COMPARISON_H
#define KB_RESULT_JSON_COMPARISON_H

#include <jansson.h>

#include "result/comparison.h"

#define KB_COMPARE_SCHEMA "kbench-compare/2"

/* One element of rows[]. */
json_t *kb_comparison_to_json(const struct kb_comparison *row);

/* kbench-compare/2 of two runs, {"id" ...}, and of rows that only one of them has; code: the exit code. Takes the references over. */
json_t *kb_comparisons_to_json(json_t *base, json_t *new, const struct kb_comparison *rows, size_t count, json_t *only_base, json_t *only_new,
			       int code);

/* An element with the run that it was compared with, as the store keeps it. NULL without memory. */
json_t *kb_comparison_to_stored(const struct kb_comparison *, const char *baseline_run);

#endif
