/* Any bytes as a model: what is accepted can be evaluated, judged and written out; what is not has a place in the text. */
#include "fuzz.h"

#include "suite/model/model.h"

static void look_at_error(const char *text, size_t size, const struct kb_model_error *error)
{
	char message[512];
	struct kb_text out = kb_text_in(message, sizeof message);

	require(error->line > 0 && error->column > 0 && error->what[0]);
	require(error->column <= size + 1 && error->line <= size + 1);
	kb_model_error_format(&out, "fuzz", (struct kb_span){ text, size }, error);
}

static void judge(const struct kb_model *model)
{
	static struct kb_prediction predictions[KB_MODEL_VALUES];
	struct kb_fit fit;
	char text[400];

	memset(predictions, 0, sizeof predictions);
	for (unsigned i = 0; i < kb_model_instances(model); i++) {
		struct kb_text name = kb_text_in(text, sizeof text);

		kb_model_instance_name(&name, model, i);
		predictions[i].model = model;
		predictions[i].instance = i;
		for (unsigned q = 0; q < model->quantity_count; q++) {
			struct kb_text row = kb_text_in(text, sizeof text);

			kb_model_row(&row, model, q, i);
			predictions[i].quantities[q].estimate = (struct kb_estimate){ q + 1.5, q + 1, q + 2, true, true };
		}
	}
	kb_model_judge(model, predictions, &fit);
	for (unsigned i = 0; i < kb_model_instances(model); i++)
		require(predictions[i].judgement < KB_JUDGEMENTS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kb_model model;
	struct kb_model_error error;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, size ? data : (const uint8_t *)"", size);
	if (kb_model_parse(&model, "fuzz", "fuzz.model", text, size, &error))
		look_at_error(text, size, &error);
	else if (model.count_count == 0)
		judge(&model);
	else
		(void)kb_model_pays(&model, "read");
	free(text);
	return 0;
}
