/*
 * From a log to times without the trace points: value - effective - (pairs completely inside) x total. Which pairs lay inside
 * is known from the stamps with which they began. Of a pair that only began or ended inside, a part of its cost between
 * nothing and all is in the value: nothing is subtracted for it, and its most is told.
 */
#include "trace/points/read.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "grown.h"
#include "kbench_trace.h"

#define CONFIDENCE 0.95

struct list { double *at; size_t count; };

struct reading {
	struct kb_trace_read *read;
	struct list inner, outer;
	bool trace;             /* it is a log of trace points */
	unsigned bad_key;       /* lines without a usable key */
};

/* ---- moments ------------------------------------------------------------------------------------------- */

void kb_trace_moments_of(struct kb_trace_moments *m, const double *values, size_t count)
{
	*m = (struct kb_trace_moments){ .count = count };
	if (count == 0)
		return;
	m->min = INFINITY;
	m->max = -INFINITY;
	for (size_t i = 0; i < count; i++) {
		m->min = fmin(m->min, values[i]);
		m->max = fmax(m->max, values[i]);
	}
	m->mean = kb_mean(values, count);
	m->variance = kb_variance(values, count);
	m->sd = sqrt(m->variance);
	m->sd_percent = 100 * m->sd / m->mean;
	m->median = kb_quantile_interval(values, count, .5, CONFIDENCE);
	for (size_t i = 0; i < count; i++) {
		double away = fabs(values[i] - m->median.value);

		if (away > 0 && (m->step <= 0 || away < m->step))
			m->step = away;
	}
}

