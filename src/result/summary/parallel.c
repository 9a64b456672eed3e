/*
 * See parallel.h: from the records of copies to one row. Each copy is summarised as a row of its own; the row's cost of a
 * process is the mean of theirs, for processes are what differ, and the rates of the copies add up to that of all.
 */
#include "result/summary/parallel.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lacking.h"
#include "result/blocks.h"

#define TOGETHER 0.5    /* at least so much of the time side by side, or nothing was done together */

/* ---- one text, several records ------------------------------------------------------------------- */

static const char begin_word[] = "kbench-record ";

/* Start of the next record behind `from`, or the end. */
static const char *next_record(const char *from, const char *end)
{
	for (const char *at = from; at < end; at++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		if (!newline || newline + sizeof begin_word > end)
			return end;
		if (!memcmp(newline + 1, begin_word, sizeof begin_word - 1))
			return newline + 1;
		at = newline;
	}
	return end;
}

/* What the `env` lines before the first observation say of copies. */
static bool header_of(struct kb_span record, uint64_t *copies, uint64_t *copy)
{
	struct kb_record_reader reader;
	struct kb_line line;
	enum kb_line_kind kind;

	kb_record_open(&reader, record.at, record.length);
	while ((kind = kb_record_next(&reader, &line)) != KB_LINE_NONE && kind != KB_LINE_OBS) {
		if (kind == KB_LINE_HEADER && kb_span_is(line.word, "env") && kb_record_field_u64(line.rest, "copies", copies))
			return kb_record_field_u64(line.rest, "copy", copy);
	}
	return false;
}

/* Calls for each record of the text until `take` returns true. */
static void each_record(const struct kb_process_text *text, bool (*take)(void *context, struct kb_span), void *context)
{
	const char *at = text->record, *end = at ? at + text->length : NULL;

	while (at < end) {
		const char *next = next_record(at, end);

		if (take(context, (struct kb_span){ at, (size_t)(next - at) }))
			return;
		at = next;
	}
}

static bool take_copies(void *context, struct kb_span record)
{
	uint64_t copies, copy, *most = context;

	if (header_of(record, &copies, &copy) && copies <= KB_COPIES_MAX)
		*most = copies;
	return *most > 0;
}

unsigned kb_parallel_copies(const struct kb_process_text *text)
{
	uint64_t copies = 0;

	each_record(text, take_copies, &copies);
	return (unsigned)copies;
}

struct search { uint64_t wanted; struct kb_span found; };

static bool take_copy(void *context, struct kb_span record)
{
	struct search *search = context;
	uint64_t copies, copy;

	if (!header_of(record, &copies, &copy) || copy != search->wanted)
		return false;
	search->found = record;
	return true;
}

struct kb_span kb_parallel_record(const struct kb_process_text *text, unsigned copy)
{
	struct search search = { copy, { "", 0 } };

	each_record(text, take_copy, &search);
	return search.found;
}

/* ---- overlap ------------------------------------------------------------------------------------- */

/* The samples of one copy, read in step with those of the others. */
struct track {
	struct kb_record_reader reader;
	double first;                   /* ticks at which its t is 0 */
	double start, end;              /* of the sample it stands on */
	bool counts;                    /* nothing disturbed it */
};

/* `first` stands at the end of the record: only there it is known. */
static bool find_first(struct kb_span record, double *first)
{
	struct kb_record_reader reader;
	struct kb_line line;
	uint64_t ticks = 0;

	kb_record_open(&reader, record.at, record.length);
	while (kb_record_next(&reader, &line) != KB_LINE_NONE) {
		if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "env"))
			kb_record_field_u64(line.rest, "first", &ticks);
	}
	*first = (double)ticks;
	return ticks > 0 && reader.state == KB_RECORD_WHOLE;
}

static bool next_interval(struct track *track)
{
	struct kb_line line;

	while (kb_record_next(&track->reader, &line) != KB_LINE_NONE) {
		if (line.kind != KB_LINE_OBS || line.obs.role != KB_ROLE_OP || (line.obs.flags & KB_FLAG_WARMUP))
			continue;
		track->start = track->first + (double)line.obs.t;
		track->end = track->start + (double)line.obs.ticks;
		track->counts = !(line.obs.flags & KB_BLOCK_DISTURBED) && line.obs.ticks > 0;
		return true;
	}
	return false;
}

