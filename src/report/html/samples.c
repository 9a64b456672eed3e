/*
 * See samples.h. The decisions are those of the result: a sample is contended here if it is so for the uncontended cost, by the same floor of
 * the probe, and disturbed if its record flags it.
 */
#include "report/html/samples.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/thin.h"
#include "result/json/json.h"
#include "result/parts.h"
#include "result/summary/parallel.h"
#include "stats/stats.h"

#define DIGITS 5                /* of a sample's time: steps of the chain of cycles stay visible */
#define DIGITS_TIME 4
#define FEWEST 8u               /* samples of a process, if it has as many: else fewer processes are shown */
#define FEWEST_PROCESSES 4u
#define BASE_SHARE 5u           /* one sample of the empty loop for so many of the operation */
#define SINGLE_SHARE 3u         /* one quantile of single operations for so many */
#define STEAL_S 0.01            /* of a tick of /proc/stat */

/* What a sample is called: of several causes the first flag. */
enum { CLEAN, CONTENDED, NOT_PROBED, FLAGGED };

/* Of all processes of a result. */
struct kinds {
	double owed[2][KB_THIN_KINDS];  /* of the operation, of the empty loop */
	uint64_t count[FLAGGED + KB_FLAGS];     /* samples of the operation by kind */
};

static json_t *causes(void)
{
	json_t *names = json_pack("[s, s, s]", "clean", "contended", "not probed");

	for (unsigned flag = 0; flag < KB_FLAGS; flag++)
		json_array_append_new(names, json_string(kb_flag_names[flag]));
	return names;
}

/* How many samples of the operation each cause has among all, thinned or not. */
static json_t *counts_of(const struct kinds *kinds)
{
	json_t *counts = json_array();

	for (unsigned i = 0; i < FLAGGED + KB_FLAGS; i++)
		json_array_append_new(counts, kb_json_whole(kinds->count[i]));
	return counts;
}

static unsigned char kind_at(const struct kb_samples *samples, const struct kb_points *points, size_t i)
{
	/* Of a divided operation, what its parts came to is contended or not; what hit it as a whole was observed. */
	unsigned flags = points->flags[i] | (points == &samples->op ? kb_parts_flags(samples)[i] : 0);

	for (unsigned flag = 0; flag < KB_FLAGS; flag++) {
		if (flags >> flag & 1)
			return (unsigned char)(FLAGGED + flag);
	}
	return flags & KB_FLAG_CONTENDED ? CONTENDED : isnan(samples->clean_share) ? NOT_PROBED : CLEAN;
}

/* Whole numbers where they are: they are shorter. */
static json_t *rounded(double value, int digits)
{
	char text[40];

	snprintf(text, sizeof text, "%.*g", digits, value);
	value = strtod(text, NULL);
	return value == floor(value) && fabs(value) < (double)KB_JSON_WHOLE_MAX ? json_integer((json_int_t)value) : kb_json_real(value);
}

/* ---- points ------------------------------------------------------------------------------------------ */

/* Samples of one role in run order. */
struct points {
	const struct kb_points *at;
	const double *ticks;            /* as observed */
	unsigned char *kind;
	bool *kept;
	size_t count;                   /* of those that are kept */
};

static void points_close(struct points *points)
{
	free(points->kind);
	free(points->kept);
}

static bool points_open(struct points *points, const struct kb_samples *samples, const struct kb_points *from, size_t keep,
			struct kinds *kinds)
{
	bool op = from == &samples->op;

	*points = (struct points){
		.at = from, .ticks = op ? kb_parts_observed(samples) : from->ticks, .kind = malloc(from->count + 1),
		.kept = malloc((from->count + 1) * sizeof *points->kept),
	};
	if (!points->kind || !points->kept) {
		points_close(points);
		return false;
	}
	for (size_t i = 0; i < from->count; i++)
		points->kind[i] = kind_at(samples, from, i);
	points->count = kb_thin(points->kind, from->count, keep, points->kept, kinds->owed[op ? 0 : 1]);
	return true;
}

enum what { OPERATIONS, TIME, START, BLOCK };

/* scale: of the unit, or ms, over ticks. */
static json_t *array_of(const struct points *points, enum what what, double scale)
{
	json_t *array = json_array();

	for (size_t i = 0; i < points->at->count; i++) {
		if (!points->kept[i])
			continue;
		switch (what) {
		case OPERATIONS: json_array_append_new(array, kb_json_whole((uint64_t)points->at->n[i])); break;
		case TIME: json_array_append_new(array, rounded(points->ticks[i] * scale, DIGITS)); break;
		case START: json_array_append_new(array, rounded(points->at->t[i] * scale, DIGITS_TIME)); break;
		case BLOCK: json_array_append_new(array, json_integer(points->at->block[i])); break;
		}
	}
	return array;
}

