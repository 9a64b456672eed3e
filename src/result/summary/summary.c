/*
 * From the texts of all processes of a row to its result: a pure function; analysis years later is this. Intervals are over processes,
 * because these differ (memory layout, neighbours) more than the samples inside one. Uncontended, the headline is the median of the
 * processes; observed, the mean of their robust slopes.
 */
#define _GNU_SOURCE
#include "result/summary/summary.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lacking.h"
#include "result/json/environment.h"
#include "result/parts.h"
#include "result/summary/parallel.h"
#include "stats/series/series.h"

#define NARROWEST 1e-3          /* half-width over value: no interval of times is printed narrower */

/* ---- which processes are usable ------------------------------------------------------------------- */

bool kb_samples_whole(const struct kb_samples *samples)
{
	return samples->state == KB_RECORD_WHOLE && !samples->outcome[0];
}

bool kb_summary_untimed(const struct kb_summary *summary)
{
	bool untimed = false;

	for (size_t i = 0; i < summary->count; i++)
		untimed |= summary->samples[i].untimed;
	return untimed;
}

/* Alongside a neighbour that comes and goes samples depend on each other. An interval over processes wants no more of each than its cost. */
static void allow_dependent(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	fit->usable |= samples->probe > 0 && fit->why == KB_CODE_too_few_effective && fit->cost != 0;
}

/* From here on a contended sample is left out as one that an interrupt has hit is. */
static void take_clean(struct kb_summary *summary, size_t i)
{
	struct kb_process_fit *fit = &summary->fits[i];
	const struct kb_clean_fit *clean = &summary->clean[i];

	kb_contention_flag(&summary->samples[i], summary->floor);
	if (!clean->usable && summary->observed[i].usable) { /* all its samples tell a cost, too few uncontended ones do */
		summary->contended++;
		fit->why = KB_CODE_contention;
	}
	fit->usable = clean->usable;
	fit->cost = clean->cost;
	fit->cycles = clean->cycles;
	fit->mean = summary->observed[i].mean;
}

/* What another program makes of the samples that it kept stands; what we make of them is the observed cost beside it. */
static void take_reported(const struct kb_samples *samples, struct kb_process_fit *fit)
{
	if (!(samples->reported.cost > 0) || !kb_samples_whole(samples))
		return;
	fit->usable = true;
	fit->cost = samples->reported.cost;
}

/* Fits every process, twice where samples are probed: the uncontended samples, which decide whether there is an uncontended cost, and all. */
static void fit_all(struct kb_summary *summary)
{
	unsigned usable = 0;

	summary->too_long = kb_parts_measure(summary->samples, summary->count);
	for (size_t i = 0; i < summary->count; i++) {
		struct kb_samples *samples = &summary->samples[i];

		kb_contention_flag(samples, summary->floor);
		if (!isnan(samples->clean_share)) {
			kb_fit_process_in_time(samples, &summary->fits[i]);
			kb_clean_fit(samples, &summary->fits[i], &summary->clean[i]);
			usable += summary->clean[i].usable;
		}
		kb_contention_unflag(samples);
		kb_fit_process(samples, &summary->observed[i]);
		allow_dependent(samples, &summary->observed[i]);
	}
	summary->uncontended = usable >= KB_CLEAN_PROCESSES && !summary->samples[0].elsewhere && !summary->too_long;
	for (size_t i = 0; i < summary->count; i++) {
		if (summary->uncontended) {
			take_clean(summary, i);
			continue;
		}
		/* Over time only what the headline is made of: warm-up that we leave out would still be in another program's number. */
		if (summary->samples[i].reported.cost > 0)
			kb_fit_process(&summary->samples[i], &summary->fits[i]);
		else
			kb_fit_process_in_time(&summary->samples[i], &summary->fits[i]);
		allow_dependent(&summary->samples[i], &summary->fits[i]);
		take_reported(&summary->samples[i], &summary->fits[i]);
	}
}

