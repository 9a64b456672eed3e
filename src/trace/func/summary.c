/*
 * See func.h: what the times say. The probe's own cost is measured on a function that does nothing, and both distributions
 * are shown; only their middles are subtracted, since nobody knows which null belongs to which call.
 */
#include "trace/func/func.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#define CONFIDENCE 0.95
#define CLOCK_STEP 1.0          /* ns: what the kernel's clock is told in */

const double kb_func_quantiles[KB_FUNC_QUANTILES] = { .5, .9, .95, .99, .999 };

static int fill(struct kb_func_side *side, struct kb_func_times times)
{
	const double *values = times.ns;
	size_t count = times.count;
	double *sorted;

	kb_trace_moments_of(&side->moments, values, count);
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

static struct kb_func_net net_of(const struct kb_func_side *call, const struct kb_func_side *null, double drift)
{
	if (call->moments.count == 0)
		return (struct kb_func_net){ 0 };
	return (struct kb_func_net){
		difference(&call->quantiles[0], &null->quantiles[0], drift), difference(&call->mean, &null->mean, drift),
	};
}

static int find_drift(struct kb_func_times null, size_t before, double *drift)
{
	double *scratch = malloc((null.count + 1) * sizeof *scratch);

	if (!scratch)
		return -ENOMEM;
	*drift = before == 0 || before == null.count
		? 0
		: fabs(kb_median(null.ns, before, scratch) - kb_median(null.ns + before, null.count - before, scratch));
	free(scratch);
	return 0;
}

int kb_func_summarise(struct kb_func_summary *summary, struct kb_func_times call, struct kb_func_times clean,
		      struct kb_func_times null, size_t null_before)
{
	*summary = (struct kb_func_summary){ 0 };
	if (fill(&summary->call, call) || fill(&summary->clean, clean) || fill(&summary->null, null) ||
	    find_drift(null, null_before, &summary->drift))
		return -ENOMEM;
	if (null.count == 0 || call.count == 0)
		return 0;
	summary->net = net_of(&summary->call, &summary->null, summary->drift);
	summary->net_clean = net_of(&summary->clean, &summary->null, summary->drift);
	summary->resolution = fmax(2 * summary->null.spread, CLOCK_STEP);
	summary->resolved = summary->net.median.value >= summary->resolution;
	return 0;
}

struct kb_func_times kb_func_times(const struct kb_func_log *log, unsigned without)
{
	struct kb_func_times times = { .ns = malloc((log->count + 1) * sizeof *times.ns) };

	for (size_t i = 0; times.ns && i < log->count; i++) {
		if (!(log->pairs[i].flags & without))
			times.ns[times.count++] = (double)log->pairs[i].ns;
	}
	return times;
}
