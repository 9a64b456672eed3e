/* See sharing.h. A clock probe is as long as a short sample, so that each stands for one. */
#define _GNU_SOURCE
#include "run/sharing.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "env/activity.h"
#include "io.h"
#include "result/contention.h"
#include "result/summary/summary.h"
#include "run/calibrate.h"
#include "run/method.h"
#include "stats/stats.h"

#define LONGEST_NS 100e3        /* from probe to probe, as from one around a sample to the next: more, and the thread did not run */
#define PROCESS_S (KB_EXTENDED * 1e-9 * KB_PROBED_NS)        /* of one that goes on because it saw too little uncontended time */
#define PIECES 10u              /* that K is learnt from */
#define CLOCK_S 0.1             /* that one value of the core clock is of */

struct watch {
	const struct kb_clock *clock;
	struct kb_samples samples;
	uint64_t first;                 /* reading that began it */
	double *ends;                   /* of each contention probe, ticks since then */
	size_t end_count;
	uint64_t last;                  /* the last reading, ticks since the first one */
	uint32_t block;
};

/* ---- measuring ----------------------------------------------------------------------------------- */

static int probe_contention(struct watch *watch)
{
	uint64_t start, ticks = kb_contention_probe(watch->clock, watch->samples.probe, &start);

	if (watch->first == 0)
		watch->first = start;
	watch->last = start + ticks - watch->first;
	return kb_samples_append(&watch->samples.probes, &watch->samples.probe_count, (double)ticks) ?:
	       kb_samples_append(&watch->samples.probe_blocks, &watch->samples.probe_block_count, watch->block) ?:
	       kb_samples_append(&watch->ends, &watch->end_count, (double)watch->last);
}

/* The long one is a sample, too. The probe that follows it is the next one's first. */
static int probe_both(struct watch *watch)
{
	struct kb_samples *samples = &watch->samples;
	struct kb_obs obs = { .role = KB_ROLE_OP, .n = KB_CLOCK_PROBE_LONG, .block = watch->block };
	uint64_t start, brief = kb_clock_probe(watch->clock, KB_CLOCK_PROBE_SHORT, &start);
	int error = probe_contention(watch);

	if (error)
		return error;
	obs.ticks = kb_clock_probe(watch->clock, KB_CLOCK_PROBE_LONG, &start);
	obs.t = start - watch->first;
	error = probe_contention(watch) ?:
	        kb_samples_append(&samples->add_short, &samples->add_count, (double)brief) ?:
	        kb_samples_append(&samples->add_long, &samples->add_long_count, (double)obs.ticks) ?:
	        kb_points_add(&samples->op, &obs);
	if (!error)
		samples->op.probe[samples->op.count - 1] = (uint32_t)samples->probe_count;
	watch->block++;
	return error;
}

static int measure(struct watch *watch, uint64_t ticks)
{
	int error = probe_contention(watch);

	while (!error && (watch->last < ticks || watch->block == 0))
		error = probe_both(watch);
	return error;
}

/* ---- judging ------------------------------------------------------------------------------------- */

static double seconds(const struct watch *watch, double ticks)
{
	return ticks / (double)watch->clock->hz;
}

static bool is_gap(const struct watch *watch, double ticks)
{
	return seconds(watch, ticks) > LONGEST_NS * 1e-9;
}

/* Sorts. NAN: there are none. */
static double quantile(double *values, size_t count, double p)
{
	kb_sort(values, count);
	return count > 0 ? kb_quantile_sorted(values, count, p) : NAN;
}

static int end_stretch(double *ticks, double **stretches, size_t *count)
{
	int error = *ticks > 0 ? kb_samples_append(stretches, count, *ticks) : 0;

	*ticks = 0;
	return error;
}