/* ---- over processes ------------------------------------------------------------------------------- */

static struct kb_estimate estimate_of(struct kb_interval interval, double scale)
{
	return (struct kb_estimate){ interval.value * scale, interval.low * scale, interval.high * scale, true, interval.known };
}

/* A number of one process; NAN: it has none. */
typedef double number_of(const struct kb_summary *, size_t i);
typedef struct kb_interval interval_over(const double *values, size_t n, double confidence);

static struct kb_estimate over(const struct kb_summary *summary, number_of *number, interval_over *interval, double scale)
{
	double *values = malloc((summary->count + 1) * sizeof *values);
	struct kb_estimate estimate = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < summary->count && values; i++) {
		values[n] = number(summary, i);
		if (!isnan(values[n]))
			n++;
	}
	if (n > 0)
		estimate = estimate_of(interval(values, n, KB_SUMMARY_CONFIDENCE), scale);
	free(values);
	return estimate;
}

#define NUMBER(name, of, value) \
	static double name(const struct kb_summary *summary, size_t i) \
	{ \
		const struct kb_process_fit *fit = &summary->of[i]; \
		return fit->usable ? (value) : NAN; \
	}
NUMBER(clean_cost, fits, fit->cost)
NUMBER(clean_cycles, fits, fit->cycles)
NUMBER(observed_cost, observed, fit->cost)
NUMBER(observed_cycles, observed, fit->cycles)
NUMBER(plain_cost, observed, fit->mean)
NUMBER(fixed_ticks, observed, fit->op.a_robust)
NUMBER(empty_ticks, observed, fit->empty)
NUMBER(adds_per_tick, fits, fit->add > 0 ? 1 / fit->add : NAN)

/* Each process with its own: what the reference went through is what the row went through. */
NUMBER(twin_ratio, fits, summary->samples[i].twin[0] ? kb_twin_ratio(&summary->samples[i], &summary->observed[i]) : NAN)

/* Of all undisturbed single samples of the usable processes, contended ones too: what this machine gave. Of a command
   without the shell, as its cost is. Sorts what is pooled. */
static bool pool(const struct kb_summary *summary, double **ticks, size_t *count)
{
	size_t room = 1;

	for (size_t i = 0; i < summary->count; i++)
		room += summary->samples[i].op.count + summary->samples[i].single.count;
	*ticks = malloc(room * sizeof **ticks);
	*count = 0;
	for (size_t i = 0; i < summary->count && *ticks; i++) {
		const struct kb_samples *samples = &summary->samples[i];
		const struct kb_points *from = kb_methods[samples->method].one_by_one ? kb_cost_points(samples) : &samples->single;
		const double *whole = from == &samples->op ? kb_parts_observed(samples) : from->ticks;
		const unsigned *flags = from == &samples->op ? kb_parts_flags(samples) : from->flags;
		double shell = samples->method == KB_METHOD_COMMAND ? summary->fits[i].base_cost : 0;

		for (size_t k = 0; summary->fits[i].usable && k < from->count; k++) {
			if (!(flags[k] & ~KB_FLAG_CONTENDED))
				(*ticks)[(*count)++] = whole[k] / from->n[k] - shell;
		}
	}
	return *count > 0;
}

