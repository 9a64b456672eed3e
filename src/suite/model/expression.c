/*
 * Expressions of models: recursive descent, a function a level of precedence. Dimensions are checked while reading, since
 * a sum of a time and a rate is a slip that no result would show.
 */
#include "suite/model/reader.h"

#include <stdlib.h>
#include <string.h>

#define ARGUMENTS_MAX 8
#define DEPTH_MAX 32            /* of parentheses: the reader calls itself, and its stack ends somewhere */

static unsigned read_sum(struct kb_model_reader *);

static bool same(struct kb_dimension a, struct kb_dimension b)
{
	return a.ns == b.ns && a.bytes == b.bytes;
}

/* In messages. */
static const char *dimension_name(struct kb_dimension d)
{
	static const struct { struct kb_dimension d; const char *name; } names[] = {
		{ { 0, 0 }, "a number" }, { { 1, 0 }, "a time" }, { { -1, 1 }, "a rate" }, { { 0, 1 }, "bytes" },
		{ { -1, 0 }, "1/ns" }, { { 1, -1 }, "ns/byte" },
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (same(names[i].d, d))
			return names[i].name;
	}
	return "a product of times and bytes";
}

/* After an error the node is any, and never looked at. */
static unsigned new_node(struct kb_model_reader *r, const char *at, struct kb_node node)
{
	struct kb_model *model = r->model;

	if (model->node_count == KB_MODEL_NODES)
		kb_model_wrong(r, at, "the model is too long: more than %d operands and operators", KB_MODEL_NODES);
	if (r->failed)
		return 0;
	model->nodes[model->node_count] = node;
	return model->node_count++;
}

static struct kb_dimension dimension_of(const struct kb_model_reader *r, unsigned node)
{
	return r->model->nodes[node].dimension;
}

static bool take(struct kb_model_reader *r, char c)
{
	kb_model_blanks(r);
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

static struct kb_span take_name(struct kb_model_reader *r)
{
	struct kb_span name = { r->at, 0 };

	while (r->at < r->end && kb_model_letter(*r->at))
		r->at++;
	name.length = (size_t)(r->at - name.at);
	return name;
}

/* ---- operands -------------------------------------------------------------------------------------------- */

/* "100ns", "64K", "2": what stands behind the digits tells what it is. */
static unsigned read_number(struct kb_model_reader *r)
{
	static const struct { const char *suffix; double factor; struct kb_dimension dimension; } units[] = {
		{ "", 1, { 0, 0 } }, { "ns", 1, { 1, 0 } }, { "us", 1e3, { 1, 0 } }, { "ms", 1e6, { 1, 0 } }, { "s", 1e9, { 1, 0 } },
		{ "B", 1, { 0, 1 } }, { "K", 1024, { 0, 1 } }, { "M", 1048576, { 0, 1 } }, { "G", 1073741824, { 0, 1 } },
	};
	const char *at = r->at;
	char digits[40];
	size_t length = 0;

	while (r->at < r->end && ((*r->at >= '0' && *r->at <= '9') || *r->at == '.'))
		r->at++;
	length = (size_t)(r->at - at);
	if (length >= sizeof digits) {
		kb_model_wrong(r, at, "a number of more than %zu digits", sizeof digits - 1);
		return 0;
	}
	memcpy(digits, at, length);
	digits[length] = '\0';

	char *end;
	double value = strtod(digits, &end);
	const char *suffix_at = r->at;
	struct kb_span suffix = take_name(r);

	if (*end)
		kb_model_wrong(r, at + (end - digits), "not a number");
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (kb_span_is(suffix, units[i].suffix))
			return new_node(r, at, (struct kb_node){ .kind = KB_NODE_NUMBER, .number = value * units[i].factor,
			                                         .dimension = units[i].dimension });
	}
	kb_model_wrong(r, suffix_at, "a number ends in ns, us, ms, s, B, K, M, G, or in nothing");
	return 0;
}

