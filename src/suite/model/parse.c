/*
 * The lines of a model. Each begins with a word that says what it is; a table leads from the word to its reader. Names are
 * used below the line that makes them, so one pass is enough and an error stands where the eye is.
 */
#include "suite/model/parse.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "suite/nearest.h"

#define LINES_MAX 500
#define TAB 8

void kb_model_wrong(struct kb_model_reader *r, const char *at, const char *format, ...)
{
	va_list arguments;

	if (r->failed)
		return;
	r->failed = true;
	r->error->line = r->line;
	r->error->column = (unsigned)(at - r->start) + 1;
	va_start(arguments, format);
	vsnprintf(r->error->what, sizeof r->error->what, format, arguments);
	va_end(arguments);
}

void kb_model_blanks(struct kb_model_reader *r)
{
	while (r->at < r->end && (*r->at == ' ' || *r->at == '\t'))
		r->at++;
}

bool kb_model_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The next word up to a blank. */
static struct kb_span word(struct kb_model_reader *r)
{
	struct kb_span span;

	kb_model_blanks(r);
	span = (struct kb_span){ r->at, 0 };
	while (r->at < r->end && *r->at != ' ' && *r->at != '\t')
		r->at++;
	span.length = (size_t)(r->at - span.at);
	return span;
}

static struct kb_span rest(struct kb_model_reader *r, const char *what)
{
	kb_model_blanks(r);
	struct kb_span span = { r->at, (size_t)(r->end - r->at) };

	if (span.length == 0)
		kb_model_wrong(r, r->at, "%s is missing", what);
	r->at = r->end;
	return span;
}