/* Processes in a row look like a slow drift; ranks still hold for a mixture. */
static void add_quantiles(const struct kb_summary *summary, double scale, struct kb_result *result)
{
	static const double levels[KB_QUANTILES] = { [KB_P1] = .01, [KB_P10] = .1, [KB_P50] = .5, [KB_P90] = .9, [KB_P99] = .99 };
	const struct kb_reported *reported = &summary->samples[0].reported;
	struct kb_interval intervals[KB_QUANTILES] = { 0 };
	double *ticks;
	size_t count;

	if (pool(summary, &ticks, &count)) {
		kb_quantile_intervals(ticks, count, levels, KB_QUANTILES, KB_SUMMARY_CONFIDENCE, intervals);
		kb_sort(ticks, count);
	}
	for (unsigned i = 0; i < KB_QUANTILES && count > 0; i++) {
		if (!intervals[i].known)
			intervals[i] = kb_rank_interval(ticks, count, levels[i], KB_SUMMARY_CONFIDENCE);
		if (intervals[i].known)
			result->quantile[i] = estimate_of(intervals[i], scale);
	}
	free(ticks);
	if ((count == 0 || !(reported->cost > 0)) && result->method == KB_METHOD_REPORTED && summary->count == 1 && summary->fits[0].usable && reported->median > 0)
		result->quantile[KB_P50] = (struct kb_estimate){ .value = reported->median * scale, .known = true };
}

/* Of the usable processes; where none is, of all, for what disturbed their samples is the reason. */
static void count_observations(const struct kb_summary *summary, struct kb_result *result)
{
	result->n_min = UINT64_MAX;
	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_points *op = kb_cost_points(&summary->samples[i]);

		if (!summary->fits[i].usable && (summary->usable > 0 || summary->fits[i].why == KB_CODE_record_truncated))
			continue;
		result->observations += summary->fits[i].used;
		result->disturbed += summary->fits[i].disturbed;
		result->n_eff += summary->fits[i].n_eff;
		for (size_t k = 0; k < op->count; k++) {
			uint64_t n = (uint64_t)op->n[k];

			result->n_min = n < result->n_min ? n : result->n_min;
			result->n_max = n > result->n_max ? n : result->n_max;
			for (unsigned flag = 0; flag < KB_FLAGS; flag++)
				result->flags[flag] += op->flags[k] >> flag & 1;
		}
	}
	if (result->n_min == UINT64_MAX)
		result->n_min = 0;
}

/* The clock, and what nobody thought of, leave no time surer than this. Counts have no such limit. */
static void widen(struct kb_estimate *estimate, const struct kb_result *result)
{
	double half = NARROWEST * fabs(estimate->value);

	if (!estimate->bounded || result->bound == KB_NOTHING || result->ticks_per_ns <= 0)
		return;
	estimate->low = fmin(estimate->low, estimate->value - half);
	estimate->high = fmax(estimate->high, estimate->value + half);
}

/* Of a single process whose program gave one: its own, or Student's of the standard deviation over its repetitions. */
static void bound_reported(const struct kb_summary *summary, double scale, struct kb_estimate *estimate)
{
	const struct kb_reported *reported = &summary->samples[0].reported;
	double n = reported->repetitions, half = n >= 2 ? kb_t_factor(KB_SUMMARY_CONFIDENCE, n - 1) * reported->sd / sqrt(n) : 0;
	bool own = reported->cost > 0 && reported->low > 0 && reported->low <= reported->cost && reported->cost <= reported->high;

	if (summary->count > 1 || !summary->fits[0].usable || (!own && n < 2))
		return;
	estimate->low = scale * (own ? reported->low : reported->mean - half);
	estimate->high = scale * (own ? reported->high : reported->mean + half);
	estimate->bounded = true;
}