/* One character a sample. */
static json_t *letters_of(const struct points *points)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	char *text = malloc(points->count + 1);
	json_t *json;
	size_t used = 0;

	for (size_t i = 0; text && i < points->at->count; i++) {
		if (points->kept[i])
			text[used++] = digits[points->kind[i]];
	}
	json = text ? json_stringn(text, used) : NULL;
	free(text);
	return json;
}

/* ---- one process -------------------------------------------------------------------------------------- */

/* Single operations as quantiles are made of, those of all kinds that nothing disturbed; sorted, of one operation. */
static double *singles_of(const struct kb_samples *samples, size_t *count)
{
	const struct kb_points *from = kb_methods[samples->method].one_by_one ? kb_cost_points(samples) : &samples->single;
	bool op = from == &samples->op;
	const double *ticks = op ? kb_parts_observed(samples) : from->ticks;
	const unsigned *flags = op ? kb_parts_flags(samples) : from->flags;
	double *values = malloc((from->count + 1) * sizeof *values);

	*count = 0;
	for (size_t i = 0; values && i < from->count; i++) {
		if (!(flags[i] & ~KB_FLAG_CONTENDED))
			values[(*count)++] = ticks[i] / from->n[i];
	}
	if (values)
		kb_sort(values, *count);
	return values;
}

static json_t *single_json(const struct kb_samples *samples, size_t keep, double scale, size_t *all)
{
	double *values = singles_of(samples, all), *some = malloc((keep + 1) * sizeof *some);
	json_t *array = values && some ? json_array() : NULL;
	size_t count = array ? kb_thin_sorted(values, *all, keep, some) : 0;

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, rounded(some[i] * scale, DIGITS));
	free(values);
	free(some);
	return array;
}

static json_t *base_json(const struct kb_samples *samples, size_t keep, double scale, struct kinds *kinds)
{
	struct points points;
	json_t *json;

	if (!points_open(&points, samples, &samples->base, keep, kinds))
		return NULL;
	json = json_pack("{s:o, s:o, s:o, s:o}", "all", kb_json_whole(samples->base.count), "n", array_of(&points, OPERATIONS, 1), "y",
			 array_of(&points, TIME, scale), "cause", letters_of(&points));
	points_close(&points);
	return json;
}

static const struct kb_process_cost *cost_of(const struct kb_result *result, unsigned process)
{
	for (unsigned i = 0; i < result->process_cost_count; i++) {
		if (result->process_costs[i].process == process)
			return &result->process_costs[i];
	}
	return NULL;
}

/* Of the core while the process ran; one that is in no headline has it in the middle of its record. */
static double mhz_of(const struct kb_samples *samples, const struct kb_process_cost *cost)
{
	double add = samples->add_count > 0 ? kb_contention_add(samples, (uint32_t)(samples->add_count / 2)) : NAN;

	if (cost && cost->mhz > 0)
		return cost->mhz;
	return samples->hz > 0 && add > 0 ? (double)samples->hz / add * 1e-6 : NAN;
}

/* A process, or one of its copies. */
struct part {
	const struct kb_page_source *source;
	const struct kb_samples *samples;
	const struct kb_process_cost *cost;     /* NULL: it is not in the headline */
	unsigned copy;                  /* from 1; 0: there are none */
	size_t keep;
	struct kinds *kinds;
};

static json_t *process_json(const struct part *part, struct kb_page_counts *counts)
{
	const struct kb_samples *samples = part->samples;
	double rate = part->source->result->ticks_per_ns, scale = rate > 0 ? 1 / rate : 1;
	struct points points;
	size_t singles = 0;
	json_t *json, *single = single_json(samples, part->keep / SINGLE_SHARE + 2, scale, &singles);

	if (!points_open(&points, samples, &samples->op, part->keep, part->kinds))
		return NULL;
	json = json_pack("{s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "process", (json_int_t)samples->process,
			 "used", part->cost != NULL, "mhz", rounded(mhz_of(samples, part->cost), DIGITS),
			 "hz", samples->hz > 0 ? kb_json_whole(samples->hz) : json_null(), "all", kb_json_whole(samples->op.count),
			 "t", samples->hz > 0 ? array_of(&points, START, 1e3 / (double)samples->hz) : json_null(),
			 "n", array_of(&points, OPERATIONS, 1), "y", array_of(&points, TIME, scale), "cause", letters_of(&points),
			 "block", array_of(&points, BLOCK, 1), "base", base_json(samples, part->keep / BASE_SHARE + 2, scale, part->kinds),
			 "single_all", kb_json_whole(singles), "single", single);
	if (part->copy > 0)
		json_object_set_new(json, "copy", json_integer(part->copy));
	counts->kept += points.count;
	points_close(&points);
	return json;
}

/* ---- on the time line ---------------------------------------------------------------------------------- */