/* Bytes where a value has a unit (64K), a number where none has; else it is no quantity. */
static unsigned read_param(struct kb_model_reader *r, const char *at)
{
	struct kb_model *model = r->model;
	struct kb_span name = take_name(r);
	bool bytes = false;

	if (!model->param.length || !kb_span_equal(name, model->param)) {
		kb_model_wrong(r, at, "no line 'over %.*s = ...' stands above", (int)name.length, name.at);
		return 0;
	}
	for (unsigned i = 0; i < model->value_count; i++) {
		struct kb_span v = model->values[i];
		uint64_t value;

		if (!kb_model_number(model, i, &value)) {
			kb_model_wrong(r, at, "'%.*s' is no number, so $%.*s is none", (int)v.length, v.at, (int)name.length, name.at);
			return 0;
		}
		bytes = bytes || v.at[v.length - 1] > '9';
	}
	return new_node(r, at, (struct kb_node){ .kind = KB_NODE_PARAM, .dimension = { 0, bytes } });
}

static struct kb_dimension kind_dimension(enum kb_quantity_kind kind)
{
	static const struct kb_dimension dimensions[] = {
		[KB_QUANTITY_TIME] = { 1, 0 }, [KB_QUANTITY_RATE] = { -1, 1 }, [KB_QUANTITY_COUNT] = { 0, 0 },
	};

	return dimensions[kind];
}

/* A part or an unknown. The whole is none: a prediction that knows it would be no prediction. */
static unsigned find_name(struct kb_model_reader *r, struct kb_span name)
{
	const struct kb_model *model = r->model;
	unsigned part = kb_model_find_quantity(model, name), unknown = kb_model_find_unknown(model, name);

	if (kb_span_is(name, "whole")) {
		kb_model_wrong(r, name.at, "the whole cannot predict itself");
		return 0;
	}
	if (part < model->quantity_count)
		return new_node(r, name.at, (struct kb_node){ .kind = KB_NODE_QUANTITY, .index = part,
		                                              .dimension = kind_dimension(model->quantities[part].kind) });
	if (unknown < model->unknown_count)
		return new_node(r, name.at, (struct kb_node){ .kind = KB_NODE_UNKNOWN, .index = unknown,
		                                              .dimension = kind_dimension(model->unknowns[unknown].kind) });
	kb_model_wrong(r, name.at, "no line 'part %.*s ...' or 'fit %.*s ...' stands above", (int)name.length, name.at,
		       (int)name.length, name.at);
	return 0;
}

/* ---- functions ------------------------------------------------------------------------------------------- */

static bool function_kind(struct kb_span name, enum kb_node_kind *kind)
{
	static const struct { const char *name; enum kb_node_kind kind; } functions[] = {
		{ "min", KB_NODE_MIN }, { "max", KB_NODE_MAX }, { "harmonic", KB_NODE_HARMONIC },
	};

	for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
		*kind = functions[i].kind;
		if (kb_span_is(name, functions[i].name))
			return true;
	}
	return false;
}

/* A chain of its arguments: a is one, b the rest; the last link's b is itself. */
static unsigned read_function(struct kb_model_reader *r, struct kb_span name, enum kb_node_kind kind)
{
	unsigned arguments[ARGUMENTS_MAX], count = 0, link = 0;

	do {
		const char *at = r->at;

		if (count == ARGUMENTS_MAX) {
			kb_model_wrong(r, r->at, "at most %d arguments", ARGUMENTS_MAX);
			return 0;
		}
		arguments[count] = read_sum(r);
		if (!r->failed && !same(dimension_of(r, arguments[count]), dimension_of(r, arguments[0])))
			kb_model_wrong(r, at, "%s next to %s", dimension_name(dimension_of(r, arguments[count])),
				       dimension_name(dimension_of(r, arguments[0])));
		count++;
	} while (!r->failed && take(r, ','));
	if (!r->failed && !take(r, ')'))
		kb_model_wrong(r, r->at, "')' is missing");
	if (count < 2)
		kb_model_wrong(r, name.at, "%.*s needs two arguments or more", (int)name.length, name.at);
	for (unsigned i = count; i-- > 0 && !r->failed;) {
		unsigned next = i == count - 1 ? r->model->node_count : link;

		link = new_node(r, name.at, (struct kb_node){ .kind = kind, .a = arguments[i], .b = next,
		                                              .dimension = dimension_of(r, arguments[i]) });
	}
	return link;
}