/* Time between two probes that follow each other at the floor was uncontended, as a sample between them would be. */
static int judge_time(const struct watch *watch, const bool *clean, struct kb_sharing *sharing)
{
	double *stretches = NULL, own = 0, all = 0, sum = 0;
	size_t count = 0;
	int error = 0;

	for (size_t i = 1; i < watch->end_count && !error; i++) {
		double ticks = watch->ends[i] - watch->ends[i - 1];
		bool gap = is_gap(watch, ticks), uncontended = !gap && clean[i - 1] && clean[i];

		all += gap ? 0 : ticks;
		sum += uncontended ? ticks : 0;
		own += uncontended ? ticks : 0;
		if (!uncontended)
			error = end_stretch(&own, &stretches, &count);
	}
	error = error ?: end_stretch(&own, &stretches, &count);
	sharing->clean = all > 0 ? sum / all : NAN;
	sharing->stretch = seconds(watch, quantile(stretches, count, 0.5));
	sharing->stretch_90 = seconds(watch, quantile(stretches, count, 0.9));
	free(stretches);
	return error;
}

static int judge_contended(const struct watch *watch, const bool *clean, struct kb_sharing *sharing)
{
	double *factors = NULL;
	size_t count = 0;
	int error = 0;

	for (size_t i = 0; i < watch->end_count && !error; i++) {
		if (!clean[i])
			error = kb_samples_append(&factors, &count, kb_contention_ratio(&watch->samples, i) / sharing->floor.k);
	}
	sharing->factor = quantile(factors, count, 0.5);
	free(factors);
	return error;
}

static int judge_contention(struct watch *watch, struct kb_sharing *sharing)
{
	bool *clean = kb_contention_probes(&watch->samples, &sharing->floor);

	if (!clean)
		return sharing->floor.k > 0 ? -ENOMEM : 0;
	int error = judge_time(watch, clean, sharing) ?: judge_contended(watch, clean, sharing);

	free(clean);
	kb_contention_flag(&watch->samples, &sharing->floor);
	sharing->usable = (double)kb_clean_blocks(&watch->samples) / fmax(kb_all_blocks(&watch->samples), 1);
	return error;
}

static double mhz_of(const struct watch *watch, double *adds, size_t count)
{
	return (double)watch->clock->hz / 1e6 / quantile(adds, count, 0.5);
}

/* A value for each tenth of a second, by the number of clock probes that it holds. */
static int judge_clock(const struct watch *watch, struct kb_sharing *sharing)
{
	const struct kb_samples *samples = &watch->samples;
	size_t count = samples->add_long_count, pieces = (size_t)fmax(sharing->seconds / CLOCK_S, 1), each = count / pieces;
	double *adds = malloc((count + 1) * sizeof *adds);

	if (!adds)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		adds[i] = (samples->add_long[i] - samples->add_short[i]) / (KB_CLOCK_PROBE_LONG - KB_CLOCK_PROBE_SHORT);
	sharing->mhz_low = INFINITY;
	for (size_t piece = 0; piece < pieces && each > 0; piece++) {
		double mhz = mhz_of(watch, adds + piece * each, each);

		sharing->mhz_low = fmin(sharing->mhz_low, mhz);
		sharing->mhz_high = fmax(sharing->mhz_high, mhz);
	}
	sharing->mhz = mhz_of(watch, adds, count);
	free(adds);
	return 0;
}

static void judge_gaps(const struct watch *watch, struct kb_sharing *sharing)
{
	double gaps = 0;

	for (size_t i = 1; i < watch->end_count; i++) {
		double ticks = watch->ends[i] - watch->ends[i - 1];

		gaps += is_gap(watch, ticks) ? ticks : 0;
	}
	sharing->off_cpu = gaps / fmax((double)watch->last, 1);
}

/* Piece by piece, as a run has processes: what is the floor in one of them only is none. */
static void learn_floor(const struct kb_samples *samples, bool core_alone, struct kb_floor *floor)
{
	struct kb_ratios ratios = { .all = 0 };
	size_t each = samples->probe_count / PIECES;

	if (floor->from != KB_FLOOR_UNKNOWN)
		return;
	for (size_t piece = 0; piece < PIECES; piece++) {
		struct kb_samples part = *samples;

		part.probes += piece * each;
		part.probe_blocks += piece * each;
		part.probe_count = each;
		kb_ratios_add(&ratios, &part);
	}
	kb_ratios_floor(&ratios, core_alone, floor);
}

int kb_sharing_measure(const struct kb_clock *clock, uint64_t loops, uint64_t ticks, const struct kb_floor *known, bool core_alone,
                       struct kb_sharing *sharing)
{
	struct watch watch = { .clock = clock };