int kb_trace_overhead_of(struct kb_trace_overhead *overhead, const double *inner, const double *outer, size_t count)
{
	double *difference = malloc((count + 1) * sizeof *difference);

	if (!difference)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		difference[i] = outer[i] - inner[i];
	kb_trace_moments_of(&overhead->effective, inner, count);
	kb_trace_moments_of(&overhead->total, difference, count);
	free(difference);
	return 0;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

static int add(struct list *list, uint64_t value)
{
	if (!KB_GROW(list->at, list->count))
		return -ENOMEM;
	list->at[list->count++] = (double)value;
	return 0;
}

static int add_pair(struct reading *reading, const struct kb_obs *obs)
{
	struct kb_trace_read *read = reading->read;
	uint64_t key;

	if (!kb_record_field_u64(obs->extra, "x.key", &key) || key >= KB_TRACE_READ_KEYS) {
		reading->bad_key++;
		return 0;
	}
	if (!KB_GROW(read->pairs, read->count))
		return -ENOMEM;
	read->pairs[read->count++] = (struct kb_trace_pair){
		.ticks = obs->ticks, .begin = obs->t, .key = (unsigned)key, .thread = (unsigned)obs->block,
		.saturated = obs->ticks >= KB_TRACE_TICKS_MAX,
	};
	return 0;
}

static uint64_t field(struct kb_span rest, const char *key)
{
	uint64_t value = 0;

	kb_record_field_u64(rest, key, &value);
	return value;
}

static void add_thread(struct kb_trace_read *read, struct kb_span rest)
{
	struct kb_trace_counts *counts = &read->counts;

	counts->threads++;
	counts->running += field(rest, "running");
	counts->lost += field(rest, "lost");
	counts->open += field(rest, "open");
	counts->overwritten += field(rest, "overwritten");
	counts->unopened += field(rest, "unopened");
	counts->entries += field(rest, "entries");
}

static void take_header(struct reading *reading, const struct kb_line *line)
{
	struct kb_trace_read *read = reading->read;
	uint64_t mark, ordered = 1;

	if (kb_span_is(line->word, "clock")) {
		struct kb_span rest = line->rest, name = kb_span_word(&rest);

		snprintf(read->clock, sizeof read->clock, "%.*s", (int)name.length, name.at);
		read->hz = field(rest, "hz");
		kb_record_field_u64(rest, "ordered", &ordered);
		read->light = ordered == 0;
	}
	if (!kb_span_is(line->word, "env"))
		return;
	reading->trace |= field(line->rest, "trace") == 1;
	if (kb_record_field_u64(line->rest, "mark", &mark) && mark < KB_TRACE_READ_KEYS)
		read->keys[mark].marks++;
}

static int take(struct reading *reading, const struct kb_line *line)
{
	if (line->kind == KB_LINE_HEADER)
		take_header(reading, line);
	else if (line->kind == KB_LINE_BLOCK)
		add_thread(reading->read, line->block.rest);
	else if (line->kind == KB_LINE_PROBE && strcmp(line->probe.name, "nested") == 0)
		return add(&reading->outer, line->probe.ticks);
	else if (line->kind == KB_LINE_OBS && line->obs.role == KB_ROLE_BASE)
		return add(&reading->inner, line->obs.ticks);
	else if (line->kind == KB_LINE_OBS && line->obs.role == KB_ROLE_OP)
		return add_pair(reading, &line->obs);
	return 0;
}

static int read_lines(struct reading *reading, const char *text, size_t length, char *error)
{
	struct kb_record_reader reader;
	struct kb_line line;
	int result = 0;

	kb_record_open(&reader, text, length);
	while (result == 0 && kb_record_next(&reader, &line) != KB_LINE_NONE)
		result = take(reading, &line);
	if (result)
		return result;
	error[0] = '\0';
	if (reader.state != KB_RECORD_WHOLE)
		snprintf(error, 160, "line %llu: %s", (unsigned long long)reader.line, kb_record_state_words(reader.state));
	else if (!reading->trace)
		snprintf(error, 160, "a record, but not of trace points; kbench analyze reads it");
	else if (reading->bad_key > 0)
		snprintf(error, 160, "%u samples have no key below %u", reading->bad_key, KB_TRACE_READ_KEYS);
	else if (reading->inner.count != reading->outer.count || reading->inner.count == 0)
		snprintf(error, 160, "the overhead of a pair is missing: no empty pairs, or not as many inner as outer ones");
	return error[0] ? -EINVAL : 0;
}

/* ---- nesting and correction ---------------------------------------------------------------------------- */

/* Entries of a thread stand in order of their ends, so that all that ended inside pair `at` stand right before it. */
static void relate(struct kb_trace_pair *pairs, size_t at)
{
	struct kb_trace_pair *outer = &pairs[at];

	for (size_t i = at; i-- > 0 && pairs[i].thread == outer->thread;) {
		struct kb_trace_pair *other = &pairs[i];

		if (other->saturated)
			continue;
		if (other->begin + other->ticks <= outer->begin)
			break;
		if (other->begin >= outer->begin) {
			outer->inside++;
		} else {
			outer->crossing++;
			other->crossing++;
		}
	}
}

/* Where the clock's steps are coarse, all values near the median are equal, and the interval alone would claim to be exact. If
   there is no other value, a step is one tick at least; what has no rate counts instructions or cycles, and may be exact. */
static double half_width(const struct kb_trace_read *read, const struct kb_trace_moments *m)
{
	double half = m->median.known ? (m->median.high - m->median.low) / 2 : 0, step = m->step > 0 ? m->step : read->hz > 0;

	return half > 0 ? half : step / 2;
}

/* values and corrected hold room for all pairs. */
static void judge_key(struct kb_trace_read *read, unsigned number, double *values, double *corrected)
{
	const struct kb_trace_overhead *overhead = &read->overhead;
	double effective = overhead->effective.median.value, total = overhead->total.median.value;
	struct kb_trace_key *key = &read->keys[number];
	size_t count = 0;

	for (size_t i = 0; i < read->count; i++) {
		const struct kb_trace_pair *pair = &read->pairs[i];

		if (pair->key != number || pair->saturated)
			continue;
		values[count] = (double)pair->ticks;
		corrected[count] = values[count] - effective - (double)pair->inside * total;
		key->inside += (double)pair->inside;
		key->crossing += (double)pair->crossing;
		count++;
	}
	if (count == 0)
		return;
	kb_trace_moments_of(&key->value, values, count);
	kb_trace_moments_of(&key->corrected, corrected, count);
	key->inside /= (double)count;
	key->crossing /= (double)count;
	/* Added, not squared: the parts come from one calibration and need not be independent. */
	key->uncertainty = half_width(read, &key->corrected) + half_width(read, &overhead->effective) +
			   key->inside * half_width(read, &overhead->total);
	key->crossing_most = key->crossing * total;
}

static int judge(struct kb_trace_read *read)
{
	double *values = malloc((2 * read->count + 1) * sizeof *values);

	if (!values)
		return -ENOMEM;
	for (size_t i = 0; i < read->count; i++) {
		read->counts.saturated += read->pairs[i].saturated;
		if (!read->pairs[i].saturated)
			relate(read->pairs, i);
	}
	for (unsigned k = 0; k < KB_TRACE_READ_KEYS; k++)
		judge_key(read, k, values, values + read->count);
	free(values);
	return 0;
}

int kb_trace_read(struct kb_trace_read *read, const char *text, size_t length, char error[160])
{
	struct reading reading = { .read = read };
	int result;

	*read = (struct kb_trace_read){ 0 };
	result = read_lines(&reading, text, length, error);
	if (result == 0)
		result = kb_trace_overhead_of(&read->overhead, reading.inner.at, reading.outer.at, reading.inner.count);
	if (result == 0)
		result = judge(read);
	free(reading.inner.at);
	free(reading.outer.at);
	return result;
}

void kb_trace_read_free(struct kb_trace_read *read)
{
	free(read->pairs);
	read->pairs = NULL;
}