static void add_estimates(const struct kb_summary *summary, struct kb_result *result)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;
	const struct kb_samples *first = &summary->samples[0];
	bool core = kb_core_bound(result->bound);

	bool is_command = result->method == KB_METHOD_COMMAND;

	/* Batches of a command follow each other at once; other processes have all that a run does between them. */
	result->observed = over(summary, observed_cost, is_command ? kb_serial_median : kb_t_interval, scale);
	if (core)
		result->observed_cycles = over(summary, observed_cycles, kb_t_interval, 1);
	result->headline = summary->uncontended ? KB_HEADLINE_UNCONTENDED : KB_HEADLINE_OBSERVED;
	result->uncontended_by = first->part_count > 0 ? KB_BY_PARTS : first->quartile[0] ? KB_BY_QUARTILE : KB_BY_MEDIAN;
	result->estimate = summary->uncontended ? over(summary, clean_cost, kb_median_interval, scale) :
			   first->reported.cost > 0 ? over(summary, clean_cost, kb_t_interval, scale) : result->observed;
	result->estimate_cycles = summary->uncontended && core ? over(summary, clean_cycles, kb_median_interval, 1) : result->observed_cycles;
	widen(&result->estimate, result);
	widen(&result->estimate_cycles, result);
	bound_reported(summary, scale, &result->estimate);
	result->mean = over(summary, plain_cost, is_command ? kb_serial_mean : kb_t_interval, scale);
	add_quantiles(summary, scale, result);
	if (!kb_methods[result->method].one_by_one && kb_methods[result->method].series)
		result->fixed = over(summary, fixed_ticks, kb_t_interval, scale);
	else if (result->method == KB_METHOD_SINGLE && first->empty.count > 0)
		result->fixed = over(summary, empty_ticks, kb_t_interval, scale);
	if (result->ticks_per_ns > 0)
		result->core_mhz = over(summary, adds_per_tick, kb_t_interval, result->ticks_per_ns * 1e3);
	result->ratio = over(summary, twin_ratio, kb_median_interval, 1);
	for (size_t i = 0; i < summary->count && result->ratio.known && !result->twin[0]; i++)
		snprintf(result->twin, sizeof result->twin, "%s", summary->samples[i].twin);
	widen(&result->ratio, result);
	kb_result_find(summary, result);
}

/* What each process says alone: enough to compare two runs without reading their records again. More than fit are left out. */
static void add_process_costs(const struct kb_summary *summary, struct kb_result *result)
{
	double scale = result->ticks_per_ns > 0 ? 1 / result->ticks_per_ns : 1;
	bool core = kb_core_bound(result->bound);

	for (size_t i = 0; i < summary->count && result->process_cost_count < KB_PROCESS_COSTS_MAX; i++) {
		const struct kb_process_fit *fit = &summary->fits[i];
		const struct kb_samples *samples = &summary->samples[i];

		if (!fit->usable)
			continue;
		result->process_costs[result->process_cost_count++] = (struct kb_process_cost){
			.process = samples->process, .cost = fit->cost * scale, .cycles = core ? fit->cycles : 0,
			.observed = summary->observed[i].cost * scale, .clean_share = samples->clean_share, .used = fit->used,
			.uncontended = summary->clean[i].blocks > 0 ? summary->clean[i].cost * scale : NAN, .ratio = twin_ratio(summary, i),
			.mhz = fit->add > 0 && result->ticks_per_ns > 0 ? result->ticks_per_ns * 1e3 / fit->add : 0,
		};
	}
}

/* Of all samples that were probed, whichever process they are of. */
static double clean_share(const struct kb_summary *summary)
{
	double clean = 0, all = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		if (isnan(samples->clean_share))
			continue;
		clean += samples->clean_share * (double)samples->op.count;
		all += (double)samples->op.count;
	}
	return all > 0 ? clean / all : NAN;
}

/* Of all processes that know it. */
static double waited_share(const struct kb_summary *summary)
{
	double ran = 0, waited = 0;

	for (size_t i = 0; i < summary->count; i++) {
		const struct kb_samples *samples = &summary->samples[i];

		ran += (double)samples->ran_us;
		waited += samples->ran_us > 0 ? (double)samples->waited_us : 0;
	}
	return ran > 0 ? waited / (ran + waited) : NAN;
}

static void describe(const struct kb_samples *from, struct kb_result *result)
{
	snprintf(result->benchmark, sizeof result->benchmark, "%s", from->bench);
	snprintf(result->params, sizeof result->params, "%s", from->params);
	snprintf(result->per, sizeof result->per, "%s", from->per);
	kb_rename_operation(result->per);
	result->method = from->method;
	snprintf(result->clock, sizeof result->clock, "%s", from->clock);
	snprintf(result->code, sizeof result->code, "%s", from->code);
	snprintf(result->arch, sizeof result->arch, "%s", from->arch);
	result->bound = from->bound;
	result->bytes_per_op = from->bytes_per_op;
	result->ticks_per_ns = (double)from->hz * 1e-9;
}