	watch.samples = (struct kb_samples){ .method = KB_METHOD_SLOPE, .hz = clock->hz, .quantum = clock->quantum, .probe = loops };
	*sharing = (struct kb_sharing){ .floor = *known, .clean = NAN, .stretch = NAN, .stretch_90 = NAN, .factor = NAN, .steal = NAN };
	int error = measure(&watch, ticks);

	if (!error) {
		sharing->seconds = seconds(&watch, (double)watch.last);
		learn_floor(&watch.samples, core_alone, &sharing->floor);
		judge_gaps(&watch, sharing);
		error = judge_clock(&watch, sharing) ?: judge_contention(&watch, sharing);
	}
	free(watch.ends);
	kb_samples_free(&watch.samples);
	return error;
}

int kb_sharing_here(const struct kb_run_options *options, uint64_t ns, struct kb_sharing *sharing)
{
	const struct kb_fact_source machine = { .root = "" };
	struct kb_activity first, last;
	struct kb_run_outcome outcome = { .probe = 0 };
	int error = kb_calibrate(NULL, options->cpus.measure, &outcome);
	cpu_set_t before;

	if (error)
		return error;
	if (sched_getaffinity(0, sizeof before, &before) || (error = kb_pin(options->cpus.measure)))
		return error ? error : -errno;
	kb_activity_read(&machine, &first);
	error = kb_sharing_measure(&outcome.clock, outcome.probe, (uint64_t)((double)ns * 1e-9 * (double)outcome.clock.hz),
	                           &options->floor, options->core_alone, sharing);
	kb_activity_read(&machine, &last);
	sched_setaffinity(0, sizeof before, &before);
	const struct kb_activity during = kb_activity_between(&first, &last);

	sharing->cpu = options->cpus.measure;
	sharing->steal = during.known ? (double)during.steal / (double)during.total : NAN;
	return error;
}

/* ---- in words ------------------------------------------------------------------------------------ */

bool kb_sharing_clock_moved(const struct kb_sharing *sharing)
{
	return sharing->mhz_high > sharing->mhz_low * (1 + KB_CLOCK_MOVED);
}

static bool is_contended_throughout(const struct kb_sharing *sharing)
{
	return sharing->usable <= 0;
}

void kb_sharing_judge(const struct kb_sharing *sharing, struct kb_finding *finding)
{
	const char *remedy = "on a machine of your own turn SMT off or leave the sibling idle; as a guest ask for whole cores";
	double contended = sharing ? 100 * (1 - sharing->clean) : 0;

	*finding = (struct kb_finding){ .id = "sharing",
		.why = "Another hardware thread of the core takes issue slots and caches, and makes operations 20 to 60 % slower." };
	if (!sharing)
		kb_finding_set(finding, KB_UNSURE, "measure on real hardware, or under KVM", "not measured: the processor is emulated");
	else if (!(sharing->floor.k > 0))
		kb_finding_set(finding, KB_UNSURE, "measure again at other times: three runs that agree tell what this CPU model can do",
			       "not known: this CPU model is not known, and the core looked the same all the time");
	else if (sharing->clean >= 1 - KB_CONTENDED_SHARE)
		kb_finding_set(finding, KB_FIT, "", "the core is not shared: %.1f %% of the time was uncontended", 100 * sharing->clean);
	else if (is_contended_throughout(sharing))
		kb_finding_set(finding, KB_UNFIT, remedy, "the core is contended throughout: %.1f %% of the time another hardware thread ran on it",
			       contended);
	else
		kb_finding_set(finding, KB_UNSURE, remedy, "the core is shared: %.0f %% of the time another hardware thread ran on it", contended);
}

const char *kb_sharing_expect(const struct kb_sharing *sharing)
{
	if (!(sharing->floor.k > 0))
		return "only observed costs, until K is known";
	if (is_contended_throughout(sharing))
		return "only observed costs: no process sees enough uncontended time";
	if (sharing->usable * PROCESS_S / KB_STRETCH_S < KB_CLEAN_BLOCKS) /* usable pieces that a process can be expected to have */
		return "an uncontended cost only after more than 6 processes: many of them see too little uncontended time; raise --budget";
	return "an uncontended cost within 0.1 to 1 % after 6 processes";
}
