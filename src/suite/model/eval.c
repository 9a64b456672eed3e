/*
 * What an expression comes to: forward differentiation, so that the slopes for the intervals are exact and a function
 * needs no more than its own rule.
 */
#include "suite/model/model.h"

#include <math.h>

static struct kb_dual constant(double value)
{
	return (struct kb_dual){ .value = value };
}

static struct kb_dual variable(double value, unsigned index)
{
	struct kb_dual dual = constant(value);

	dual.slope[index] = 1;
	return dual;
}

/* value, and a*da + b*db as slopes: the chain rule for all of them. */
static struct kb_dual combine(double value, const struct kb_dual *a, double da, const struct kb_dual *b, double db)
{
	struct kb_dual dual = { .value = value };

	for (unsigned i = 0; i < KB_MODEL_SLOPES; i++) {
		/* A slope of 0 stays 0 with a factor that is not finite: the quantity has no part in it. */
		dual.slope[i] = (a->slope[i] != 0 ? a->slope[i] * da : 0) + (b->slope[i] != 0 ? b->slope[i] * db : 0);
	}
	return dual;
}

struct evaluation {
	const struct kb_model *model;
	unsigned instance;
	const struct kb_estimate *quantities;
	const double *unknowns;
};

static struct kb_dual evaluate(const struct evaluation *e, unsigned index);

/* n / (1/x1 + ... + 1/xn); its slope for xi is m^2 / (n xi^2). */
static struct kb_dual harmonic(const struct evaluation *e, unsigned index)
{
	const struct kb_node *nodes = e->model->nodes;
	struct kb_dual sum = constant(0), none = constant(0);
	unsigned n = 0, link;

	do {
		struct kb_dual x = evaluate(e, nodes[link = index].a);

		sum = combine(sum.value + 1 / x.value, &sum, 1, &x, -1 / (x.value * x.value));
		n++;
		index = nodes[link].b;
	} while (index != link);
	return combine(n / sum.value, &sum, -(double)n / (sum.value * sum.value), &none, 0);
}

/* The slope is that of the one that is taken: near a tie the interval of the other is not seen. */
static struct kb_dual extreme(const struct evaluation *e, unsigned index, bool most)
{
	const struct kb_node *nodes = e->model->nodes;
	struct kb_dual best = evaluate(e, nodes[index].a);

	for (unsigned link = index; nodes[link].b != link;) {
		link = nodes[link].b;

		struct kb_dual x = evaluate(e, nodes[link].a);

		if (most ? x.value > best.value : x.value < best.value)
			best = x;
	}
	return best;
}

/* Dividing by 0 gives an infinity, which spreads to the result and is refused there. */
static struct kb_dual operation(const struct kb_node *node, const struct kb_dual *a, const struct kb_dual *b)
{
	switch (node->kind) {
	case KB_NODE_ADD: return combine(a->value + b->value, a, 1, b, 1);
	case KB_NODE_SUBTRACT: return combine(a->value - b->value, a, 1, b, -1);
	case KB_NODE_MULTIPLY: return combine(a->value * b->value, a, b->value, b, a->value);
	default: return combine(a->value / b->value, a, 1 / b->value, b, -a->value / (b->value * b->value));
	}
}

/* As deep as the text is, which the parser has limited. */
static struct kb_dual evaluate(const struct evaluation *e, unsigned index)
{
	const struct kb_node *node = &e->model->nodes[index];
	struct kb_dual a, b;
	uint64_t number = 0;

	switch (node->kind) {
	case KB_NODE_NUMBER: return constant(node->number);
	case KB_NODE_PARAM:
		kb_model_number(e->model, e->instance, &number);
		return constant((double)number);
	case KB_NODE_QUANTITY: return variable(e->quantities[node->index].value, node->index);
	case KB_NODE_UNKNOWN: return variable(e->unknowns[node->index], KB_MODEL_QUANTITIES + node->index);
	case KB_NODE_MIN: return extreme(e, index, false);
	case KB_NODE_MAX: return extreme(e, index, true);
	case KB_NODE_HARMONIC: return harmonic(e, index);
	case KB_NODE_NEGATE:
		a = evaluate(e, node->a);
		b = constant(0);
		return combine(-a.value, &a, -1, &b, 0);
	default:
		a = evaluate(e, node->a);
		b = evaluate(e, node->b);
		return operation(node, &a, &b);
	}
}

struct kb_dual kb_model_evaluate(const struct kb_model *model, const struct kb_expression *expression, unsigned instance,
				 const struct kb_estimate *quantities, const double *unknowns)
{
	struct evaluation e = { model, instance, quantities, unknowns };

	return evaluate(&e, expression->root);
}

struct kb_estimate kb_model_spread(const struct kb_model *model, const struct kb_dual *dual,
				   const struct kb_estimate *quantities, const unsigned *same)
{
	struct kb_estimate result = { .value = dual->value, .known = isfinite(dual->value), .bounded = true };
	double slope[KB_MODEL_QUANTITIES] = { 0 }, size[KB_MODEL_QUANTITIES] = { 0 }, up = 0, down = 0;

	for (unsigned i = 0; i < model->quantity_count; i++) {
		slope[same[i]] += dual->slope[i];
		size[same[i]] += fabs(dual->slope[i]);
	}
	for (unsigned i = 0; i < model->quantity_count; i++) {
		const struct kb_estimate *q = &quantities[i];
		double above = slope[i] * (q->high - q->value), below = slope[i] * (q->value - q->low);

		/* What cancels leaves the last bits of what it was made of. */
		if (fabs(slope[i]) <= 1e-12 * size[i])
			continue;
		result.bounded = result.bounded && q->bounded;
		up += slope[i] > 0 ? above * above : below * below;
		down += slope[i] > 0 ? below * below : above * above;
	}
	result.low = result.value - sqrt(down);
	result.high = result.value + sqrt(up);
	result.bounded = result.bounded && isfinite(result.low) && isfinite(result.high);
	return result;
}
