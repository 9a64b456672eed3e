/* Words and forms of kbench-result/2 that its writers and its reader share. */
#ifndef KB_RESULT_JSON_NAMES_H
#define KB_RESULT_JSON_NAMES_H

#include <jansson.h>

#include "result/result.h"

/* {"value", "low", "high"}: all three keys are always there, for a script asks for `low` without asking first whether there
   is an interval. A new reference. */
json_t *kb_json_estimate(const struct kb_estimate *);

/* `reasons` of a verdict. A new reference. */
json_t *kb_json_reasons(const struct kb_verdict *);

extern const char *const kb_json_quantiles[KB_QUANTILES];

#endif
