/* Predictions of models for people and as JSON (kbench-model/1, doc/model.md): measured and predicted, never one alone. */
#ifndef KB_REPORT_TEXT_MODEL_H
#define KB_REPORT_TEXT_MODEL_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/table.h"
#include "suite/model/model.h"

#define KB_MODEL_SCHEMA "kbench-model/1"

/* One model with all its instances: parts, measured and predicted, what the deviation means. */
void kb_model_print(FILE *out, const struct kb_model *, const struct kb_prediction *instances, const struct kb_fit *,
                    const struct kb_style *);

/* "14 predictions: 8 fits, 4 interaction, 2 no number" */
void kb_model_print_count(FILE *out, const size_t counts[KB_JUDGEMENTS], size_t total);

/* An element of models[]: a new reference, NULL without memory. */
json_t *kb_model_to_json(const struct kb_model *, const struct kb_prediction *instances, const struct kb_fit *);

/* A quantity in the unit that fits its size: "2.65 ±0.02 us"; for JSON: {"value", "low", "high"} or null. */
void kb_format_quantity(char *text, size_t room, const struct kb_estimate *, enum kb_quantity_kind, bool utf8);
json_t *kb_model_estimate(const struct kb_estimate *);

/* {"name", "row", "kind", "unit", ...} of one quantity. */
json_t *kb_model_quantity(const struct kb_model *, unsigned quantity, const struct kb_quantity_value *);

/* ---- a command: what it cost, and what its counted operations cost ----------------------------------- */

void kb_account_print(FILE *out, const struct kb_model_account *, const struct kb_style *);

/* "command" of kbench-model/1: a new reference, NULL without memory. */
json_t *kb_account_to_json(const struct kb_model_account *);

#endif
