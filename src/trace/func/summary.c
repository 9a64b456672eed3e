/*
 * See func.h: what the times say. The probe's own cost is measured on a function that does nothing, and both distributions
 * are shown; only their middles are subtracted, since nobody knows which null belongs to which call.
 */
#include "trace/func/func.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "trace/points/read.h"

#define CONFIDENCE 0.95
#define UNIT 1.0        /* ns: no time is told by less */

const double kb_func_quantiles[KB_FUNC_QUANTILES] = { .5, .9, .95, .99, .999 };

/* ---- one side ------------------------------------------------------------------------------------------------ */

int kb_func_side_of_times(struct kb_func_side *side, const double *ns, size_t count, double step)
{
	struct kb_trace_moments moments;
	double *sorted;

	*side = (struct kb_func_side){ .count = count, .grain = step };
	if (count == 0)
		return 0;
	sorted = kb_sorted(ns, count);
	if (!sorted)
		return -ENOMEM;
	side->spread = kb_quantile_sorted(sorted, count, .75) - kb_quantile_sorted(sorted, count, .25);
	free(sorted);
	kb_trace_moments_of(&moments, ns, count);
	side->min = moments.min;
	side->max = moments.max;
	side->sd = moments.sd;
	side->mean = kb_mean_interval(ns, count, CONFIDENCE, step > UNIT ? step : UNIT);
	kb_quantile_intervals(ns, count, kb_func_quantiles, KB_FUNC_QUANTILES, CONFIDENCE, side->quantiles);
	return 0;
}

/* The bin that the value of this rank is in, as a fraction of all. */
static uint32_t bin_at(const struct kb_func_tally *tally, double p)
{
	double rank = p * (double)(tally->count - 1);
	uint64_t below = 0;

	for (uint32_t bin = 0; bin < KB_FUNC_BINS; bin++) {
		below += tally->bins[bin];
		if ((double)below > rank)
			return bin;
	}
	return KB_FUNC_BINS - 1;
}

static double width_of(uint32_t bin)
{
	return (double)(kb_func_bin_start(bin + 1) - kb_func_bin_start(bin));
}

/* The middle of its bin, within what there was. */
static double tally_quantile(const struct kb_func_tally *tally, double p)
{
	uint32_t bin = bin_at(tally, p);
	double middle = (double)kb_func_bin_start(bin) + (width_of(bin) - 1) / 2;

	return fmin(fmax(middle, (double)tally->shortest), (double)tally->longest);
}

/* Without their order nobody knows how much calls that follow each other are alike: intervals are those of processes, if of any. */
static struct kb_interval only(double value)
{
	return (struct kb_interval){ .value = value, .low = value, .high = value, .why = KB_CODE_too_few_effective };
}

static void side_of_tally(struct kb_func_side *side, const struct kb_func_tally *tally, double step)
{
	double width = tally->count ? width_of(bin_at(tally, .5)) : 1;

	*side = (struct kb_func_side){ .count = tally->count, .grain = step + width - 1 };
	if (tally->count == 0)
		return;
	side->min = (double)tally->shortest;
	side->max = (double)tally->longest;
	side->sd = NAN;
	side->spread = tally_quantile(tally, .75) - tally_quantile(tally, .25);
	side->mean = only((double)tally->sum / (double)tally->count);
	for (int i = 0; i < KB_FUNC_QUANTILES; i++)
		side->quantiles[i] = only(tally_quantile(tally, kb_func_quantiles[i]));
}

static int side_of_tallies(struct kb_func_side *side, const struct kb_func_log *log, bool clean, double step)
{
	struct kb_func_tally *all = calloc(1, sizeof *all);

	if (!all)
		return -ENOMEM;
	kb_func_tally_add(all, &log->tallies[0]);
	if (!clean)
		kb_func_tally_add(all, &log->tallies[1]);
	side_of_tally(side, all, step);
	free(all);
	return 0;
}

int kb_func_side_of(struct kb_func_side *side, const struct kb_func_log *log, unsigned without, double step)
{
	double *ns;
	size_t count = 0;
	int error;

	if (log->tallies)
		return side_of_tallies(side, log, without != 0, step);
	ns = malloc((log->count + 1) * sizeof *ns);
	if (!ns)
		return -ENOMEM;
	for (size_t i = 0; i < log->count; i++) {
		if (!(log->pairs[i].flags & without))
			ns[count++] = (double)log->pairs[i].ns;
	}
	error = kb_func_side_of_times(side, ns, count, step);
	free(ns);
	return error;
}

