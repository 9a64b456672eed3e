/*
 * The lines of a model. Names are used below the line that makes them, so one pass is enough and an error stands where the eye is.
 */
#include "suite/model/reader.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------------------- */

unsigned kb_model_find_quantity(const struct kb_model *model, struct kb_span name)
{
	unsigned i = 0;

	while (i < model->quantity_count && !kb_span_equal(model->quantities[i].name, name))
		i++;
	return i;
}

unsigned kb_model_find_unknown(const struct kb_model *model, struct kb_span name)
{
	unsigned i = 0;

	while (i < model->unknown_count && !kb_span_equal(model->unknowns[i].name, name))
		i++;
	return i;
}

static struct kb_span new_name(struct kb_model_reader *r)
{
	struct kb_span name = kb_model_word(r);

	if (name.length == 0)
		kb_model_wrong(r, name.at, "a name is missing");
	for (size_t i = 0; i < name.length; i++) {
		if (!kb_model_letter(name.at[i]) || (i == 0 && name.at[0] <= '9'))
			kb_model_wrong(r, name.at + i, "a name is made of letters, digits and '_'");
	}
	/* Words of the language itself would read as something else. */
	if (kb_span_is(name, "whole") || kb_span_is(name, "min") || kb_span_is(name, "max") || kb_span_is(name, "harmonic"))
		kb_model_wrong(r, name.at, "'%.*s' has a meaning already", (int)name.length, name.at);
	/* Parts and unknowns share one name space: expressions cannot tell them apart. */
	if (kb_model_find_quantity(r->model, name) < r->model->quantity_count || kb_model_find_unknown(r->model, name) < r->model->unknown_count)
		kb_model_wrong(r, name.at, "the name '%.*s' is taken", (int)name.length, name.at);
	return name;
}

static enum kb_quantity_kind quantity_kind(struct kb_model_reader *r)
{
	struct kb_span kind = kb_model_word(r);

	if (!kb_span_is(kind, "time") && !kb_span_is(kind, "rate"))
		kb_model_wrong(r, kind.at, "time or rate belongs here: ns an operation, or bytes/ns; of a part also switches or segments: how many an operation has");
	return kb_span_is(kind, "rate") ? KB_QUANTITY_RATE : KB_QUANTITY_TIME;
}

/* How often the kernel switches, or into how many segments it cuts a stream, is its own choice, which no parameter tells. */
static void part_kind(struct kb_model_reader *r, struct kb_quantity *part)
{
	const char *before = r->at;

	part->counter = kb_model_word(r);
	if (kb_span_is(part->counter, "switches") || kb_span_is(part->counter, "segments")) {
		part->kind = KB_QUANTITY_COUNT;
		return;
	}
	r->at = before;
	part->kind = quantity_kind(r);
}

/* ---- quantities ------------------------------------------------------------------------------------------ */

/* "sys.read_zero bytes=1 via file": whether there is such a benchmark is found out where their list is; the place is kept
   for that message. */
static void read_benchmark(struct kb_model_reader *r, struct kb_quantity *quantity)
{
	struct kb_span w = kb_model_word(r), name, value, param = r->model->param;

	quantity->line = r->line;
	quantity->column = (unsigned)(w.at - r->start) + 1;
	quantity->row = w;
	if (w.length == 0 || !memchr(w.at, '.', w.length))
		kb_model_wrong(r, w.at, "the name of a benchmark belongs here, such as sys.null");
	while (!r->failed && (w = kb_model_word(r)).length > 0 && !kb_span_is(w, "via")) {
		if (!kb_span_pair(w, &name, &value))
			kb_model_wrong(r, w.at, "NAME=VALUE or 'via' belongs here");
		else if (value.length == 0)
			kb_model_wrong(r, value.at, "a value is missing");
		else if (*value.at == '$' && !(param.length && kb_span_equal((struct kb_span){ value.at + 1, value.length - 1 }, param)))
			kb_model_wrong(r, value.at, "no line 'over %.*s = ...' stands above", (int)value.length - 1, value.at + 1);
		quantity->row.length = (size_t)(w.at + w.length - quantity->row.at);
	}
	if (w.length == 0 || r->failed)
		return;
	quantity->carrier = kb_model_word(r);
	if (quantity->carrier.length == 0)
		kb_model_wrong(r, r->at, "behind 'via' a word is missing: what carries it");
	w = kb_model_word(r);
	if (w.length > 0)
		kb_model_wrong(r, w.at, "unexpected word at the end of the line");
}

static void add_quantity(struct kb_model_reader *r, struct kb_quantity quantity)
{
	if (r->model->quantity_count == KB_MODEL_QUANTITIES)
		kb_model_wrong(r, r->start, "more than %d parts", KB_MODEL_QUANTITIES - 1);
	if (!r->failed)
		r->model->quantities[r->model->quantity_count++] = quantity;
}