/* What stands before a '(' is a function, else it is a quantity. */
static unsigned read_name(struct kb_model_reader *r)
{
	struct kb_span name = take_name(r);
	enum kb_node_kind kind;

	if (!take(r, '('))
		return find_name(r, name);
	if (function_kind(name, &kind))
		return read_function(r, name, kind);
	kb_model_wrong(r, name.at, "no function '%.*s'; there are min, max, harmonic", (int)name.length, name.at);
	return 0;
}

/* ---- operators ------------------------------------------------------------------------------------------- */

static unsigned read_operand(struct kb_model_reader *r)
{
	unsigned node = 0;
	const char *at;

	kb_model_blanks(r);
	at = r->at;
	if (r->depth++ == DEPTH_MAX)
		kb_model_wrong(r, at, "more than %d levels", DEPTH_MAX);
	if (r->failed)
		return 0;
	if (at == r->end) {
		kb_model_wrong(r, at, "a name or a number is missing");
	} else if (take(r, '(')) {
		node = read_sum(r);
		if (!r->failed && !take(r, ')'))
			kb_model_wrong(r, r->at, "')' is missing");
	} else if (take(r, '-')) {
		unsigned a = read_operand(r);

		node = new_node(r, at, (struct kb_node){ .kind = KB_NODE_NEGATE, .a = a, .dimension = dimension_of(r, a) });
	} else if (take(r, '$')) {
		node = read_param(r, at);
	} else if (*at >= '0' && *at <= '9') {
		node = read_number(r);
	} else if (kb_model_letter(*at)) {
		node = read_name(r);
	} else {
		kb_model_wrong(r, at, "a name or a number belongs here");
	}
	r->depth--;
	return node;
}

/* From left to right: a / b / c is (a / b) / c. Powers of units add up, or are taken away. */
static unsigned read_product(struct kb_model_reader *r)
{
	unsigned a = read_operand(r);

	for (;;) {
		const char *at = (kb_model_blanks(r), r->at);
		bool times = take(r, '*');

		if (r->failed || (!times && !take(r, '/')))
			return a;

		unsigned b = read_operand(r);
		struct kb_dimension da = dimension_of(r, a), db = dimension_of(r, b);
		int sign = times ? 1 : -1;

		a = new_node(r, at, (struct kb_node){ .kind = times ? KB_NODE_MULTIPLY : KB_NODE_DIVIDE, .a = a, .b = b,
		                                      .dimension = { da.ns + sign * db.ns, da.bytes + sign * db.bytes } });
	}
}

/* Only equals can be added; the error stands at the operator, between what does not fit. */
static unsigned read_sum(struct kb_model_reader *r)
{
	unsigned a = read_product(r);

	for (;;) {
		const char *at = (kb_model_blanks(r), r->at);
		bool plus = take(r, '+');

		if (r->failed || (!plus && !take(r, '-')))
			return a;

		unsigned b = read_product(r);

		if (!r->failed && !same(dimension_of(r, a), dimension_of(r, b)))
			kb_model_wrong(r, at, "%s %s %s", dimension_name(dimension_of(r, a)), plus ? "and" : "less",
				       dimension_name(dimension_of(r, b)));
		a = new_node(r, at, (struct kb_node){ .kind = plus ? KB_NODE_ADD : KB_NODE_SUBTRACT, .a = a, .b = b,
		                                      .dimension = dimension_of(r, a) });
	}
}

void kb_model_expression(struct kb_model_reader *r, struct kb_expression *expression, struct kb_dimension wanted)
{
	kb_model_blanks(r);
	if (expression->given)
		kb_model_wrong(r, r->start, "given before, in line %u", expression->line);
	*expression = (struct kb_expression){ .text = { r->at, (size_t)(r->end - r->at) }, .line = r->line, .given = true };

	const char *at = r->at;

	expression->root = read_sum(r);
	kb_model_blanks(r);
	if (!r->failed && r->at < r->end)
		kb_model_wrong(r, r->at, "an operator belongs here");
	if (!r->failed && !same(dimension_of(r, expression->root), wanted))
		kb_model_wrong(r, at, "this is %s, and the whole is %s", dimension_name(dimension_of(r, expression->root)),
			       dimension_name(wanted));
}
