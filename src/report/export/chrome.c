/*
 * A whole run for the viewers of Chrome and Perfetto, in JSON of the Trace Event Format: a track a process of a benchmark, on it the spans of
 * samples that were clean, contended or disturbed, and two counters, cost and core clock, block by block. Processes stand where their
 * records say that they began; one that does not say begins where the one before it ends.
 */
#include "report/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/record.h"
#include "result/blocks.h"
#include "result/contention.h"
#include "result/json/json.h"
#include "result/summary/summary.h"
#include "workflow/floor.h"

#define COST_DIGITS 5
#define MHZ_STEP 5      /* the core clock is told anew when it has moved so far */

struct trace {
	FILE *out;
	const struct kb_export *all;
	struct kb_floor floor;          /* of the contention probe */
	uint64_t first_ms;              /* the first process began, since 1970; 0: no record says when */
	double end_ns;                  /* of the process before */
	const struct kb_result *result; /* at hand */
	unsigned track;
	const char *comma;              /* before the next event */
};

static double per_ns(const struct kb_samples *samples)
{
	return (double)samples->hz / 1e9;
}

/* Of a run that was stored with it; else what its records together show. */
static int find_floor(struct trace *trace)
{
	const json_t *stored = json_object_get(json_object_get(trace->all->run, "settings"), "floor");
	struct kb_process_text *texts = NULL;
	size_t count = 0, used = 0;
	double k = json_number_value(json_object_get(stored, "k"));

	trace->floor = (struct kb_floor){ .k = k };
	for (size_t i = 0; i < trace->all->count; i++)
		count += trace->all->rows[i].text_count;
	if (k > 0)
		return 0;
	if (!(texts = calloc(count + 1, sizeof *texts)))
		return -ENOMEM;
	for (size_t i = 0; i < trace->all->count; i++) {
		const struct kb_exported *row = &trace->all->rows[i];

		for (size_t at = 0; at < row->text_count; at++)
			texts[used++] = row->texts[at];
	}
	kb_floor_of_records(trace->all->env, texts, used, &trace->floor, &k);
	free(texts);
	return 0;
}

static int note_start(void *context, const struct kb_samples *samples, const struct kb_process_cost *cost)
{
	struct trace *trace = context;

	(void)cost;
	if (samples->started_ms > 0 && (trace->first_ms == 0 || samples->started_ms < trace->first_ms))
		trace->first_ms = samples->started_ms;
	return 0;
}

/* ---- events ------------------------------------------------------------------------------------------ */

/* "M" names a track, "X" is a span of it, "C" a counter; up to the arguments. */
static void begin_event(struct trace *trace, const char *name, char phase, unsigned process)
{
	fprintf(trace->out, "%s\n{\"name\":\"%s\",\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", trace->comma, name, phase, trace->track, process);
	trace->comma = ",";
}

static void put_us(struct trace *trace, const char *key, double ns)
{
	char text[KB_EXPORT_NUMBER];

	fprintf(trace->out, ",\"%s\":%s", key, kb_export_number(text, round(ns) / 1e3));
}

static int name_track(struct trace *trace, const char *what, unsigned process, const char *name)
{
	char *text = kb_json_take_text(json_pack("{s:o}", "name", kb_json_string(name)));

	begin_event(trace, what, 'M', process);
	fprintf(trace->out, ",\"args\":%s}", text ? text : "{}");
	free(text);
	return text ? 0 : -ENOMEM;
}

static void put_counter(struct trace *trace, const char *name, const char *unit, double ns, double value)
{
	char text[KB_EXPORT_NUMBER];

	if (!isfinite(value))
		return;
	begin_event(trace, name, 'C', 0);
	put_us(trace, "ts", ns);
	fprintf(trace->out, ",\"args\":{\"%s\":%s}}", unit, kb_export_number(text, value));
}

/* ---- one process ------------------------------------------------------------------------------------- */

/* Block by block: what an operation costs in it, neighbours included, and the clock of the core around it. */
static void put_blocks(struct trace *trace, const struct kb_samples *samples, double zero)
{
	const struct kb_points *op = &samples->op;
	struct kb_process_fit fit;
	double fixed = 0, base = 0, last = 0;

	if (!kb_methods[samples->method].one_by_one) {
		kb_fit_process(samples, &fit);
		fixed = kb_fit_fixed(&fit);
		base = fit.base_cost;
	}
	for (size_t next = 0; next < op->count;) {
		size_t first = next;
		double operations, ticks = kb_block_median(op, op->block[first], fixed, &next, &operations);
		double at = zero + op->t[first] / per_ns(samples), add = kb_contention_add(samples, op->block[first]);

		double mhz = samples->counts || !(add > 0) ? NAN : round((double)samples->hz / 1e6 / add);

		put_counter(trace, "cost", "ns", at, kb_export_rounded((ticks - base) / per_ns(samples), COST_DIGITS));
		if (fabs(mhz - last) >= MHZ_STEP)
			put_counter(trace, "core clock", "MHz", at, last = mhz);
	}
}

