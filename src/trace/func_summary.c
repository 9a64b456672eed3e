/*
 * See func.h: what the times say. The probe's own cost is measured on a function that does nothing, and both distributions
 * are shown; only their middles are subtracted, since nobody knows which null belongs to which call.
 */
#include "trace/func.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.95
#define CLOCK_STEP 1.0          /* ns: what the kernel's clock is told in */

const double kb_func_quantiles[KB_FUNC_QUANTILES] = { .5, .9, .95, .99, .999 };

static int fill(struct kb_func_side *side, const double *values, size_t count)
{
	double *sorted;

	if (kb_trace_moments_of(&side->moments, values, count))
		return -ENOMEM;
	if (count == 0)
		return 0;
	sorted = malloc(count * sizeof *sorted);
	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		sorted[i] = values[i];
	kb_sort(sorted, count);
	side->spread = kb_quantile_sorted(sorted, count, .75) - kb_quantile_sorted(sorted, count, .25);
	free(sorted);
	side->mean = kb_mean_interval(values, count, CONFIDENCE, CLOCK_STEP);
	kb_quantile_intervals(values, count, kb_func_quantiles, KB_FUNC_QUANTILES, CONFIDENCE, side->quantiles);
	return 0;
}

/* Two independent estimates: their errors add as squares. What the null function moved by while the calls ran, no statistics
   knows: half of it lies on either side. */
static struct kb_interval difference(const struct kb_interval *call, const struct kb_interval *null, double drift)
{
	struct kb_interval net = {
		.value = call->value - null->value, .n_eff = fmin(call->n_eff, null->n_eff), .why = KB_CODE_COUNT
	};

	net.known = call->known && null->known;
	if (!call->known)
		net.why = call->why;
	else if (!null->known)
		net.why = null->why;
	net.low = net.value - hypot(call->value - call->low, null->high - null->value) - drift / 2;
	net.high = net.value + hypot(call->high - call->value, null->value - null->low) + drift / 2;
	return net;
}

static int find_drift(const double *null, size_t count, size_t before, double *drift)
{
	double *scratch = malloc((count + 1) * sizeof *scratch);

	if (!scratch)
		return -ENOMEM;
	*drift = before == 0 || before == count
		? 0
		: fabs(kb_median(null, before, scratch) - kb_median(null + before, count - before, scratch));
	free(scratch);
	return 0;
}

int kb_func_summarise(struct kb_func_summary *summary, const double *call, size_t count, const double *null, size_t null_count,
		      size_t null_before)
{
	*summary = (struct kb_func_summary){ 0 };
	if (fill(&summary->call, call, count) || fill(&summary->null, null, null_count) ||
	    find_drift(null, null_count, null_before, &summary->drift))
		return -ENOMEM;
	if (null_count == 0 || count == 0)
		return 0;
	summary->net_median = difference(&summary->call.quantiles[0], &summary->null.quantiles[0], summary->drift);
	summary->net_mean = difference(&summary->call.mean, &summary->null.mean, summary->drift);
	summary->resolution = fmax(2 * summary->null.spread, CLOCK_STEP);
	summary->resolved = summary->net_median.value >= summary->resolution;
	return 0;
}

double *kb_func_times(const struct kb_func_log *log)
{
	double *times = malloc((log->count + 1) * sizeof *times);

	for (size_t i = 0; times && i < log->count; i++)
		times[i] = (double)log->pairs[i].ns;
	return times;
}
