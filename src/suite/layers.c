/* See layers.h. */
#include "suite/layers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/interference.h"

struct reader {
	struct kb_layers *layers;
	struct kb_model_error *error;
	const char *start;              /* of the line */
	unsigned line;
};

static int wrong(const struct reader *r, const char *at, const char *what)
{
	r->error->line = r->line;
	r->error->column = (unsigned)(at - r->start) + 1;
	snprintf(r->error->what, sizeof r->error->what, "%s", what);
	return -EINVAL;
}

static struct kb_span trimmed(struct kb_span span)
{
	while (span.length > 0 && (*span.at == ' ' || *span.at == '\t'))
		span.at++, span.length--;
	while (span.length > 0 && (span.at[span.length - 1] == ' ' || span.at[span.length - 1] == '\t'))
		span.length--;
	return span;
}

/* `target` and what stands behind it, which is a row or a reason. */
static int read_layer(struct reader *r, struct kb_span rest, bool row)
{
	struct kb_layer *layer = &r->layers->layers[r->layers->count];
	struct kb_span world = kb_span_word(&rest), words = trimmed(rest);

	if (r->layers->count == KB_LAYERS_MAX)
		return wrong(r, r->start, "more layers than there is room for");
	if (world.length == 0 || words.length == 0)
		return wrong(r, words.at, row ? "layer WORLD ROW: which world, and which row?" : "without WORLD REASON: why has it none?");
	*layer = (struct kb_layer){ .world = world, .line = r->line };
	*(row ? &layer->row : &layer->why) = words;
	r->layers->count++;
	return 0;
}

static int read_once(struct reader *r, struct kb_span *into, struct kb_span rest)
{
	if (into->length > 0)
		return wrong(r, r->start, "a second line of this kind");
	*into = trimmed(rest);
	return into->length > 0 ? 0 : wrong(r, r->start, "nothing behind this word");
}

static int read_line(struct reader *r, struct kb_span line)
{
	const char *comment = memchr(line.at, '#', line.length);
	struct kb_span word;

	if (comment)
		line.length = (size_t)(comment - line.at);
	for (struct kb_span left = line; left.length > 0;) {
		struct kb_character c = kb_character_at(left);

		if (!c.visible && c.code != '\t')
			return wrong(r, left.at, "a character that is no text");
		left = (struct kb_span){ left.at + c.length, left.length - c.length };
	}
	word = kb_span_word(&line);
	if (word.length == 0)
		return 0;
	if (kb_span_is(word, "layer") || kb_span_is(word, "without"))
		return read_layer(r, line, kb_span_is(word, "layer"));
	if (kb_span_is(word, "about"))
		return read_once(r, &r->layers->about, line);
	if (kb_span_is(word, "model"))
		return read_once(r, &r->layers->model, line);
	return wrong(r, word.at, "a line begins with about, layer, without or model");
}

int kb_layers_parse(struct kb_layers *layers, const char *text, size_t length, struct kb_model_error *error)
{
	struct reader reader = { .layers = layers, .error = error, .start = text };
	const char *end = text + length;

	*layers = (struct kb_layers){ 0 };
	while (reader.start < end) {
		const char *newline = memchr(reader.start, '\n', (size_t)(end - reader.start));
		const char *stop = newline ? newline : end;

		reader.line++;
		if (read_line(&reader, (struct kb_span){ reader.start, (size_t)(stop - reader.start) }))
			return -EINVAL;
		reader.start = stop + 1;
	}
	reader.start = text;
	reader.line = 1;
	return layers->count > 0 ? 0 : wrong(&reader, text, "no line 'layer WORLD ROW'");
}

static bool has(struct kb_span rest, struct kb_span word)
{
	struct kb_span other;

	while ((other = kb_span_word(&rest)).length > 0) {
		if (other.length == word.length && memcmp(other.at, word.at, word.length) == 0)
			return true;
	}
	return false;
}

/* Copies and a neighbour are no parameters of a benchmark: another thing was measured then. */
static bool is_company(struct kb_span word)
{
	struct kb_span key, value;

	return kb_span_pair(word, &key, &value) &&
	       (kb_span_is(key, "copies") || (kb_span_is(key, "interference") && kb_interference_find(value.at, value.length) != KB_INTERFERENCES));
}

bool kb_layers_match(struct kb_span row, const char *key)
{
	struct kb_span name = kb_span_word(&row), rest = { key, strlen(key) }, wanted = row, word;

	word = kb_span_word(&rest);
	if (word.length != name.length || memcmp(word.at, name.at, name.length) != 0)
		return false;
	while ((word = kb_span_word(&wanted)).length > 0) {
		if (!has(rest, word))
			return false;
	}
	while ((word = kb_span_word(&rest)).length > 0) {
		if (is_company(word) && !has(row, word))
			return false;
	}
	return true;
}
