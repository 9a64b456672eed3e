/*
 * The annotations of a benchmark on its observations, and the pairs of method paired. A refuted observation is in none of the arrays,
 * so no estimator can forget to leave it out; but it has its place in its pair until those are made.
 */
#define _GNU_SOURCE
#include "result/samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/parts.h"

const struct kb_points *kb_cost_points(const struct kb_samples *samples)
{
	return samples->method == KB_METHOD_PAIRED ? &samples->pairs : &samples->op;
}

/* ---- what was said ------------------------------------------------------------------------------- */

const struct kb_covariate_values *kb_samples_covariate(const struct kb_samples *samples, const char *name)
{
	for (unsigned i = 0; i < samples->covariate_count; i++) {
		if (!strcmp(samples->covariates[i].name, name))
			return &samples->covariates[i];
	}
	return NULL;
}

/* x.NAME=NUMBER; what is no number was not written by a collector of ours. Nor is a name that is too long, or one more than there may be. */
static int take_covariate(struct kb_samples *samples, struct kb_span key, struct kb_span value)
{
	struct kb_covariate_values *at = samples->covariates, *end = at + samples->covariate_count;
	struct kb_span name = { key.at + 2, key.length - 2 };
	char text[48], *rest;

	if (!kb_span_starts(key, "x.") || kb_span_unquote(value, text, sizeof text) <= 0)
		return 0;
	double number = strtod(text, &rest);

	if (*rest || !isfinite(number))
		return 0;
	while (at < end && !kb_span_is(name, at->name))
		at++;
	if (at == end) {
		if (samples->covariate_count == KB_COVARIATES || name.length == 0 || name.length >= sizeof at->name)
			return 0;
		*at = (struct kb_covariate_values){ .count = 0 };
		memcpy(at->name, name.at, name.length);
		samples->covariate_count++;
	}
	return kb_samples_append(&at->values, &at->count, number);
}

int kb_samples_annotate(struct kb_samples *samples, const struct kb_obs *obs)
{
	struct kb_span rest = obs->extra, word, key, value;
	int error = 0;

	if (obs->flags & KB_FLAG_REFUTED) {
		/* Of a group only the last one has the words. */
		samples->refuted++;
		if (!samples->refuted_text[0] &&
		    kb_record_field(obs->extra, "refuted", samples->refuted_text, sizeof samples->refuted_text) < 0)
			samples->refuted_text[0] = '\0';
		return 0;
	}
	while (!error && (word = kb_span_word(&rest)).length > 0) {
		if (kb_span_pair(word, &key, &value))
			error = take_covariate(samples, key, value);
	}
	return error;
}

/* ---- pairs --------------------------------------------------------------------------------------- */

static int add_pair(struct kb_points *pairs, const struct kb_points *op, size_t i, const struct kb_points *beside, size_t k)
{
	struct kb_obs obs = { .n = (uint64_t)op->n[i], .block = op->block[i], .flags = op->flags[i] | beside->flags[k] };
	int error = (obs.flags & KB_FLAG_REFUTED) ? 0 : kb_points_add(pairs, &obs);

	if (error || (obs.flags & KB_FLAG_REFUTED))
		return error;
	pairs->ticks[pairs->count - 1] = op->ticks[i] - beside->ticks[k];
	pairs->t[pairs->count - 1] = op->t[i];
	/* Of the two samples the later one: the probe between them is behind one and before the other. */
	pairs->probe[pairs->count - 1] = op->probe[i] > beside->probe[k] ? op->probe[i] : beside->probe[k];
	return 0;
}

/* The i-th sample of op in a block belongs to the block's i-th one of the other kind: base, else empty clock pairs. */
static int make_pairs(struct kb_samples *samples)
{
	const struct kb_points *op = &samples->op, *beside = samples->base.count > 0 ? &samples->base : &samples->empty;
	size_t i = 0, k = 0;
	int error = 0;

	while (!error && i < op->count && k < beside->count) {
		if (op->block[i] == beside->block[k])
			error = add_pair(&samples->pairs, op, i++, beside, k++);
		else if (op->block[i] < beside->block[k])
			i++;
		else
			k++;
	}
	return error;
}

static void drop_refuted(struct kb_points *points)
{
	size_t kept = 0;

	for (size_t i = 0; i < points->count; i++) {
		if (points->flags[i] & KB_FLAG_REFUTED)
			continue;
		points->n[kept] = points->n[i];
		points->ticks[kept] = points->ticks[i];
		points->twin[kept] = points->twin[i];
		points->t[kept] = points->t[i];
		points->probe[kept] = points->probe[i];
		points->block[kept] = points->block[i];
		points->flags[kept++] = points->flags[i];
	}
	points->count = kept;
}

int kb_samples_settle(struct kb_samples *samples)
{
	int error = samples->method == KB_METHOD_PAIRED ? make_pairs(samples) : 0;

	if (samples->parts_differ)
		kb_parts_free(samples);
	drop_refuted(&samples->op);
	for (unsigned i = 0; i < samples->part_count; i++)
		drop_refuted(&samples->parts[i]);
	drop_refuted(&samples->single);
	return error;
}
