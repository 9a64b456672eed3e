/* The history of a result as an element of `rows` of kbench-history/2 (doc/result.md). */
#ifndef KB_REPORT_JSON_HISTORY_H
#define KB_REPORT_JSON_HISTORY_H

#include <jansson.h>

#include "analysis/history.h"

/* A new reference; NULL without memory. */
json_t *kb_history_to_json(const struct kb_history *);

#endif