void kb_summary_numbers(struct kb_summary *summary, struct kb_result *result)
{
	bool untimed = kb_summary_untimed(summary);

	fit_all(summary);
	if (summary->count > 0)
		describe(&summary->samples[0], result);
	else if (summary->has_proof)
		describe(&summary->proof, result);
	for (size_t i = 0; i < summary->count; i++) {
		if (untimed) /* times mean nothing, and a process counts that ended well */
			summary->fits[i].usable = kb_samples_whole(&summary->samples[i]);
		summary->usable += summary->fits[i].usable;
	}
	result->processes = summary->usable;
	result->clean_share = clean_share(summary);
	result->waited_share = waited_share(summary);
	count_observations(summary, result);
	kb_summary_annotations(summary, result);
	if (summary->usable == 0 || untimed)
		return;
	add_estimates(summary, result);
	add_process_costs(summary, result);
	if (kb_methods[result->method].series) {
		kb_series_modes(summary, result);
		kb_series_levels(summary, result);
		kb_series_spread_of_row(summary, result);
	}
}

/* ---- from texts ----------------------------------------------------------------------------------- */

/* False: there is no memory for all of them. Without some the rest would look like all that there were. */
static bool load_all(struct kb_summary *summary, const struct kb_process_text *processes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool proof = processes[i].process == 0 && !summary->has_proof;
		struct kb_samples *samples = proof ? &summary->proof : &summary->samples[summary->count];
		int error = kb_samples_load(samples, &processes[i]);

		if (error) {
			kb_samples_free(samples);
			*samples = (struct kb_samples){ 0 };
		}
		if (error == -ENOMEM)
			return false;
		summary->has_proof |= proof && !error;
		summary->count += !proof && !error;
	}
	return true;
}

void kb_summarise_one(const struct kb_process_text *processes, size_t count, const struct kb_summary_rules *rules,
                      struct kb_result *result)
{
	static const struct kb_floor unknown = { .k = 0 };
	struct kb_summary summary = {
		.samples = calloc(count + 1, sizeof *summary.samples), .fits = calloc(count + 1, sizeof *summary.fits),
		.observed = calloc(count + 1, sizeof *summary.observed), .clean = calloc(count + 1, sizeof *summary.clean),
		.floor = rules->floor ? rules->floor : &unknown,
	};

	*result = (struct kb_result){ .clean_share = NAN, .waited_share = NAN };
	if (summary.samples && summary.fits && summary.observed && summary.clean && load_all(&summary, processes, count)) {
		kb_summary_numbers(&summary, result);
		kb_summary_evidence(&summary, result);
		kb_summary_kept(processes, count, result);
		kb_summary_judge(&summary, rules, result);
	} else {
		kb_verdict_add(&result->verdict, KB_CODE_op_failed, "cannot be analysed: %s", kb_lack(ENOMEM));
	}
	for (size_t i = 0; i < summary.count; i++)
		kb_samples_free(&summary.samples[i]);
	kb_samples_free(&summary.proof);
	free(summary.samples);
	free(summary.fits);
	free(summary.observed);
	free(summary.clean);
}

void kb_summarise(const struct kb_process_text *processes, size_t count, const struct kb_summary_rules *rules, struct kb_result *result)
{
	unsigned copies = 0;

	/* A process that died early says nothing, but the others do. */
	for (size_t i = 0; i < count && copies == 0; i++)
		copies = kb_parallel_copies(&processes[i]);
	if (copies > 0)
		kb_parallel_summarise(processes, count, copies, rules, result);
	else
		kb_summarise_one(processes, count, rules, result);
	kb_environment_settle(result, rules->env);
}