/* Of the samples on which the tracks stand, those that count: the part of each that all copies share. Returns how many. */
static size_t add_shares(const struct track *tracks, unsigned copies, double *sum)
{
	double from = -INFINITY, to = INFINITY;
	size_t n = 0;

	for (unsigned i = 0; i < copies; i++) {
		from = fmax(from, tracks[i].start);
		to = fmin(to, tracks[i].end);
	}
	for (unsigned i = 0; i < copies; i++) {
		if (!tracks[i].counts)
			continue;
		*sum += fmax(to - from, 0) / (tracks[i].end - tracks[i].start);
		n++;
	}
	return n;
}

static double mean_share(struct track *tracks, unsigned copies)
{
	double sum = 0;

	for (size_t n = 0;; n += add_shares(tracks, copies, &sum)) {
		for (unsigned i = 0; i < copies; i++) {
			if (!next_interval(&tracks[i]))
				return n > 0 && i == 0 ? sum / (double)n : -1;
		}
	}
}

double kb_parallel_overlap(const struct kb_process_text *text, unsigned copies)
{
	struct track *tracks = calloc(copies + 1, sizeof *tracks);
	bool whole = tracks != NULL;

	for (unsigned i = 0; i < copies && whole; i++) {
		struct kb_span record = kb_parallel_record(text, i);

		whole = find_first(record, &tracks[i].first);
		kb_record_open(&tracks[i].reader, record.at, record.length);
	}
	double overlap = whole ? mean_share(tracks, copies) : -1;

	free(tracks);
	return overlap;
}

/* Over processes; a failed one has none. */
static void add_overlap(const struct kb_process_text *processes, size_t count, struct kb_result *result)
{
	struct kb_result_parallel *parallel = &result->parallel;
	size_t n = 0;

	for (size_t i = 0; i < count; i++) {
		double overlap = processes[i].process > 0 ? kb_parallel_overlap(&processes[i], parallel->copies) : -1;

		if (overlap < 0)
			continue;
		parallel->overlap += overlap;
		n++;
	}
	parallel->overlap = n > 0 ? parallel->overlap / (double)n : NAN;
	/* Rates of copies that took turns do not add up: each is of the time that it had for itself. */
	if (!(parallel->overlap >= TOGETHER))
		parallel->aggregate = (struct kb_estimate){ .known = false };
	if (parallel->overlap < KB_OVERLAP_WANTED)
		kb_verdict_add(&result->verdict, KB_CODE_partial_overlap, "in %.1f %% of the samples' time, %.0f %% wanted",
		               100 * parallel->overlap, 100 * KB_OVERLAP_WANTED);
}

/* ---- over copies --------------------------------------------------------------------------------- */

/* Sums over copies, process by process. */
struct sums {
	unsigned process, copies;        /* how many of them speak in it */
	double cost, cycles, rate;
	bool no_cycles, no_rate;
	uint64_t used;
};

struct whole {
	struct sums sums[KB_PROCESS_COSTS_MAX];
	unsigned count;
	struct kb_estimate mean, fixed;         /* sums; known: in all copies so far */
	char waited[200];               /* a copy that failed because another one did; "": none */
};

static struct sums *sums_of(struct whole *whole, unsigned process)
{
	for (unsigned i = 0; i < whole->count; i++) {
		if (whole->sums[i].process == process)
			return &whole->sums[i];
	}
	if (whole->count == KB_PROCESS_COSTS_MAX)
		return NULL;
	whole->sums[whole->count] = (struct sums){ .process = process };
	return &whole->sums[whole->count++];
}

static void add_costs(struct whole *whole, const struct kb_result *copy)
{
	for (unsigned i = 0; i < copy->process_cost_count; i++) {
		const struct kb_process_cost *cost = &copy->process_costs[i];
		struct sums *sums = sums_of(whole, cost->process);

		if (!sums)
			continue;
		sums->copies++;
		sums->cost += cost->cost;
		sums->cycles += cost->cycles;
		sums->no_cycles |= !(cost->cycles > 0);
		sums->no_rate |= !(cost->cost > 0);
		sums->rate += cost->cost > 0 ? 1 / cost->cost : 0;
		sums->used += cost->used;
	}
}

/* The mean of intervals has, whatever the copies have in common, at most the mean of their ends. */
static void add_estimate(struct kb_estimate *sum, const struct kb_estimate *copy, unsigned copies, bool first)
{
	sum->value += copy->value / copies;
	sum->low += copy->low / copies;
	sum->high += copy->high / copies;
	sum->known = copy->known && (first || sum->known);
	sum->bounded = copy->bounded && (first || sum->bounded);
}

