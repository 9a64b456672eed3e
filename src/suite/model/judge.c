/*
 * Measured and predicted, and what the deviation means. A model with unknowns is linear in them; they come from a line
 * through all instances, but each instance is predicted by the line through the others.
 */
#include "suite/model/fit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The first reason stays: what follows from it is less. */
static void tell(struct kb_prediction *p, const char *reason)
{
	if (!p->why[0])
		snprintf(p->why, sizeof p->why, "%s", reason);
}

/* One result without a number leaves nothing to predict from, or nothing to compare with. */
static bool all_known(struct kb_prediction *p)
{
	for (unsigned i = 0; i < p->model->quantity_count; i++) {
		const struct kb_quantity_value *q = &p->quantities[i];

		if (!q->estimate.known) {
			snprintf(p->why, sizeof p->why, "%.100s: %s", q->row, q->why[0] ? q->why : "no number");
			return false;
		}
	}
	return true;
}

/* Different words may mean one result: only now, with all parameters, it can be seen. */
static bool is_circular(const struct kb_prediction *p)
{
	bool circular = p->model->circular;

	for (unsigned i = 1; i < p->model->quantity_count; i++)
		circular |= strcmp(p->quantities[i].row, p->quantities[0].row) == 0;
	return circular;
}

/* What expressions are evaluated with; same: the first quantity that is the same result. */
struct inputs {
	struct kb_estimate estimates[KB_MODEL_QUANTITIES];
	unsigned same[KB_MODEL_QUANTITIES];
};

static struct inputs inputs_of(const struct kb_prediction *p)
{
	struct inputs in;

	for (unsigned i = 0; i < p->model->quantity_count; i++) {
		in.estimates[i] = p->quantities[i].estimate;
		for (in.same[i] = 0; in.same[i] < i; in.same[i]++) {
			if (p->model->quantities[i].kind == p->model->quantities[in.same[i]].kind &&
			    strcmp(p->quantities[i].row, p->quantities[in.same[i]].row) == 0)
				break;
		}
	}
	return in;
}

static struct kb_dual evaluate(const struct kb_prediction *p, const struct kb_expression *expression, const struct inputs *in,
			       const double *unknowns)
{
	static const double zero[KB_MODEL_UNKNOWNS];

	return kb_model_evaluate(p->model, expression, p->instance, in->estimates, unknowns ? unknowns : zero);
}

/* The parser has seen to it that bounds have no unknowns. */
static struct kb_estimate bound(const struct kb_prediction *p, const struct kb_expression *expression, const struct inputs *in)
{
	if (!expression->given)
		return (struct kb_estimate){ .known = false };

	struct kb_dual dual = evaluate(p, expression, in, NULL);

	return kb_model_spread(p->model, &dual, in->estimates, in->same);
}

static void conclude(struct kb_prediction *p)
{
	const struct kb_estimate *d = &p->deviation;

	p->judgement = KB_JUDGED_NOT;
	if (p->why[0])
		return;
	/* A cost of zero or less is no cost: the model is not one of these parts. */
	if (!p->predicted.known || p->predicted.value <= 0 || !d->known)
		tell(p, "the prediction is not a positive number");
	else if (d->bounded && d->low >= -KB_MODEL_LIMIT && d->high <= KB_MODEL_LIMIT)
		p->judgement = KB_JUDGED_FITS;
	else if (d->bounded && fabs(d->value) > KB_MODEL_LIMIT && (d->low > 0 || d->high < 0))
		p->judgement = KB_JUDGED_INTERACTION;
	else
		p->judgement = KB_JUDGED_UNSETTLED;
}

/* ---- without unknowns ------------------------------------------------------------------------------------ */

/* The deviation is W/P - 1 as a dual: the whole is quantity 0, and it may stand among the parts, too. */
static void judge_direct(struct kb_prediction *p)
{
	struct inputs in = inputs_of(p);
	struct kb_dual predicted = evaluate(p, &p->model->predict, &in, NULL), d;
	double whole = in.estimates[0].value, f = predicted.value;

	p->predicted = kb_model_spread(p->model, &predicted, in.estimates, in.same);
	p->least = bound(p, &p->model->least, &in);
	p->most = bound(p, &p->model->most, &in);
	d.value = whole / f - 1;
	for (unsigned i = 0; i < KB_MODEL_SLOPES; i++)
		d.slope[i] = -whole / (f * f) * predicted.slope[i];
	d.slope[0] += 1 / f;
	p->deviation = kb_model_spread(p->model, &d, in.estimates, in.same);
}

/* ---- with unknowns --------------------------------------------------------------------------------------- */

