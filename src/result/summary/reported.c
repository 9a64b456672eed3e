/*
 * Statistics that another program made stand for the values that it threw away. One launch of them has no interval: how far a
 * mean of one boot is off, its own standard error does not tell. Several launches have one, as all launches have.
 */
#include "result/summary/reported.h"

#include <stdlib.h>
#include <string.h>

static double read_field(struct kb_span rest, const char *key, double otherwise)
{
	char text[48];

	return kb_record_field(rest, key, text, sizeof text) < 0 ? otherwise : strtod(text, NULL);
}

void kb_reported_read(struct kb_span rest, struct kb_reported *r)
{
	r->mean = read_field(rest, "reported_mean", r->mean);
	r->sd = read_field(rest, "reported_sd", r->sd);
	r->median = read_field(rest, "reported_median", r->median);
	r->samples = read_field(rest, "reported_samples", r->samples);
}

void kb_reported_fit(const struct kb_samples *samples, struct kb_launch_fit *fit)
{
	const struct kb_reported *r = &samples->reported;

	fit->cost = r->median > 0 ? r->median : r->mean;
	fit->mean = r->mean;
	/* Never more than a record could hold: the number comes from a file. */
	fit->used = r->samples >= 1 && r->samples < 1e15 ? (size_t)r->samples : 0;
	fit->n_eff = (double)fit->used;
	fit->speaks = fit->cost > 0 && fit->cost < 1e18;
	fit->why = KB_CODE_too_few_effective;
}

void kb_reported_quantiles(const struct kb_summary *summary, double scale, struct kb_result *result)
{
	const struct kb_reported *r = summary->count == 1 ? &summary->samples[0].reported : NULL;

	if (r && summary->fits[0].speaks && r->median > 0 && result->method == KB_METHOD_REPORTED)
		result->quantile[KB_P50] = (struct kb_estimate){ .value = r->median * scale, .known = true };
}
