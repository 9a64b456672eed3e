/*
 * Measured and predicted, and what the deviation means. A model with unknowns is linear in them; they come from a line
 * through all instances, but each instance is predicted by the line through the others.
 */
#include "suite/model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "stats/stats.h"

#define NORMAL 1.959964         /* half of a 95 % interval in standard deviations */

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

/* ---- a line through instances ------------------------------------------------------------------------------ */

/*
 * Weighted least squares. Weights come from the intervals; where the points scatter more than those explain, the line is not quite
 * straight, and the errors grow by what the scatter shows (chi squared over its degrees of freedom) with Student's t.
 */
/* One instance: whole = fixed + sum over k of unknown[k] x[k]. */
struct point {
	bool usable;
	double x[KB_MODEL_UNKNOWNS];
	struct kb_estimate fixed, whole;
};

typedef double matrix[KB_MODEL_UNKNOWNS][KB_MODEL_UNKNOWNS];

struct solution {
	double u[KB_MODEL_UNKNOWNS];
	matrix covariance;
	double factor;                  /* from standard deviations to half of the interval */
	bool known, bounded;
};

static double half_width(const struct kb_estimate *e)
{
	return e->bounded ? (e->high - e->low) / 2 : 0;
}

static double target(const struct point *point)
{
	return point->whole.value - point->fixed.value;
}

/* Standard deviation; 0 where an interval is missing. */
static double deviation_of(const struct point *point)
{
	if (!point->whole.bounded || !point->fixed.bounded)
		return 0;
	return hypot(half_width(&point->whole), half_width(&point->fixed)) / NORMAL;
}

/* Gauss and Jordan with pivots. False: the columns are not independent. */
static bool invert(matrix m, unsigned n)
{
	matrix inverse = { { 0 } };

	for (unsigned i = 0; i < n; i++)
		inverse[i][i] = 1;
	for (unsigned c = 0; c < n; c++) {
		unsigned pivot = c;

		for (unsigned r = c; r < n; r++)
			pivot = fabs(m[r][c]) > fabs(m[pivot][c]) ? r : pivot;

		double by = m[pivot][c];

		if (!(fabs(by) > 1e-9))
			return false;
		for (unsigned k = 0; k < n; k++) {
			double a = m[pivot][k] / by, b = inverse[pivot][k] / by;

			m[pivot][k] = m[c][k], m[c][k] = a;
			inverse[pivot][k] = inverse[c][k], inverse[c][k] = b;
		}
		for (unsigned r = 0; r < n; r++) {
			double times = r == c ? 0 : m[r][c];

			for (unsigned k = 0; k < n; k++) {
				m[r][k] -= times * m[c][k];
				inverse[r][k] -= times * inverse[c][k];
			}
		}
	}
	memcpy(m, inverse, sizeof inverse);
	return true;
}

static double predicted(const struct solution *s, const struct point *point, unsigned unknowns)
{
	double y = 0;

	for (unsigned k = 0; k < unknowns; k++)
		y += s->u[k] * point->x[k];
	return y;
}

/* s: the smallest deviation; 0: one is missing, and all points weigh the same. */
static double weight(const struct point *point, double s)
{
	return s > 0 ? s * s / (deviation_of(point) * deviation_of(point)) : 1;
}

/* The errors of the unknowns, by the intervals, or by the scatter where that is more. */
static void errors(struct solution *solution, const struct point *points, unsigned count, unsigned unknowns, double s,
		   const double *scale)
{
	double scatter = 0, df = (double)count - unknowns, variance = s * s;

	for (unsigned i = 0; i < count; i++) {
		double r = target(&points[i]) - predicted(solution, &points[i], unknowns);

		scatter += weight(&points[i], s) * r * r;
	}
	solution->factor = NORMAL;
	if (df > 0 && scatter / df > variance) {
		variance = scatter / df;
		solution->factor = kb_t_quantile(0.975, df);
	}
	solution->bounded = s > 0 || df > 0;
	for (unsigned k = 0; k < unknowns; k++) {
		for (unsigned l = 0; l < unknowns; l++)
			solution->covariance[k][l] *= variance / (scale[k] * scale[l]);
	}
}

static struct solution solve(const struct point *all, unsigned count, unsigned unknowns, unsigned left_out)
{
	struct solution solution = { .known = false };
	struct point points[KB_MODEL_VALUES] = { { .usable = false } };
	double scale[KB_MODEL_UNKNOWNS] = { 0 }, right[KB_MODEL_UNKNOWNS] = { 0 }, s = INFINITY;
	unsigned used = 0;

