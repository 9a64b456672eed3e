/* See model.h. One block an instance: the eye goes down one column of numbers, and sentences on them stand below. */
#include "report/model/model.h"

#include <math.h>
#include <string.h>

#include "report/text/columns.h"
#include "report/text/number_format.h"
#include "report/text/style.h"

#define INDENT 4

void kb_format_quantity(char *text, size_t room, const struct kb_estimate *estimate, enum kb_quantity_kind kind, bool utf8)
{
	double size = estimate->known ? fabs(estimate->value) : 0;
	struct kb_scale scale = kb_scale_by_size(size);
	char number[KB_NUMBER_ROOM];

	/* Rates in powers of ten, as everywhere: bytes/ns are GB/s. */
	if (kind == KB_QUANTITY_RATE)
		scale = size >= 1 ? (struct kb_scale){ "GB/s", 1 } : (struct kb_scale){ "MB/s", 1000 };
	kb_format_estimate(number, estimate, scale.factor, utf8);
	snprintf(text, room, "%s%s%s", number, estimate->known ? " " : "", estimate->known ? scale.unit : "");
}

/* "0.188 switches": counted, so without an interval. */
static void format_count(char *text, size_t room, const struct kb_estimate *count, struct kb_span counter)
{
	if (count->known)
		snprintf(text, room, "%.3g %.*s", count->value, (int)counter.length, counter.at);
	else
		snprintf(text, room, "-");
}

/* "switch     1.07 ±0.02 us      ctx.switch token=futex" */
static void line(FILE *cells, struct kb_span name, const char *number, const char *behind)
{
	fprintf(cells, "%.*s\t%s\t%s\n", (int)name.length, name.at, number, behind);
}

static void quantity(FILE *out, const struct kb_prediction *p, unsigned i, const struct kb_style *style)
{
	const struct kb_quantity *q = &p->model->quantities[i];
	const struct kb_quantity_value *value = &p->quantities[i];
	char number[80], behind[560];

	if (q->kind == KB_QUANTITY_COUNT)
		format_count(number, sizeof number, &value->estimate, q->counter);
	else
		kb_format_quantity(number, sizeof number, &value->estimate, q->kind, style->utf8);
	snprintf(behind, sizeof behind, "%.340s%s%s", value->row, value->status == KB_OK ? "" : ", ",
		 value->status == KB_OK ? "" : kb_status_name(value->status));
	line(out, i == 0 ? (struct kb_span){ "measured", 8 } : q->name, number, behind);
}

static void expression(FILE *out, const struct kb_prediction *p, const char *name, const struct kb_estimate *value,
		       const struct kb_expression *e, const struct kb_style *style)
{
	char number[80], behind[256];

	if (!e->given)
		return;
	kb_format_quantity(number, sizeof number, value, p->model->quantities[0].kind, style->utf8);
	snprintf(behind, sizeof behind, "%.*s", (int)e->text.length, e->text.at);
	line(out, (struct kb_span){ name, strlen(name) }, number, behind);
}

static void lines(FILE *out, const struct kb_style *style, const char *word, const struct kb_span *texts, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		kb_print_sentence(out, style, INDENT, "%s: %.*s", word, (int)texts[i].length, texts[i].at);
}