/* What a span of samples is called, by the flags that they have in common. */
static void name_state(char text[96], unsigned flags)
{
	size_t used = 0;

	text[0] = '\0';
	if (flags & KB_FLAG_CONTENDED)
		used = (size_t)snprintf(text, 96, "contended");
	for (unsigned bit = 0; bit < KB_FLAGS && used + 24 < 96; bit++) {
		if (flags & 1u << bit)
			used += (size_t)snprintf(text + used, 96 - used, "%s%s", used ? ", " : "", kb_flag_names[bit]);
	}
	if (!flags)
		snprintf(text, 96, "clean");
}

static void put_spans(struct trace *trace, const struct kb_samples *samples, double zero)
{
	const struct kb_points *op = &samples->op;

	for (size_t first = 0, next; first < op->count; first = next) {
		double operations = 0, end;
		char state[96];

		for (next = first; next < op->count && op->flags[next] == op->flags[first]; next++)
			operations += op->n[next];
		end = op->t[next - 1] + op->ticks[next - 1];
		name_state(state, op->flags[first]);
		begin_event(trace, state, 'X', samples->process);
		put_us(trace, "ts", zero + op->t[first] / per_ns(samples));
		/* Spans of one track nest or follow each other; samples that a benchmark took itself may overlap. */
		put_us(trace, "dur", ((next < op->count ? fmin(end, op->t[next]) : end) - op->t[first]) / per_ns(samples));
		fprintf(trace->out, ",\"args\":{\"samples\":%zu,\"operations\":%.0f}}", next - first, operations);
	}
}

static int put_process(void *context, const struct kb_samples *read, const struct kb_process_cost *cost)
{
	struct trace *trace = context;
	struct kb_samples *samples = (struct kb_samples *)(uintptr_t)read;      /* of this call alone: flagged here */
	double began = (double)samples->began / per_ns(samples);
	/* Where its t is 0. */
	double zero = samples->started_ms > 0 ? (double)(samples->started_ms - trace->first_ms) * 1e6 : trace->end_ns - began;
	char name[32], number[KB_EXPORT_NUMBER];

	if (samples->hz == 0 || samples->ended <= samples->began)
		return 0;
	trace->end_ns = zero + (double)samples->ended / per_ns(samples);
	snprintf(name, sizeof name, "process %u", samples->process);
	begin_event(trace, name, 'X', samples->process);
	put_us(trace, "ts", zero + began);
	put_us(trace, "dur", (double)(samples->ended - samples->began) / per_ns(samples));
	fprintf(trace->out, ",\"args\":{\"cost\":%s,\"unit\":\"%s\"}}", kb_export_number(number, cost->cost), kb_time_unit(trace->result));
	put_blocks(trace, samples, zero);
	kb_contention_flag(samples, &trace->floor);
	put_spans(trace, samples, zero);
	return name_track(trace, "thread_name", samples->process, name);
}

/* ---- document ---------------------------------------------------------------------------------------- */

static const char *refuses(const struct kb_exported *row)
{
	return kb_export_no_time(row) ?: kb_export_no_values(row);
}

static int put_results(struct trace *trace)
{
	int error = find_floor(trace);

	for (size_t i = 0; i < trace->all->count && !error; i++)
		error = kb_export_each_process(&trace->all->rows[i], note_start, trace);
	for (size_t i = 0; i < trace->all->count && !error; i++) {
		char name[KB_EXPORT_NAME];

		trace->result = trace->all->rows[i].result;
		trace->track++;
		error = name_track(trace, "process_name", 0, kb_export_name(name, trace->result, ' ')) ?:
			kb_export_each_process(&trace->all->rows[i], put_process, trace);
	}
	return error;
}

static int write(FILE *out, const struct kb_export *all)
{
	struct trace trace = { .out = out, .all = all, .comma = "" };
	json_t *other = json_pack("{s:o, s:o, s:o}", "run", kb_json_string(kb_export_run_text(all, "id")), "started",
				  kb_json_string(kb_export_run_text(all, "started")), "environment",
				  kb_json_string(kb_export_env_id(all, all->rows[0].result)));
	char *text = kb_json_take_text(other);
	int error = text ? 0 : -ENOMEM;

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	error = error ?: put_results(&trace);
	fprintf(out, "\n],\"otherData\":%s}\n", text ? text : "{}");
	free(text);
	return error;
}

const struct kb_export_format kb_export_chrome = {
	.name = "chrome-trace", .records = true, .refuses = refuses, .end = write,
};