/* Whether the prediction is at these unknowns what its slopes at 0 predict. */
static bool straight(const struct kb_prediction *p, const struct inputs *in, const struct kb_dual *at_zero, const double *unknowns)
{
	double sum = at_zero->value, size = fabs(sum);

	for (unsigned k = 0; k < p->model->unknown_count; k++) {
		sum += at_zero->slope[KB_MODEL_QUANTITIES + k] * unknowns[k];
		size += fabs(at_zero->slope[KB_MODEL_QUANTITIES + k] * unknowns[k]);
	}
	return fabs(evaluate(p, &p->model->predict, in, unknowns).value - sum) <= 1e-9 * size;
}

/* The instance as a point of the line. In two orders, for min and max are straight in one of them. */
static struct kb_fit_point point_of(struct kb_prediction *p)
{
	static const double orders[2][KB_MODEL_UNKNOWNS] = { { 1, 2, 3, 4 }, { 4, 3, 2, 1 } };
	struct kb_fit_point point = { .usable = p->why[0] == '\0' };

	if (!point.usable)
		return point;

	struct inputs in = inputs_of(p);
	struct kb_dual at_zero = evaluate(p, &p->model->predict, &in, NULL);

	for (unsigned k = 0; k < p->model->unknown_count; k++)
		point.x[k] = at_zero.slope[KB_MODEL_QUANTITIES + k];
	if (!straight(p, &in, &at_zero, orders[0]) || !straight(p, &in, &at_zero, orders[1])) {
		tell(p, "the prediction is no straight line in what is to be fitted");
		point.usable = false;
	}
	point.fixed = kb_model_spread(p->model, &at_zero, in.estimates, in.same);
	point.whole = in.estimates[0];
	return point;
}

/* Whole and prediction have nothing in common here: the line is that of other results. */
static void judge_apart(struct kb_prediction *p)
{
	const struct kb_estimate *w = &p->quantities[0].estimate, *f = &p->predicted;
	double by_whole = (w->high - w->low) / 2 / f->value, by_line = w->value * (f->high - f->low) / 2 / (f->value * f->value);
	double half = hypot(by_whole, by_line), value = w->value / f->value - 1;

	p->deviation = (struct kb_estimate){ value, value - half, value + half, isfinite(value), w->bounded && f->bounded };
}

static void judge_fit(const struct kb_model *model, struct kb_prediction *instances, struct kb_fit *fit)
{
	struct kb_fit_point points[KB_MODEL_VALUES];
	unsigned count = kb_model_instances(model);

	for (unsigned i = 0; i < count; i++)
		points[i] = point_of(&instances[i]);
	kb_fit_unknowns(points, count, model->unknown_count, fit);
	for (unsigned i = 0; i < count; i++) {
		if (instances[i].why[0])
			continue;
		instances[i].predicted = kb_fit_predict(points, count, model->unknown_count, i);
		if (!instances[i].predicted.known)
			tell(&instances[i], "too few other values have a number for a fit");
		else
			judge_apart(&instances[i]);
	}
}

void kb_model_judge(const struct kb_model *model, struct kb_prediction *instances, struct kb_fit *fit)
{
	unsigned count = kb_model_instances(model);

	memset(fit, 0, sizeof *fit);
	for (unsigned i = 0; i < count; i++) {
		struct kb_prediction *p = &instances[i];

		p->circular = is_circular(p);
		if (all_known(p) && !model->unknown_count)
			judge_direct(p);
	}
	if (model->unknown_count)
		judge_fit(model, instances, fit);
	for (unsigned i = 0; i < count; i++)
		conclude(&instances[i]);
}

/* ---- counts ---------------------------------------------------------------------------------------------- */

int kb_model_pays(const struct kb_model *model, const char *event)
{
	int others = -1;

	for (unsigned i = 0; i < model->count_count; i++) {
		struct kb_span left = model->counts[i].events, w;

		while ((w = kb_span_word(&left)).length > 0) {
			if (kb_span_is(w, event))
				return (int)model->counts[i].quantity;
			if (kb_span_is(w, "*"))
				others = (int)model->counts[i].quantity;
		}
	}
	return event[0] == '@' ? -1 : others;
}

/* Counts are exact, costs are not. */
struct kb_estimate kb_model_total(const struct kb_model *model, const struct kb_quantity_value *values, const double *counts)
{
	struct inputs in;
	struct kb_dual sum = { .value = 0 };

	for (unsigned i = 0; i < model->quantity_count; i++) {
		in.estimates[i] = values[i].estimate;
		in.same[i] = i;
		if (counts[i] == 0)
			continue;
		if (!in.estimates[i].known)
			return (struct kb_estimate){ .known = false };
		sum.value += counts[i] * in.estimates[i].value;
		sum.slope[i] = counts[i];
	}
	return kb_model_spread(model, &sum, in.estimates, in.same);
}