static json_t *timeline_json(const struct part *part, const char *outcome)
{
	const struct kb_samples *samples = part->samples;
	double length = samples->hz > 0 ? (double)(samples->ended - samples->began) / (double)samples->hz : NAN;
	bool known = samples->started_ms > 0 && part->source->started_ms > 0;
	double start = known ? ((double)samples->started_ms - (double)part->source->started_ms) * 1e-3 : NAN;
	bool bad = outcome[0] || samples->state != KB_RECORD_WHOLE;

	return json_pack("{s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "result", kb_json_whole(part->source->position), "process",
			 (json_int_t)samples->process, "start_s", rounded(start, DIGITS), "end_s", rounded(start + length, DIGITS),
			 "mhz", rounded(mhz_of(samples, part->cost), DIGITS), "clean_share", rounded(samples->clean_share, DIGITS_TIME),
			 "steal", rounded((double)samples->steal_ticks * STEAL_S / length, DIGITS_TIME),
			 "outcome", kb_json_string(!bad ? "" : outcome[0] ? outcome : kb_record_state_words(samples->state)));
}

/* ---- all of them ---------------------------------------------------------------------------------------- */

/* What goes into an element of `samples` and onto the time line. */
struct into { json_t *processes, *timeline; struct kb_page_counts counts; };

static int add_part(struct part *part, const struct kb_process_text *text, struct into *into)
{
	struct kb_samples *samples = malloc(sizeof *samples);
	int error = samples ? kb_samples_load(samples, text) : -ENOMEM;

	if (!error) {
		part->samples = samples;
		kb_contention_flag(samples, part->source->floor);
		for (size_t i = 0; i < samples->op.count; i++)
			part->kinds->count[kind_at(samples, &samples->op, i)]++;
		into->counts.samples += samples->op.count;
		if (part->copy < 2 && json_array_append_new(into->timeline, timeline_json(part, text->outcome)))
			error = -ENOMEM;
		if (part->keep > 0 && samples->op.count > 0 && json_array_append_new(into->processes, process_json(part, &into->counts)))
			error = -ENOMEM;
	}
	if (samples)
		kb_samples_free(samples);
	free(samples);
	return error;
}

/* A process, or its copies. */
static int add_process(struct part *part, const struct kb_process_text *text, struct into *into)
{
	unsigned copies = kb_parallel_copies(text);
	int error = 0;

	part->cost = cost_of(part->source->result, text->process);
	part->copy = 0;
	if (copies == 0)
		return add_part(part, text, into);
	for (unsigned i = 0; i < copies && !error; i++) {
		struct kb_span record = kb_parallel_record(text, i);
		struct kb_process_text one = { text->process, text->outcome, record.at, record.length };

		part->copy = i + 1;
		error = add_part(part, &one, into);
	}
	return error;
}

/* How many processes there are, how many of them there is room for, and for how many samples of each. */
struct share { size_t all, processes, samples; };

static struct share share_of(const struct kb_page_source *source)
{
	struct share share = { .samples = FEWEST };
	size_t parts = 0;

	for (size_t i = 0; i < source->text_count; i++) {
		unsigned copies = kb_parallel_copies(&source->texts[i]);

		share.all += source->texts[i].process > 0;
		parts += source->texts[i].process == 0 ? 0 : copies > 0 ? copies : 1;
	}
	if (parts == 0)
		return share;
	share.processes = source->room / FEWEST * share.all / parts;
	if (share.processes < FEWEST_PROCESSES)
		share.processes = FEWEST_PROCESSES;
	if (share.processes > share.all)
		share.processes = share.all;
	parts = parts * share.processes / share.all;
	if (source->room / parts > FEWEST)
		share.samples = source->room / parts;
	return share;
}

static json_t *element_of(const struct kb_page_source *source, const struct into *into, const struct kinds *kinds, size_t processes)
{
	if (into->counts.samples == 0)
		return json_null();
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:O}", "unit", kb_time_unit(source->result), "all",
			 kb_json_whole(into->counts.samples), "kept", kb_json_whole(into->counts.kept), "causes", causes(), "counts",
			 counts_of(kinds), "processes_all", kb_json_whole(processes), "processes", into->processes);
}

int kb_page_add_samples(const struct kb_page_source *source, json_t *samples, json_t *timeline, struct kb_page_counts *counts)
{
	struct into into = { json_array(), timeline, { .results = 1 } };
	struct share share = share_of(source);
	struct kinds kinds = { 0 };
	struct part part = { .source = source, .kinds = &kinds };
	size_t seen = 0;
	int error = 0;

	for (size_t i = 0; i < source->text_count && !error; i++) {
		if (source->texts[i].process == 0)
			continue;
		part.keep = kb_thin_keeps(seen++, share.all, share.processes) ? share.samples : 0;
		error = add_process(&part, &source->texts[i], &into);
	}
	if (json_array_append_new(samples, element_of(source, &into, &kinds, share.all)))
		error = error ? error : -ENOMEM;
	json_decref(into.processes);
	counts->results += into.counts.results;
	counts->samples += into.counts.samples;
	counts->kept += into.counts.kept;
	return error;
}
