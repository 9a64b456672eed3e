/* Models as text again: messages that point, and the benchmarks and names of instances. */
#include "suite/model/model.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* Text of a file or its name, one column a character; only a tab stays what it is, where it may. */
static void put_visible(struct kb_text *out, struct kb_span text, bool tabs)
{
	while (text.length > 0) {
		struct kb_character c = kb_character_at(text);

		if (c.visible || (tabs && c.code == '\t'))
			kb_text_bytes(out, text.at, c.length);
		else
			kb_text_str(out, "?");
		text = (struct kb_span){ text.at + c.length, text.length - c.length };
	}
}

/* The line of an error again, and the caret below it. */
void kb_model_error_format(struct kb_text *out, const char *path, struct kb_span text, const struct kb_model_error *error)
{
	const char *at = text.at, *end = text.at + text.length;
	char place[32];

	for (unsigned line = 1; line < error->line && at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		at = newline ? newline + 1 : end;
	}
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	struct kb_span line = { at, (size_t)((newline ? newline : end) - at) };

	snprintf(place, sizeof place, ":%u:%u: ", error->line, error->column);
	put_visible(out, kb_span_of(path), false);
	kb_text_str(out, place);
	put_visible(out, kb_span_of(error->what), false);
	kb_text_str(out, "\n  ");
	put_visible(out, line, true);
	kb_text_str(out, "\n  ");
	/* Blanks up to the place, in columns; below a tab a tab, so that both stand in one column. */
	for (size_t i = 0; i + 1 < error->column && i < line.length;) {
		struct kb_character c = kb_character_at((struct kb_span){ line.at + i, line.length - i });

		kb_text_str(out, c.code == '\t' ? "\t" : " ");
		i += c.length;
	}
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

const char *const kb_judgement_names[KB_JUDGEMENTS] = {
	[KB_JUDGED_FITS] = "fits", [KB_JUDGED_INTERACTION] = "interaction", [KB_JUDGED_UNSETTLED] = "unsettled", [KB_JUDGED_NOT] = "no number",
};