static void read_whole(struct kb_model_reader *r)
{
	struct kb_quantity whole = { .name = { "whole", 5 } };

	if (r->model->quantity_count > 0)
		kb_model_wrong(r, r->start, "'whole' stands once, above all parts");
	whole.kind = quantity_kind(r);
	read_benchmark(r, &whole);
	add_quantity(r, whole);
}

static void read_part(struct kb_model_reader *r)
{
	struct kb_quantity part = { .name = new_name(r) };

	if (!r->failed)
		part_kind(r, &part);
	if (!r->failed)
		read_benchmark(r, &part);
	add_quantity(r, part);
}

/* Unknowns are found by the values of `over`; how many those must be is known at the end. */
static void read_fit(struct kb_model_reader *r)
{
	struct kb_unknown unknown = { .name = new_name(r) };
	struct kb_model *model = r->model;

	unknown.kind = r->failed ? KB_QUANTITY_TIME : quantity_kind(r);
	if (model->unknown_count == KB_MODEL_UNKNOWNS)
		kb_model_wrong(r, r->start, "at most %d unknowns", KB_MODEL_UNKNOWNS);
	if (!r->failed)
		model->unknowns[model->unknown_count++] = unknown;
}

/* over NAME = VALUE, VALUE ... */
static void read_over(struct kb_model_reader *r)
{
	struct kb_model *model = r->model;
	struct kb_span equals;

	if (model->param.length)
		kb_model_wrong(r, r->start, "'over' stands once");
	if (model->quantity_count)
		kb_model_wrong(r, r->start, "'over' stands above the lines that use it");
	model->param = new_name(r);
	equals = kb_model_word(r);
	if (!kb_span_is(equals, "="))
		kb_model_wrong(r, equals.at, "'=' belongs here");
	while (!r->failed && (kb_model_blanks(r), r->at < r->end)) {
		struct kb_span value = { r->at, 0 };

		while (r->at < r->end && *r->at != ',' && *r->at != ' ' && *r->at != '\t')
			r->at++;
		value.length = (size_t)(r->at - value.at);
		kb_model_blanks(r);
		if (value.length == 0 || (r->at < r->end && *r->at != ','))
			kb_model_wrong(r, r->at, "values stand apart by commas");
		else if (model->value_count == KB_MODEL_VALUES)
			kb_model_wrong(r, value.at, "more than %d values", KB_MODEL_VALUES);
		else
			model->values[model->value_count++] = value;
		r->at += r->at < r->end;
	}
	if (model->value_count == 0)
		kb_model_wrong(r, r->at, "a value is missing");
}

/* ---- other lines ----------------------------------------------------------------------------------------- */

/* Predicted is what the whole is. */
static struct kb_dimension whole_dimension(struct kb_model_reader *r)
{
	const struct kb_model *model = r->model;

	if (model->quantity_count == 0 || !kb_span_is(model->quantities[0].name, "whole"))
		kb_model_wrong(r, r->start, "no line 'whole ...' stands above");
	return model->quantity_count && model->quantities[0].kind == KB_QUANTITY_RATE ? (struct kb_dimension){ -1, 1 } :
	       (struct kb_dimension){ 1, 0 };
}

static void read_predict(struct kb_model_reader *r)
{
	kb_model_expression(r, &r->model->predict, whole_dimension(r));
}

static void read_least(struct kb_model_reader *r)
{
	kb_model_expression(r, &r->model->least, whole_dimension(r));
}

static void read_most(struct kb_model_reader *r)
{
	kb_model_expression(r, &r->model->most, whole_dimension(r));
}

static void add_line(struct kb_model_reader *r, struct kb_span *lines, unsigned *count, const char *what)
{
	struct kb_span text = kb_model_rest(r, what);

	if (*count == KB_MODEL_LINES)
		kb_model_wrong(r, r->start, "more than %d such lines", KB_MODEL_LINES);
	if (!r->failed)
		lines[(*count)++] = text;
}

static void read_suspect(struct kb_model_reader *r)
{
	struct kb_model *model = r->model;
	struct kb_span side = kb_model_word(r);

	if (kb_span_is(side, "above"))
		add_line(r, model->above, &model->above_count, "a suspect");
	else if (kb_span_is(side, "below"))
		add_line(r, model->below, &model->below_count, "a suspect");
	else
		kb_model_wrong(r, side.at, "above or below belongs here: on which side of the prediction the measured value is");
}

static void read_note(struct kb_model_reader *r)
{
	add_line(r, r->model->notes, &r->model->note_count, "a note");
}

