/* See rows.h. */
#include "suite/model/rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "grown.h"
#include "suite/select.h"

/* ---- from a model's words to a benchmark ----------------------------------------------------------------------- */

static const struct kb_bench *find_bench(const char *name, char why[160])
{
	struct kb_nearest nearest = { .typed = name };

	for (unsigned i = 0; i < kb_bench_count; i++) {
		if (strcmp(kb_benches[i]->name, name) == 0)
			return kb_benches[i];
		kb_nearest_offer(&nearest, kb_benches[i]->name);
	}
	snprintf(why, 160, "no benchmark '%.60s'%s", name, kb_nearest_hint(&nearest, "; see 'kbench list'"));
	return NULL;
}

/* Words behind the name are settings; what they do not name has its default, the first of the standard values. */
static bool make_row(char *text, struct kb_row *row, char why[160])
{
	struct kb_span left = kb_span_of(text), w = kb_span_word(&left), name, value;
	char bench_name[80] = "";
	struct kb_text error = kb_text_in(why, 160);
	const struct kb_bench *bench;

	memset(row, 0, sizeof *row);
	memcpy(bench_name, w.at, w.length < sizeof bench_name ? w.length : sizeof bench_name - 1);
	bench = find_bench(bench_name, why);
	if (!bench)
		return false;
	kb_settings_default(&row->settings, bench);
	while ((w = kb_span_word(&left)).length > 0) {
		if (!kb_span_pair(w, &name, &value) || kb_settings_set(&row->settings, name, value, &error))
			return false;
	}
	kb_row_set_key(row);
	return true;
}

int kb_model_rows_add(struct kb_model_rows *rows, const struct kb_model *model, unsigned quantity, unsigned instance, size_t *index,
		      struct kb_model_error *error)
{
	char words[320], why[160] = "";
	struct kb_text text = kb_text_in(words, sizeof words);
	struct kb_row row;

	kb_model_row(&text, model, quantity, instance);
	if (text.cut || !make_row(words, &row, why)) {
		*error = (struct kb_model_error){ .line = model->quantities[quantity].line, .column = model->quantities[quantity].column };
		snprintf(error->what, sizeof error->what, "%s", text.cut ? "too many words" : why);
		return -EINVAL;
	}
	for (*index = 0; *index < rows->count; ++*index) {
		if (strcmp(rows->rows[*index].key, row.key) == 0)
			return 0;
	}

	if (!KB_GROW(rows->rows, rows->count) || !KB_GROW(rows->found, rows->count))
		return -ENOMEM;
	rows->rows[rows->count] = row;
	rows->found[rows->count++] = false;
	return 0;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

static void reason_of(const struct kb_result *result, char why[200])
{
	const struct kb_verdict *verdict = &result->verdict;
	const struct kb_reason *worst = kb_verdict_worst(verdict);
	bool detail;

	/* What worsened the verdict most; but where several modes took the number away, that. */
	for (unsigned i = 0; verdict->status == KB_NOISY && i < verdict->count && i < KB_REASONS_MAX; i++) {
		if (verdict->reasons[i].code == KB_CODE_multimodal)
			worst = &verdict->reasons[i];
	}
	detail = worst && worst->detail[0];
	snprintf(why, 200, "%s: %.60s%s%.70s%s", kb_status_name(result->verdict.status), worst ? kb_reason_words(worst) : "no number",
		 detail ? " (" : "", detail ? worst->detail : "", detail ? ")" : "");
}

/* Exact for the operations that were measured: all of them were counted. */
static struct kb_estimate count_of(const struct kb_result *result, struct kb_span counter)
{
	for (unsigned i = 0; i < result->evidence_count; i++) {
		const struct kb_finding_evidence *evidence = &result->evidence[i];

		if (kb_span_is(counter, evidence->counter) && evidence->known)
			return (struct kb_estimate){ evidence->per_op, evidence->per_op, evidence->per_op, true, true };
	}
	return (struct kb_estimate){ .known = false };
}

void kb_model_rows_value(const struct kb_model_rows *rows, size_t index, const struct kb_quantity *quantity,
			 struct kb_quantity_value *value)
{
	const struct kb_result *result = &rows->rows[index].result;
	const struct kb_estimate *cost = rows->observed ? &result->observed : &result->estimate;
	enum kb_status status = result->verdict.status;

	*value = (struct kb_quantity_value){ .status = status };
	snprintf(value->row, sizeof value->row, "%s", rows->rows[index].key);
	if (!rows->found[index]) {
		snprintf(value->why, sizeof value->why, "the run has no such result");
		value->status = KB_SKIPPED;
	} else if (status == KB_INVALID || status == KB_SKIPPED || !cost->known) {
		reason_of(result, value->why);
	} else if (result->ticks_per_ns <= 0) {
		snprintf(value->why, sizeof value->why, "its clock has no known rate");
	} else if (quantity->kind == KB_QUANTITY_RATE && result->bytes_per_op == 0) {
		snprintf(value->why, sizeof value->why, "its operation moves no bytes: the model must have time here");
	} else if (quantity->kind == KB_QUANTITY_COUNT) {
		value->estimate = count_of(result, quantity->counter);
		if (!value->estimate.known)
			snprintf(value->why, sizeof value->why, "its %.*s were not counted", (int)quantity->counter.length, quantity->counter.at);
	} else {
		value->estimate = quantity->kind == KB_QUANTITY_RATE ? kb_rate_of(cost, (double)result->bytes_per_op) : *cost;
	}
}

void kb_model_rows_free(struct kb_model_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		kb_row_release(&rows->rows[i]);
	free(rows->rows);
	free(rows->found);
}

/* ---- all of one model ------------------------------------------------------------------------------------- */

int kb_model_choose(struct kb_model_rows *rows, const struct kb_model *model, struct kb_model_index *index, struct kb_model_error *error)
{
	for (unsigned i = 0; i < kb_model_instances(model); i++) {
		for (unsigned q = 0; q < model->quantity_count; q++) {
			int result = kb_model_rows_add(rows, model, q, i, &index->row[i][q], error);

			if (result)
				return result;
		}
	}
	return 0;
}

struct kb_prediction *kb_model_predict(const struct kb_model_rows *rows, const struct kb_model *model, const struct kb_model_index *index,
				       struct kb_fit *fit)
{
	struct kb_prediction *predictions = calloc(kb_model_instances(model), sizeof *predictions);

	for (unsigned i = 0; predictions && i < kb_model_instances(model); i++) {
		predictions[i].model = model;
		predictions[i].instance = i;
		for (unsigned q = 0; q < model->quantity_count; q++)
			kb_model_rows_value(rows, index->row[i][q], &model->quantities[q], &predictions[i].quantities[q]);
	}
	if (predictions)
		kb_model_judge(model, predictions, fit);
	return predictions;
}
