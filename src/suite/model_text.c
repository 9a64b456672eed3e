/* Models as text again: messages that point, and the rows and names of instances. */
#include "suite/model.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* The line of an error again, and the caret below it; a tab stays a tab, so that both stand in one column. */
void kb_model_error_format(struct kb_text *out, const char *path, struct kb_span text, const struct kb_model_error *error)
{
	const char *at = text.at, *end = text.at + text.length;

	for (unsigned line = 1; line < error->line && at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		at = newline ? newline + 1 : end;
	}
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	size_t length = (size_t)((newline ? newline : end) - at);

	kb_text_str(out, path);
	kb_text_str(out, ":");
	kb_text_u64(out, error->line);
	kb_text_str(out, ":");
	kb_text_u64(out, error->column);
	kb_text_str(out, ": ");
	kb_text_str(out, error->what);
	kb_text_str(out, "\n  ");
	for (size_t i = 0; i < length; i++)
		kb_text_bytes(out, (unsigned char)at[i] < ' ' && at[i] != '\t' ? "?" : &at[i], 1);
	kb_text_str(out, "\n  ");
	for (size_t i = 0; i + 1 < error->column && i < length; i++)
		kb_text_bytes(out, at[i] == '\t' ? "\t" : " ", 1);
	kb_text_str(out, "^");
}

/* ---- instances ------------------------------------------------------------------------------------------- */

unsigned kb_model_instances(const struct kb_model *model)
{
	return model->value_count ? model->value_count : 1;
}

void kb_model_instance_name(struct kb_text *out, const struct kb_model *model, unsigned instance)
{
	kb_text_str(out, model->name);
	if (model->value_count == 0)
		return;
	kb_text_str(out, " ");
	kb_text_bytes(out, model->param.at, model->param.length);
	kb_text_str(out, "=");
	kb_text_bytes(out, model->values[instance].at, model->values[instance].length);
}

bool kb_model_number(const struct kb_model *model, unsigned instance, uint64_t *value)
{
	char text[40];

	snprintf(text, sizeof text, "%.*s", (int)model->values[instance].length, model->values[instance].at);
	return kb_parse_size(text, value);
}

void kb_model_row(struct kb_text *out, const struct kb_model *model, unsigned quantity, unsigned instance)
{
	struct kb_span left = model->quantities[quantity].row, w, name, value;

	for (bool first = true; (w = kb_span_word(&left)).length > 0; first = false) {
		kb_text_str(out, first ? "" : " ");
		if (!kb_span_pair(w, &name, &value) || value.length == 0 || *value.at != '$') {
			kb_text_bytes(out, w.at, w.length);
			continue;
		}
		kb_text_bytes(out, w.at, (size_t)(value.at - w.at));
		kb_text_bytes(out, model->values[instance].at, model->values[instance].length);
	}
}

const char *kb_judgement_name(enum kb_judgement judgement)
{
	static const char *const names[KB_JUDGEMENTS] = {
		[KB_JUDGED_FITS] = "fits", [KB_JUDGED_INTERACTION] = "interaction", [KB_JUDGED_UNSETTLED] = "unsettled",
		[KB_JUDGED_NOT] = "no number",
	};

	return judgement < KB_JUDGEMENTS ? names[judgement] : "?";
}
