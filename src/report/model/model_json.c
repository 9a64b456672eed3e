/* Predictions as JSON, see model.h. Values are ns and bytes/ns, whatever the text shows them in. */
#include "report/model/model.h"

#include "result/json/json.h"

static json_t *span(struct kb_span text)
{
	json_t *json = json_stringn(text.at, text.length);

	return json ? json : json_string("?");
}

static json_t *spans(const struct kb_span *texts, unsigned count)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(array, span(texts[i]));
	return array;
}

json_t *kb_model_estimate(const struct kb_estimate *e)
{
	if (!e->known)
		return json_null();
	return json_pack("{s:o, s:o, s:o}", "value", kb_json_real(e->value), "low", e->bounded ? kb_json_real(e->low) : json_null(),
			 "high", e->bounded ? kb_json_real(e->high) : json_null());
}

static const struct { const char *name, *unit; } kinds[] = {
	[KB_QUANTITY_TIME] = { "time", "ns" }, [KB_QUANTITY_RATE] = { "rate", "bytes/ns" }, [KB_QUANTITY_COUNT] = { NULL, "count" },
};

json_t *kb_model_quantity(const struct kb_model *model, unsigned i, const struct kb_quantity_value *value)
{
	const struct kb_quantity *q = &model->quantities[i];

	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:s, s:o, s:o}", "name", span(q->name), "row", kb_json_string(value->row),
			 "kind", kinds[q->kind].name ? kb_json_string(kinds[q->kind].name) : span(q->counter), "unit", kinds[q->kind].unit, "estimate", kb_model_estimate(&value->estimate),
			 "status", kb_status_name(value->status), "why", value->why[0] ? kb_json_string(value->why) : json_null(),
			 "via", q->carrier.length ? span(q->carrier) : json_null());
}

static json_t *expression(const struct kb_expression *e, const struct kb_estimate *value)
{
	if (!e->given)
		return json_null();
	return json_pack("{s:o, s:o}", "expression", span(e->text), "estimate", kb_model_estimate(value));
}

static json_t *instance(const struct kb_prediction *p)
{
	const struct kb_model *model = p->model;
	char name[160];
	struct kb_text text = kb_text_in(name, sizeof name);
	json_t *parts = json_array();
	bool above = p->deviation.value > 0, apart = p->judgement == KB_JUDGED_INTERACTION;

	kb_model_instance_name(&text, model, p->instance);
	for (unsigned i = 1; i < model->quantity_count; i++)
		json_array_append_new(parts, kb_model_quantity(model, i, &p->quantities[i]));
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o}", "name", kb_json_string(name),
			 "measured", kb_model_quantity(model, 0, &p->quantities[0]), "parts", parts,
			 "predicted", expression(&model->predict, &p->predicted), "least", expression(&model->least, &p->least),
			 "most", expression(&model->most, &p->most), "deviation", kb_model_estimate(&p->deviation),
			 "judgement", kb_judgement_names[p->judgement], "circular", p->circular,
			 "why", p->why[0] ? kb_json_string(p->why) : json_null(),
			 "suspects", !apart ? json_array() : above ? spans(model->above, model->above_count) :
			 spans(model->below, model->below_count));
}

json_t *kb_model_to_json(const struct kb_model *model, const struct kb_prediction *instances, const struct kb_fit *fit)
{
	json_t *array = json_array(), *fitted = json_array();

	for (unsigned i = 0; i < kb_model_instances(model); i++)
		json_array_append_new(array, instance(&instances[i]));
	for (unsigned k = 0; k < model->unknown_count; k++) {
		json_array_append_new(fitted, json_pack("{s:o, s:s, s:o}", "name", span(model->unknowns[k].name), "unit",
							kinds[model->unknowns[k].kind].unit, "estimate",
							kb_model_estimate(&fit->unknowns[k])));
	}
	return json_pack("{s:s, s:o, s:o, s:o, s:o}", "model", model->name, "about", span(model->about), "predictions", array,
			 "fitted", fitted, "notes", spans(model->notes, model->note_count));
}
