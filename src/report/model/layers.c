/* See layers.h. A block a layer: the number, then where it comes from, then what proves it. Nothing is set in relation: a
   timed loop of two threads, one way of it and an emulated count are different things, and the units show it. */
#include "report/model/layers.h"

#include <string.h>

#include "evidence/working_set.h"
#include "report/model/model.h"
#include "report/text/number_format.h"
#include "report/text/style.h"
#include "result/json/json.h"

#define INDENT 8

static void number(FILE *out, const struct kb_result *result, const struct kb_style *style)
{
	struct kb_scale scale = kb_scale_of(result);
	const struct kb_estimate *estimate = result->estimate.known ? &result->estimate : &result->quiet;
	char cost[KB_NUMBER_ROOM], name[KB_ROW_NAME];

	kb_row_name(name, result);
	kb_format_estimate(cost, estimate, scale.factor, style->utf8);
	fprintf(out, "%s\n", name);
	if (!estimate->known)
		kb_print_sentence(out, style, INDENT, "no number");
	else
		kb_print_sentence(out, style, INDENT, "%s %s/%s, %s, %s", cost, scale.unit, result->per,
				  estimate == &result->estimate ? kb_headline_name(result->headline) : "quiet",
				  kb_methods[result->method].name);
	if (result->estimate_cycles.known) {
		kb_format_estimate(cost, &result->estimate_cycles, 1, style->utf8);
		kb_print_sentence(out, style, INDENT, "%s cycles/%s", cost, result->per);
	}
}

static void answer(FILE *out, const struct kb_layer_answer *answer, const struct kb_style *style)
{
	const struct kb_layer *layer = answer->layer;
	const struct kb_result *result = &answer->result;

	fprintf(out, "%-*.*s", INDENT - 1, (int)layer->target.length, layer->target.at);
	fputc(' ', out);
	if (!answer->found) {
		fprintf(out, "%.*s\n", layer->row.length ? (int)layer->row.length : 1, layer->row.length ? layer->row.at : "-");
		kb_print_sentence(out, style, INDENT, "%s", answer->why);
		return;
	}
	number(out, result, style);
	kb_print_sentence(out, style, INDENT, "%s, %s, run %s%s%s", kb_status_name(result->verdict.status), answer->started,
			  answer->run, answer->here ? "" : ", another machine: ", answer->here ? "" : answer->machine);
	kb_print_reasons(out, style, &result->verdict);
	for (unsigned i = 0; i < result->evidence_count; i++) {
		const struct kb_finding_evidence *found = &result->evidence[i];

		if (found->known && !found->asked && strcmp(found->counter, KB_WORKING_SET) != 0)
			kb_print_sentence(out, style, INDENT, "evidence: %s %.6g a %s, %.6g expected: %s", found->counter, found->per_op,
					  result->per, found->expected, found->ok ? "holds" : "contradicted");
	}
	for (unsigned i = 0; i < result->covariate_count && i < KB_COVARIATES; i++)
		kb_print_sentence(out, style, INDENT, "split: %s, median %.6g, from %.6g to %.6g", result->covariates[i].name,
				  result->covariates[i].median, result->covariates[i].min, result->covariates[i].max);
}

void kb_layers_print(FILE *out, const struct kb_layers_shown *shown, const struct kb_style *style)
{
	fprintf(out, "%s: %.*s\n\n", shown->name, (int)shown->layers->about.length, shown->layers->about.at);
	for (unsigned i = 0; i < shown->layers->count; i++)
		answer(out, &shown->answers[i], style);
	fputc('\n', out);
	if (shown->model->machine[0])
		fprintf(out, "model, another machine: %s\n", shown->model->machine);
	if (shown->model->model)
		kb_model_print(out, shown->model->model, shown->model->predictions, &shown->model->fit, style);
	else if (shown->model->why[0])
		fprintf(out, "model: %s\n", shown->model->why);
}

/* ---- JSON ------------------------------------------------------------------------------------------------ */

static json_t *span_json(struct kb_span span)
{
	return span.length ? json_stringn(span.at, span.length) : json_null();
}

static json_t *answer_json(const struct kb_layer_answer *answer)
{
	json_t *json = json_pack("{s:o, s:o}", "world", span_json(answer->layer->target), "row", span_json(answer->layer->row));

	if (!answer->found) {
		json_object_set_new(json, "why", kb_json_string(answer->why));
		return json;
	}
	json_object_set_new(json, "here", json_boolean(answer->here));
	json_object_set_new(json, "run", json_string(answer->run));
	json_object_set_new(json, "started", json_string(answer->started));
	if (!answer->here)
		json_object_set_new(json, "machine", kb_json_string(answer->machine));
	json_object_set_new(json, "result", kb_result_to_json(&answer->result));
	return json;
}

json_t *kb_layers_json(const struct kb_layers_shown *shown)
{
	json_t *answers = json_array(), *models = json_array();

	for (unsigned i = 0; i < shown->layers->count; i++)
		json_array_append_new(answers, answer_json(&shown->answers[i]));
	if (shown->model->model) {
		json_t *model = kb_model_to_json(shown->model->model, shown->model->predictions, &shown->model->fit);

		if (shown->model->machine[0])
			json_object_set_new(model, "machine", kb_json_string(shown->model->machine));
		json_array_append_new(models, model);
	}
	return json_pack("{s:s, s:o, s:o, s:o}", "name", shown->name, "about", span_json(shown->layers->about), "answers", answers,
			 "models", models);
}

json_t *kb_layers_question_json(const char *name, const struct kb_layers *layers)
{
	json_t *rows = json_array();

	for (unsigned i = 0; i < layers->count; i++) {
		const struct kb_layer *layer = &layers->layers[i];

		json_array_append_new(rows, json_pack("{s:o, s:o, s:o}", "world", span_json(layer->target), "row", span_json(layer->row),
						      "why", span_json(layer->why)));
	}
	return json_pack("{s:s, s:o, s:o, s:o}", "name", name, "about", span_json(layers->about), "layers", rows, "model",
			 span_json(layers->model));
}