/* What the deviation means, in a sentence; suspects only where something is to be explained. */
static void sentence(FILE *out, const struct kb_prediction *p, const struct kb_style *style)
{
	const struct kb_model *model = p->model;
	const struct kb_estimate *d = &p->deviation;
	bool above = d->value > 0;
	char text[512];

	switch (p->judgement) {
	case KB_JUDGED_FITS:
		snprintf(text, sizeof text, "fits: within %.0f %% of what the parts add up to", 100 * KB_MODEL_LIMIT);
		break;
	case KB_JUDGED_INTERACTION:
		snprintf(text, sizeof text, "interaction: the whole is %s what its parts add up to, and their intervals do not explain it",
			 above ? "above" : "below");
		break;
	case KB_JUDGED_UNSETTLED:
		snprintf(text, sizeof text, "unsettled: %s", !d->bounded ? "a result has no interval" :
			 d->low <= 0 && d->high >= 0 ? "the intervals are too wide to tell" :
			 above ? "above what the parts add up to, but perhaps by less than the limit" :
			 "below what the parts add up to, but perhaps by less than the limit");
		break;
	default:
		snprintf(text, sizeof text, "no number: %s", p->why);
	}
	if (p->circular)
		strncat(text, "; circular: a part is the whole, or was derived from its own carrier", sizeof text - strlen(text) - 1);
	kb_print_wrapped(out, style, INDENT, text);
	if (p->judgement == KB_JUDGED_INTERACTION)
		lines(out, style, "suspect", above ? model->above : model->below, above ? model->above_count : model->below_count);
}

/* Parts first, as in an account: then what they add up to, and what it was. */
static void instance(FILE *out, const struct kb_prediction *p, const struct kb_style *style)
{
	const struct kb_estimate *whole = &p->quantities[0].estimate;
	bool bounded = whole->known && whole->bounded;
	char name[160], number[80], estimate[KB_NUMBER_ROOM];
	struct kb_text text = kb_text_in(name, sizeof name);

	kb_model_instance_name(&text, p->model, p->instance);
	fprintf(out, "%s\n", name);
	for (unsigned i = 1; i < p->model->quantity_count; i++)
		quantity(out, p, i, style);
	expression(out, p, "predicted", &p->predicted, &p->model->predict, style);
	expression(out, p, "least", &p->least, &p->model->least, style);
	expression(out, p, "most", &p->most, &p->model->most, style);
	quantity(out, p, 0, style);
	if (p->deviation.known) {
		kb_format_estimate(estimate, &p->deviation, 100, style->utf8);
		snprintf(number, sizeof number, "%s%s %%", p->deviation.value > 0 ? "+" : "", estimate);
		line(out, (struct kb_span){ "deviation", 9 }, number, "");
	}
	sentence(out, p, style);
	/* Only what the interval proves: within it, it is not known on which side the bound is. */
	if (bounded && p->least.known && p->least.bounded && whole->high < p->least.low)
		kb_print_wrapped(out, style, INDENT, "below the least that the parts allow: one of them does better alone than with the others");
	if (bounded && p->most.known && p->most.bounded && whole->low > p->most.high)
		kb_print_wrapped(out, style, INDENT, "above the most that the parts allow: one of them is understated, or the whole goes another way");
}

void kb_model_print(FILE *out, const struct kb_model *model, const struct kb_prediction *instances, const struct kb_fit *fit,
		    const struct kb_style *style)
{
	struct kb_columns columns = { .align = "lll", .indent = INDENT };
	FILE *cells = kb_columns_open(&columns, out);

	fprintf(cells, "%.*s\n", (int)model->about.length, model->about.at);
	for (unsigned i = 0; i < kb_model_instances(model); i++)
		instance(cells, &instances[i], style);
	for (unsigned k = 0; k < model->unknown_count; k++) {
		const struct kb_unknown *unknown = &model->unknowns[k];
		char number[80];

		kb_format_quantity(number, sizeof number, &fit->unknowns[k], unknown->kind, style->utf8);
		line(cells, unknown->name, number, "fitted to all values; each is predicted from the others");
	}
	lines(cells, style, "note", model->notes, model->note_count);
	kb_columns_print(&columns, out);
}

void kb_model_print_count(FILE *out, const size_t counts[KB_JUDGEMENTS], size_t total)
{
	const char *separator = ":";

	fprintf(out, "%zu prediction%s", total, total == 1 ? "" : "s");
	for (int i = 0; i < KB_JUDGEMENTS; i++) {
		if (counts[i] > 0) {
			fprintf(out, "%s %zu %s", separator, counts[i], kb_judgement_names[i]);
			separator = ",";
		}
	}
	fputc('\n', out);
}