/* ---- call - null --------------------------------------------------------------------------------------------- */

static struct kb_interval widened(struct kb_interval interval, double by)
{
	interval.low -= by;
	interval.high += by;
	return interval;
}

/* Two independent estimates: their errors add as squares. What the null function moved by while the calls ran, no statistics
   knows: half of it lies on either side. Nor does it know what the clock's steps hide. */
static struct kb_interval difference(const struct kb_interval *call, const struct kb_interval *null, double unknown)
{
	struct kb_interval net = {
		.value = call->value - null->value, .n_eff = fmin(call->n_eff, null->n_eff), .why = KB_CODE_COUNT
	};

	net.known = call->known && null->known;
	if (!call->known)
		net.why = call->why;
	else if (!null->known)
		net.why = null->why;
	net.low = net.value - hypot(call->value - call->low, null->high - null->value);
	net.high = net.value + hypot(call->high - call->value, null->value - null->low);
	return widened(net, unknown);
}

static double grain_of(const struct kb_func_side *call, const struct kb_func_side *null)
{
	return (call->grain + null->grain) / 2;
}

static struct kb_func_net net_of_one(const struct kb_func_side *call, const struct kb_func_side *null, double drift)
{
	if (call->count == 0)
		return (struct kb_func_net){ 0 };
	return (struct kb_func_net){
		difference(&call->quantiles[0], &null->quantiles[0], drift / 2 + grain_of(call, null)),
		difference(&call->mean, &null->mean, drift / 2),
	};
}

/* Of the null function right before and right behind: both, or the one that there is. */
static double null_of(const struct kb_func_process *process, double before, double behind)
{
	return process->before.count == 0 ? behind : process->behind.count == 0 ? before : (before + behind) / 2;
}

static const struct kb_func_side *side_of(const struct kb_func_process *process, bool clean)
{
	return clean ? &process->clean : &process->call;
}

/* Differences of the processes that have both, *medians and *means; how many they are. */
static unsigned differences(const struct kb_func_process *processes, unsigned count, bool clean, double *medians, double *means)
{
	unsigned used = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct kb_func_process *process = &processes[i];
		const struct kb_func_side *call = side_of(process, clean);

		if (call->count == 0 || process->before.count + process->behind.count == 0)
			continue;
		medians[used] = call->quantiles[0].value -
				null_of(process, process->before.quantiles[0].value, process->behind.quantiles[0].value);
		means[used++] = call->mean.value - null_of(process, process->before.mean.value, process->behind.mean.value);
	}
	return used;
}

static struct kb_func_net net_of(const struct kb_func_summary *summary, const struct kb_func_process *processes, unsigned count, bool clean)
{
	const struct kb_func_side *call = clean ? &summary->clean : &summary->call;
	double medians[KB_FUNC_PROCESSES_MAX], means[KB_FUNC_PROCESSES_MAX];
	unsigned used = differences(processes, count, clean, medians, means);

	if (used < 2)
		return net_of_one(call, &summary->null, summary->drift);
	return (struct kb_func_net){
		widened(kb_t_interval(medians, used, CONFIDENCE), grain_of(call, &summary->null)),
		kb_t_interval(means, used, CONFIDENCE),
	};
}

static double largest_drift(const struct kb_func_process *processes, unsigned count)
{
	double largest = 0;

	for (unsigned i = 0; i < count; i++) {
		const struct kb_func_side *before = &processes[i].before, *behind = &processes[i].behind;

		if (before->count > 0 && behind->count > 0)
			largest = fmax(largest, fabs(before->quantiles[0].value - behind->quantiles[0].value));
	}
	return largest;
}

/* Quantiles of one side, as they are printed. */
static void widen_side(struct kb_func_side *side)
{
	for (int i = 0; i < KB_FUNC_QUANTILES; i++)
		side->quantiles[i] = widened(side->quantiles[i], side->grain / 2);
}

void kb_func_summarise(struct kb_func_summary *summary, const struct kb_func_process *processes, unsigned count, double step)
{
	summary->drift = largest_drift(processes, count);
	if (summary->null.count > 0 && summary->call.count > 0) {
		summary->net = net_of(summary, processes, count, false);
		summary->net_clean = net_of(summary, processes, count, true);
		summary->resolution = fmax(2 * summary->null.spread, fmax(step, UNIT));
		summary->resolved = summary->net.median.value >= summary->resolution;
	}
	widen_side(&summary->call);
	widen_side(&summary->clean);
	widen_side(&summary->null);
}