/* Each reason with the copy that gave it first. */
static void add_reasons(struct whole *whole, struct kb_verdict *to, const struct kb_verdict *from, unsigned copy)
{
	for (unsigned i = 0; i < from->count; i++) {
		const struct kb_reason *reason = &from->reasons[i];

		/* Of the whole row, not of a copy: judged again, or the same in all. */
		if (reason->code == KB_CODE_target_met || reason->code == KB_CODE_budget_exhausted || reason->code == KB_CODE_too_wide)
			continue;
		/* A failure of the line is that of another copy, which has the reason. */
		if (reason->code == KB_CODE_op_failed && strstr(reason->detail, ", barrier: ")) {
			snprintf(whole->waited, sizeof whole->waited, "%s", reason->detail);
			continue;
		}
		/* How a process ended is reported of all copies, and names the one that it was. */
		if (strstr(reason->detail, "(copy "))
			kb_verdict_add(to, reason->code, "%s", reason->detail);
		else
			kb_verdict_add(to, reason->code, "copy %u%s%.180s", copy + 1, reason->detail[0] ? ": " : "", reason->detail);
	}
}

static void add_evidence(struct kb_result *to, const struct kb_result *copy)
{
	for (unsigned i = 0, k = 0; i < to->evidence_count; i++, k = 0) {
		/* By name: an event that one CPU cannot count is not in the list of its copy. */
		while (k < copy->evidence_count && (strcmp(to->evidence[i].counter, copy->evidence[k].counter) || strcmp(to->evidence[i].who, copy->evidence[k].who)))
			k++;
		if (k == copy->evidence_count)
			continue;
		bool worse = !copy->evidence[k].known || (to->evidence[i].known && !copy->evidence[k].ok);

		if (worse && (to->evidence[i].ok || !to->evidence[i].known || !copy->evidence[k].known))
			to->evidence[i] = copy->evidence[k];
	}
}

/* What is said of all processes of one copy alone does not hold for the mean of several. */
static void begin(struct kb_result *result, const struct kb_result *first, unsigned copies)
{
	*result = *first;
	result->verdict = (struct kb_verdict){ .count = 0 };
	result->parallel = (struct kb_result_parallel){ .copies = copies };
	result->observations = result->disturbed = 0;
	result->n_eff = result->waited_share = 0;
	memset(result->flags, 0, sizeof result->flags);
	memset(result->quantile, 0, sizeof result->quantile);
	result->mode_count = result->covariate_count = 0;
	result->levels = (struct kb_result_levels){ .known = false };
	result->spread = (struct kb_result_spread){ 0 };
}

static void add_copy(struct whole *whole, struct kb_result *result, const struct kb_result *copy, unsigned i)
{
	struct kb_result_parallel *parallel = &result->parallel;
	unsigned copies = parallel->copies;

	parallel->copy[i] = copy->estimate;
	add_costs(whole, copy);
	result->observations += copy->observations;
	result->disturbed += copy->disturbed;
	result->n_eff += copy->n_eff;
	result->waited_share += copy->waited_share / copies;
	for (unsigned flag = 0; flag < KB_FLAGS; flag++)
		result->flags[flag] += copy->flags[flag];
	add_reasons(whole, &result->verdict, &copy->verdict, i);
	add_evidence(result, copy);
	add_estimate(&whole->mean, &copy->mean, copies, i == 0);
	add_estimate(&whole->fixed, &copy->fixed, copies, i == 0);
	/* A copy that failed in a process fails it for all. */
	result->processes_failed = copy->processes_failed > result->processes_failed ? copy->processes_failed : result->processes_failed;
	result->processes_contended = copy->processes_contended > result->processes_contended ? copy->processes_contended
	                                                                                : result->processes_contended;
}

static struct kb_estimate over_processes(const double *values, size_t count, bool known)
{
	if (!known || count == 0)
		return (struct kb_estimate){ .known = false };

	struct kb_interval interval = kb_t_interval(values, count, KB_SUMMARY_CONFIDENCE);

	return (struct kb_estimate){ interval.value, interval.low, interval.high, true, interval.known };
}

static struct kb_estimate if_known(struct kb_estimate estimate)
{
	return estimate.known ? estimate : (struct kb_estimate){ .known = false };
}

