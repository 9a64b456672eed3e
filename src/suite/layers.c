/* See layers.h. */
#include "suite/layers.h"

#include <errno.h>

#include "base/interference.h"
#include "suite/model/reader.h"

/* A target and what stands behind it, which is a result or a reason. */
static void add_layer(struct kb_model_reader *r, const char *format, bool result)
{
	struct kb_layers *layers = r->layers;
	struct kb_layer layer = { .target = kb_model_word(r), .line = r->line };

	*(result ? &layer.row : &layer.why) = kb_model_rest(r, format);
	if (layers->count == KB_LAYERS_MAX)
		kb_model_wrong(r, r->start, "more than %d layers", KB_LAYERS_MAX);
	if (!r->failed)
		layers->layers[layers->count++] = layer;
}

static void read_layer(struct kb_model_reader *r)
{
	add_layer(r, "layer TARGET RESULT: one of the two", true);
}

static void read_without(struct kb_model_reader *r)
{
	add_layer(r, "without TARGET REASON: one of the two", false);
}

static void read_once(struct kb_model_reader *r, struct kb_span *into, const char *what)
{
	if (into->length > 0)
		kb_model_wrong(r, r->start, "a second line '%s'", what);
	*into = kb_model_rest(r, what);
}

static void read_about(struct kb_model_reader *r)
{
	read_once(r, &r->layers->about, "about ...");
}

static void read_model(struct kb_model_reader *r)
{
	read_once(r, &r->layers->model, "model ...");
}

static const struct kb_model_keyword keywords[] = {
	{ "about", read_about }, { "layer", read_layer }, { "without", read_without }, { "model", read_model },
};

int kb_layers_parse(struct kb_layers *layers, const char *text, size_t length, struct kb_model_error *error)
{
	struct kb_model_reader reader = { .layers = layers, .error = error };

	*layers = (struct kb_layers){ 0 };
	kb_model_read_lines(&reader, text, length, keywords, sizeof keywords / sizeof keywords[0]);
	reader.start = text;
	if (!reader.failed)
		reader.line = 1;
	if (layers->count == 0)
		kb_model_wrong(&reader, text, "no line 'layer TARGET RESULT'");
	return reader.failed ? -EINVAL : 0;
}

static bool has(struct kb_span rest, struct kb_span word)
{
	struct kb_span other;

	while ((other = kb_span_word(&rest)).length > 0) {
		if (kb_span_equal(other, word))
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
	struct kb_span name = kb_span_word(&row), rest = kb_span_of(key), wanted = row, word;

	if (!kb_span_equal(kb_span_word(&rest), name))
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