bool kb_model_equal(struct kb_span a, struct kb_span b)
{
	return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

/* ---- names ----------------------------------------------------------------------------------------------- */

/* Words of the language itself: as names they would read as something else. */
static bool reserved(struct kb_span name)
{
	return kb_span_is(name, "whole") || kb_span_is(name, "min") || kb_span_is(name, "max") || kb_span_is(name, "harmonic");
}

/* Parts and unknowns share one name space: expressions cannot tell them apart. */
static bool known(const struct kb_model *model, struct kb_span name)
{
	for (unsigned i = 0; i < model->quantity_count; i++) {
		if (kb_model_equal(model->quantities[i].name, name))
			return true;
	}
	for (unsigned i = 0; i < model->unknown_count; i++) {
		if (kb_model_equal(model->unknowns[i].name, name))
			return true;
	}
	return false;
}

static struct kb_span new_name(struct kb_model_reader *r)
{
	struct kb_span name = word(r);

	if (name.length == 0)
		kb_model_wrong(r, name.at, "a name is missing");
	for (size_t i = 0; i < name.length; i++) {
		if (!kb_model_letter(name.at[i]) || (i == 0 && name.at[0] <= '9'))
			kb_model_wrong(r, name.at + i, "a name is made of letters, digits and '_'");
	}
	if (reserved(name))
		kb_model_wrong(r, name.at, "'%.*s' has a meaning already", (int)name.length, name.at);
	if (known(r->model, name))
		kb_model_wrong(r, name.at, "the name '%.*s' is taken", (int)name.length, name.at);
	return name;
}

static enum kb_quantity_kind quantity_kind(struct kb_model_reader *r)
{
	struct kb_span kind = word(r);

	if (!kb_span_is(kind, "time") && !kb_span_is(kind, "rate"))
		kb_model_wrong(r, kind.at, "time or rate belongs here: ns an operation, or bytes/ns");
	return kb_span_is(kind, "rate") ? KB_QUANTITY_RATE : KB_QUANTITY_TIME;
}

/* ---- quantities ------------------------------------------------------------------------------------------ */

/* "$size" behind a '=' must be the parameter of `over`. */
static void check_value(struct kb_model_reader *r, struct kb_span value)
{
	const struct kb_model *model = r->model;

	if (value.length == 0)
		kb_model_wrong(r, value.at, "a value is missing");
	else if (*value.at == '$' && (!model->param.length || !kb_model_equal((struct kb_span){ value.at + 1, value.length - 1 }, model->param)))
		kb_model_wrong(r, value.at, "no line 'over %.*s = ...' stands above", (int)value.length - 1, value.at + 1);
}

/* "sys.read_zero bytes=1 via file": whether there is such a benchmark, only who has their list can say; the place is kept
   for that message. */
static void read_row(struct kb_model_reader *r, struct kb_quantity *quantity)
{
	struct kb_span w = word(r), name, value;

	quantity->line = r->line;
	quantity->column = (unsigned)(w.at - r->start) + 1;
	quantity->row = w;
	if (w.length == 0 || !memchr(w.at, '.', w.length))
		kb_model_wrong(r, w.at, "the name of a benchmark belongs here, such as sys.null");
	while (!r->failed && (w = word(r)).length > 0 && !kb_span_is(w, "via")) {
		if (!kb_span_pair(w, &name, &value))
			kb_model_wrong(r, w.at, "NAME=VALUE or 'via' belongs here");
		else
			check_value(r, value);
		quantity->row.length = (size_t)(w.at + w.length - quantity->row.at);
	}
	if (w.length == 0 || r->failed)
		return;
	quantity->carrier = word(r);
	if (quantity->carrier.length == 0)
		kb_model_wrong(r, r->at, "behind 'via' a word says what carries it");
	w = word(r);
	if (w.length > 0)
		kb_model_wrong(r, w.at, "one word too many");
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
	read_row(r, &whole);
	add_quantity(r, whole);
}

static void read_part(struct kb_model_reader *r)
{
	struct kb_quantity part = { .name = new_name(r) };

	part.kind = r->failed ? KB_QUANTITY_TIME : quantity_kind(r);
	if (!r->failed)
		read_row(r, &part);
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
		kb_model_wrong(r, r->start, "'over' stands above the rows that use it");
	model->param = new_name(r);
	equals = word(r);
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
	struct kb_span text = rest(r, what);

	if (*count == KB_MODEL_LINES)
		kb_model_wrong(r, r->start, "more than %d such lines", KB_MODEL_LINES);
	if (!r->failed)
		lines[(*count)++] = text;
}

static void read_suspect(struct kb_model_reader *r)
{
	struct kb_model *model = r->model;
	struct kb_span side = word(r);

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
	r->model->about = rest(r, "what the model is about");
}

static void read_count(struct kb_model_reader *r)
{
	struct kb_model *model = r->model;
	struct kb_span name = word(r);
	struct kb_count count = { .quantity = KB_MODEL_QUANTITIES };

	for (unsigned i = 0; i < model->quantity_count; i++) {
		if (kb_model_equal(model->quantities[i].name, name))
			count.quantity = i;
	}
	if (count.quantity == KB_MODEL_QUANTITIES)
		kb_model_wrong(r, name.at, "no line 'part %.*s ...' stands above", (int)name.length, name.at);
	else if (model->quantities[count.quantity].kind != KB_QUANTITY_TIME)
		kb_model_wrong(r, name.at, "only times can be counted");
	if (model->count_count == KB_MODEL_QUANTITIES)
		kb_model_wrong(r, r->start, "more than %d such lines", KB_MODEL_QUANTITIES);
	count.events = rest(r, "what is counted");
	if (!r->failed)
		model->counts[model->count_count++] = count;
}

static const struct { const char *word; void (*read)(struct kb_model_reader *); } keywords[] = {
	{ "about", read_about }, { "over", read_over }, { "whole", read_whole }, { "part", read_part }, { "fit", read_fit },
	{ "predict", read_predict }, { "least", read_least }, { "most", read_most }, { "suspect", read_suspect },
	{ "note", read_note }, { "count", read_count },
};

#define KEYWORDS (sizeof keywords / sizeof keywords[0])

static void unknown_line(struct kb_model_reader *r, struct kb_span typed)
{
	char text[40];
	struct kb_nearest nearest = { .typed = text };

	snprintf(text, sizeof text, "%.*s", (int)(typed.length < 39 ? typed.length : 39), typed.at);
	for (size_t i = 0; i < KEYWORDS; i++)
		kb_nearest_offer(&nearest, keywords[i].word);
	kb_model_wrong(r, typed.at, "no line begins with '%s'%s%s", text, nearest.best ? ", did you mean " : "",
		       nearest.best ? nearest.best : "");
}

/* A '#' begins a comment at the start of a line and behind a blank. */
static const char *comment(const char *start, const char *end)
{
	for (const char *at = start; at < end; at++) {
		if (*at == '#' && (at == start || at[-1] == ' ' || at[-1] == '\t'))
			return at;
	}
	return end;
}

static void read_line(struct kb_model_reader *r, const char *start, const char *end)
{
	r->start = r->at = start;
	r->end = comment(start, end);
	while (r->end > start && (r->end[-1] == ' ' || r->end[-1] == '\t' || r->end[-1] == '\r'))
		r->end--;
	for (const char *at = start; at < r->end;) {
		struct kb_character c = kb_character_at((struct kb_span){ at, (size_t)(r->end - at) });

		if (!c.visible && c.code != '\t')
			kb_model_wrong(r, at, "a character that is no text");
		at += c.length;
	}
	kb_model_blanks(r);
	if (r->at == r->end || r->failed)
		return;

	struct kb_span first = word(r);

	for (size_t i = 0; i < KEYWORDS; i++) {
		if (kb_span_is(first, keywords[i].word)) {
			keywords[i].read(r);
			return;
		}
	}
	unknown_line(r, first);
}

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

/* A part that nobody uses is measured for nothing, and often a slip. */
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
		if (model->count_count == 0 &&
		    (kb_model_equal(part->row, model->quantities[0].row) ||
		     (part->carrier.length && kb_model_equal(part->carrier, model->quantities[0].carrier))))
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

/* Line by line; the first error ends it, as the second is often only its consequence. */
int kb_model_parse(struct kb_model *model, const char *name, const char *path, const char *text, size_t length,
		   struct kb_model_error *error)
{
	struct kb_model_reader r = { .model = model, .error = error };
	const char *at = text, *end = text + length;

	memset(model, 0, sizeof *model);
	memset(error, 0, sizeof *error);
	snprintf(model->name, sizeof model->name, "%s", name);
	model->path = path;
	model->text = (struct kb_span){ text, length };
	r.start = text;
	while (at < end && !r.failed) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		r.depth = 0;
		if (++r.line > LINES_MAX)
			kb_model_wrong(&r, at, "more than %d lines", LINES_MAX);
		else
			read_line(&r, at, line_end);
		at = newline ? newline + 1 : end;
	}
	r.line += r.line == 0;
	if (!r.failed)
		check_whole(&r);
	return r.failed ? -EINVAL : 0;
}
