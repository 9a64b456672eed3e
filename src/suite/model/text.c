/* Models as text again: messages that point, and the rows and names of instances. */
#include "suite/model/model.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* What a file or its name says, one column a character; only a tab stays what it is, where it may. */
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

/* Blanks up to the byte, in columns; below a tab a tab, so that both stand in one column. */
static void put_indent(struct kb_text *out, struct kb_span text, size_t bytes)
{
	for (size_t at = 0; at < bytes && at < text.length;) {
		struct kb_character c = kb_character_at((struct kb_span){ text.at + at, text.length - at });

		kb_text_str(out, c.code == '\t' ? "\t" : " ");
		at += c.length;
	}
}

/* The line of an error again, and the caret below it. */
void kb_model_error_format(struct kb_text *out, const char *path, struct kb_span text, const struct kb_model_error *error)
{
	const char *at = text.at, *end = text.at + text.length;

	for (unsigned line = 1; line < error->line && at < end; line++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		at = newline ? newline + 1 : end;
	}
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	struct kb_span line = { at, (size_t)((newline ? newline : end) - at) };

	put_visible(out, (struct kb_span){ path, strlen(path) }, false);
	kb_text_str(out, ":");
	kb_text_u64(out, error->line);
	kb_text_str(out, ":");
	kb_text_u64(out, error->column);
	kb_text_str(out, ": ");
	put_visible(out, (struct kb_span){ error->what, strlen(error->what) }, false);
	kb_text_str(out, "\n  ");
	put_visible(out, line, true);
	kb_text_str(out, "\n  ");
	put_indent(out, line, error->column > 0 ? error->column - 1 : 0);
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
