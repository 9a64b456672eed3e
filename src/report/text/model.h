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

enum { KB_MODEL_CALLS = 200 };

struct kb_model_call { char name[32]; double count; int part; };       /* part -1: nothing pays for it */

struct kb_model_account {
	const struct kb_model *model;
	char *const *argv;
	int status;                     /* of waitpid */
	bool exit_differs;              /* not every run ended alike */
	unsigned repeats, cpu;
	double counts[KB_MODEL_QUANTITIES];     /* by part, less those of the programs that do nothing */
	double unpaid;                  /* events that no part pays for */
	struct kb_quantity_value values[KB_MODEL_QUANTITIES];
	struct kb_model_call calls[KB_MODEL_CALLS];
	unsigned call_count;
	struct kb_estimate predicted, measured, remainder, user, system;       /* ns */
	struct kb_estimate empty;       /* a program that does nothing, run the same way */
};

void kb_account_print(FILE *out, const struct kb_model_account *, const struct kb_style *);

/* "command" of kbench-model/1: a new reference, NULL without memory. */
json_t *kb_account_to_json(const struct kb_model_account *);

#endif