static void judge_width(double precision, struct kb_result *result)
{
	const struct kb_estimate *e = kb_headline(result);
	/* An empty operation has no cost that an interval could be wide of. */
	bool wanted = e->known && e->bounded && e->value != 0 && result->bound != KB_NOTHING;
	double width = wanted ? (e->high - e->low) / 2 / fabs(e->value) : NAN;

	if (width > KB_TOO_WIDE)
		kb_verdict_add(&result->verdict, KB_CODE_too_wide, "95 %% CI ±%.1f %%, limit ±%.0f %%", 100 * width, 100 * KB_TOO_WIDE);
	if (!isnan(width))
		kb_verdict_add(&result->verdict, width <= precision ? KB_CODE_target_met : KB_CODE_budget_exhausted,
		               "±%.2f %% reached, ±%.2f %% asked", 100 * width, 100 * precision);
}

/* Processes in which all copies are usable. */
static void finish(const struct whole *whole, struct kb_result *result)
{
	double cost[KB_PROCESS_COSTS_MAX], cycles[KB_PROCESS_COSTS_MAX], together[KB_PROCESS_COSTS_MAX];
	struct kb_estimate of_all;
	bool all_cycles = result->estimate_cycles.known, all_rates = result->ticks_per_ns > 0;
	unsigned copies = result->parallel.copies, n = 0;

	for (unsigned i = 0; i < whole->count; i++) {
		const struct sums *sums = &whole->sums[i];

		if (sums->copies < copies)
			continue;
		cost[n] = sums->cost / copies;
		cycles[n] = sums->cycles / copies;
		together[n] = 1 / sums->rate;
		all_cycles &= !sums->no_cycles;
		all_rates &= !sums->no_rate;
		result->process_costs[n] = (struct kb_process_cost){
			.process = sums->process, .cost = cost[n], .cycles = sums->no_cycles ? 0 : cycles[n], .observed = cost[n],
			.uncontended = NAN, .clean_share = NAN, .used = sums->used,
		};
		n++;
	}
	result->processes = result->process_cost_count = n;
	result->estimate = over_processes(cost, n, true);
	result->estimate_cycles = over_processes(cycles, n, all_cycles);
	/* Processes do equal work: their times for an operation of all copies add up, their rates do not. */
	of_all = over_processes(together, n, all_rates);
	result->parallel.aggregate = kb_rate_of(&of_all, 1e9);
	/* Contention that was asked for is no disturbance. */
	result->headline = KB_HEADLINE_OBSERVED;
	result->observed = result->estimate;
	result->observed_cycles = result->estimate_cycles;
	result->mean = if_known(whole->mean);
	result->fixed = if_known(whole->fixed);
	if (whole->waited[0] && result->verdict.status < KB_INVALID)
		kb_verdict_add(&result->verdict, KB_CODE_op_failed, "%s", whole->waited);
}

/* The processes of one copy; a proof is of one, and holds for all. */
static void of_copy(const struct kb_process_text *processes, size_t count, unsigned copy, struct kb_process_text *out)
{
	for (size_t i = 0; i < count; i++) {
		struct kb_span record = kb_parallel_record(&processes[i], processes[i].process == 0 ? 0 : copy);

		out[i] = processes[i];
		out[i].record = record.at;
		out[i].length = record.length;
	}
}

void kb_parallel_summarise(const struct kb_process_text *processes, size_t count, unsigned copies,
                           const struct kb_summary_rules *rules, struct kb_result *result)
{
	struct kb_process_text *texts = calloc(count + 1, sizeof *texts);
	struct kb_result *copy = malloc(sizeof *copy);
	struct whole *whole = calloc(1, sizeof *whole);

	*result = (struct kb_result){ .clean_share = NAN, .waited_share = NAN, .parallel = { .copies = copies } };
	for (unsigned i = 0; i < copies && texts && copy && whole; i++) {
		of_copy(processes, count, i, texts);
		kb_summarise_one(texts, count, rules, copy);
		if (i == 0)
			begin(result, copy, copies);
		add_copy(whole, result, copy, i);
	}
	if (texts && copy && whole) {
		finish(whole, result);
		kb_verdict_add(&result->verdict, KB_CODE_contention_asked, NULL);
		judge_width(rules->precision, result);
		add_overlap(processes, count, result);
	} else {
		kb_verdict_add(&result->verdict, KB_CODE_op_failed, "cannot be analysed: %s", kb_lack(ENOMEM));
	}
	free(texts);
	free(copy);
	free(whole);
}