static void read_about(struct kb_model_reader *r)
{
	if (r->model->about.length)
		kb_model_wrong(r, r->start, "'about' stands once");
	r->model->about = kb_model_rest(r, "what the model is about");
}

static void read_count(struct kb_model_reader *r)
{
	struct kb_model *model = r->model;
	struct kb_span name = kb_model_word(r);
	struct kb_count count = { .quantity = kb_model_find_quantity(model, name) };

	if (count.quantity == model->quantity_count)
		kb_model_wrong(r, name.at, "no line 'part %.*s ...' stands above", (int)name.length, name.at);
	else if (model->quantities[count.quantity].kind != KB_QUANTITY_TIME)
		kb_model_wrong(r, name.at, "only times can be counted");
	if (model->count_count == KB_MODEL_QUANTITIES)
		kb_model_wrong(r, r->start, "more than %d such lines", KB_MODEL_QUANTITIES);
	count.events = kb_model_rest(r, "what is counted");
	if (!r->failed)
		model->counts[model->count_count++] = count;
}

static const struct kb_model_keyword keywords[] = {
	{ "about", read_about }, { "over", read_over }, { "whole", read_whole }, { "part", read_part }, { "fit", read_fit },
	{ "predict", read_predict }, { "least", read_least }, { "most", read_most }, { "suspect", read_suspect },
	{ "note", read_note }, { "count", read_count },
};

/* ---- the whole text -------------------------------------------------------------------------------------- */

/* In an expression, or paid for. */
static bool used(const struct kb_model *model, enum kb_node_kind kind, unsigned index)
{
	for (unsigned i = 0; i < model->node_count; i++) {
		if (model->nodes[i].kind == kind && model->nodes[i].index == index)
			return true;
	}
	for (unsigned i = 0; i < model->count_count; i++) {
		if (kind == KB_NODE_QUANTITY && model->counts[i].quantity == index)
			return true;
	}
	return false;
}

/* A part that is not used is measured for nothing, and often a slip. */
static void check_parts(struct kb_model_reader *r)
{
	struct kb_model *model = r->model;

	for (unsigned i = model->count_count == 0; i < model->quantity_count && !r->failed; i++) {
		const struct kb_quantity *part = &model->quantities[i];

		if (!used(model, KB_NODE_QUANTITY, i)) {
			r->line = part->line;
			kb_model_wrong(r, r->start + part->column - 1, "the part '%.*s' is not used", (int)part->name.length,
				       part->name.at);
		}
		if (model->count_count == 0 && part->kind != KB_QUANTITY_COUNT &&
		    (kb_span_equal(part->row, model->quantities[0].row) ||
		     (part->carrier.length && kb_span_equal(part->carrier, model->quantities[0].carrier))))
			model->circular = true;
	}
}

/* Each value is predicted from the others, so one more is needed than a line through all of them would. */
static void check_fits(struct kb_model_reader *r)
{
	const struct kb_model *model = r->model;

	if (model->unknown_count && kb_model_instances(model) <= model->unknown_count)
		kb_model_wrong(r, r->start, "a fit of %u unknowns needs 'over' with %u values or more, as one is left out each time",
			       model->unknown_count, model->unknown_count + 1);
	if (model->unknown_count && (model->least.given || model->most.given))
		kb_model_wrong(r, r->start, "a model with 'fit' has no bounds: what is fitted is known only from the whole");
	for (unsigned i = 0; i < model->unknown_count; i++) {
		if (!used(model, KB_NODE_UNKNOWN, i))
			kb_model_wrong(r, r->start, "the unknown '%.*s' is not used", (int)model->unknowns[i].name.length,
				       model->unknowns[i].name.at);
	}
}

/* What is missing is missing at the end. */
static void check_whole(struct kb_model_reader *r)
{
	const struct kb_model *model = r->model;

	if (model->about.length == 0)
		kb_model_wrong(r, r->start, "a line 'about ...' is missing");
	if (!model->predict.given && !model->count_count)
		kb_model_wrong(r, r->start, "a line 'predict ...' is missing");
	if (model->predict.given && model->count_count)
		kb_model_wrong(r, r->start, "'predict' and 'count' exclude each other");
	check_fits(r);
	check_parts(r);
}

int kb_model_parse(struct kb_model *model, const char *name, const char *path, const char *text, size_t length,
		   struct kb_model_error *error)
{
	struct kb_model_reader r = { .model = model, .error = error };

	memset(model, 0, sizeof *model);
	snprintf(model->name, sizeof model->name, "%s", name);
	model->path = path;
	model->text = (struct kb_span){ text, length };
	kb_model_read_lines(&r, text, length, keywords, sizeof keywords / sizeof keywords[0]);
	if (!r.failed)
		check_whole(&r);
	return r.failed ? -EINVAL : 0;
}