	for (unsigned i = 0; i < count; i++) {
		if (!all[i].usable || i == left_out)
			continue;
		points[used++] = all[i];
		s = fmin(s, deviation_of(&all[i]));
		/* Columns are scaled to at most 1, for invert() to tell what is small. */
		for (unsigned k = 0; k < unknowns; k++)
			scale[k] = fmax(scale[k], fabs(all[i].x[k]));
	}
	if (used == 0)
		return solution;
	for (unsigned k = 0; k < unknowns; k++)
		scale[k] = scale[k] > 0 ? scale[k] : 1;
	for (unsigned i = 0; i < used; i++) {
		for (unsigned k = 0; k < unknowns; k++) {
			double xk = points[i].x[k] / scale[k] * weight(&points[i], s);

			right[k] += xk * target(&points[i]);
			for (unsigned l = 0; l < unknowns; l++)
				solution.covariance[k][l] += xk * points[i].x[l] / scale[l];
		}
	}
	if (!invert(solution.covariance, unknowns))
		return solution;
	solution.known = true;
	for (unsigned k = 0; k < unknowns; k++) {
		for (unsigned l = 0; l < unknowns; l++)
			solution.u[k] += solution.covariance[k][l] * right[l] / scale[k];
	}
	errors(&solution, points, used, unknowns, s, scale);
	return solution;
}

static struct kb_estimate around(double value, double half, const struct solution *s)
{
	return (struct kb_estimate){ value, value - half, value + half, s->known && isfinite(value), s->bounded && isfinite(half) };
}

/* The point left out by the line through all others. */
static struct kb_estimate predict_left_out(const struct point *points, unsigned count, unsigned unknowns, unsigned left_out)
{
	const struct point *point = &points[left_out];
	struct solution s = solve(points, count, unknowns, left_out);
	double variance = 0;

	if (!s.known)
		return (struct kb_estimate){ .known = false };
	for (unsigned k = 0; k < unknowns; k++) {
		for (unsigned l = 0; l < unknowns; l++)
			variance += point->x[k] * s.covariance[k][l] * point->x[l];
	}
	double half = hypot(s.factor * sqrt(fmax(variance, 0)), half_width(&point->fixed));

	return around(predicted(&s, point, unknowns) + point->fixed.value, half, &s);
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
static struct point point_of(struct kb_prediction *p)
{
	static const double orders[2][KB_MODEL_UNKNOWNS] = { { 1, 2, 3, 4 }, { 4, 3, 2, 1 } };
	struct point point = { .usable = p->why[0] == '\0' };

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

static void judge_fit(const struct kb_model *model, struct kb_prediction *instances, struct kb_fit *fit)
{
	struct point points[KB_MODEL_VALUES] = { { .usable = false } };
	unsigned count = kb_model_instances(model);

	for (unsigned i = 0; i < count; i++)
		points[i] = point_of(&instances[i]);
	/* From all usable points; unknown where they are too few, or do not tell the unknowns apart. */
	struct solution s = solve(points, count, model->unknown_count, count);

	for (unsigned k = 0; k < model->unknown_count && s.known; k++)
		fit->unknowns[k] = around(s.u[k], s.factor * sqrt(s.covariance[k][k]), &s);
	for (unsigned i = 0; i < count; i++) {
		const struct kb_estimate *w = &instances[i].quantities[0].estimate, *f = &instances[i].predicted;

		if (instances[i].why[0])
			continue;
		instances[i].predicted = predict_left_out(points, count, model->unknown_count, i);
		if (!f->known) {
			tell(&instances[i], "too few other values have a number for a fit");
			continue;
		}
		/* Whole and prediction have nothing in common here: the line is that of other results. */
		double by_whole = (w->high - w->low) / 2 / f->value, by_line = w->value * (f->high - f->low) / 2 / (f->value * f->value);
		double half = hypot(by_whole, by_line), value = w->value / f->value - 1;

		instances[i].deviation = (struct kb_estimate){ value, value - half, value + half, isfinite(value), w->bounded && f->bounded };
	}
}

void kb_model_judge(const struct kb_model *model, struct kb_prediction *instances, struct kb_fit *fit)
{
	unsigned count = kb_model_instances(model);

	memset(fit, 0, sizeof *fit);
	for (unsigned i = 0; i < count; i++) {
		struct kb_prediction *p = &instances[i];

		/* Different words may mean one result: only now, with all parameters, it can be seen. */
		p->circular = model->circular;
		for (unsigned k = 1; k < model->quantity_count; k++)
			p->circular |= model->quantities[k].kind != KB_QUANTITY_COUNT && !strcmp(p->quantities[k].row, p->quantities[0].row);
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
