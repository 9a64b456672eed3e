/*
 * What `perf bench` prints, one run or several behind each other: a header that names the benchmark, and its numbers. A run is a process;
 * perf says nothing of how sure they are.
 *
 *	# Running 'syscall/basic' benchmark:            "# Running syscall/basic benchmark..." of `perf bench all`
 *	     Total time: 1.863 [sec]
 *	       0.186353 usecs/op
 *	        5366162 ops/sec
 *
 * --format=simple prints the total time, or the rate in bytes, and no name unless several functions follow each other.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/tool.h"

#define START "# Running "
#define AGREE 0.02              /* of a rate and a time that are printed beside each other */

struct bench {
	struct kb_import_reader *reader;
	struct kb_tool_result result;
	char name[96];                  /* "syscall/basic"; "": none was begun */
	char function[48];              /* of mem benchmarks */
	double total, op, rate, copied;         /* s, ns, per second, bytes; NAN: not printed */
	unsigned line, count;           /* of the header; results of it */
	bool bare;                      /* of the simple format: numbers have no unit */
};

/* ---- one result ------------------------------------------------------------------------------------- */

static void begin(struct bench *bench)
{
	char words[sizeof bench->name];

	bench->result = (struct kb_tool_result){ .tool = "perf-bench", .version = "", .name = bench->name, .per = "op", .method = "reported",
						 .why = "one number a run; perf gives no CI" };
	snprintf(words, sizeof words, "%s", bench->name);
	for (char *slash = strchr(words, '/'); slash; slash = strchr(slash, '/'))
		*slash = '_';
	if (bench->reader->options->bench)
		snprintf(bench->result.bench, sizeof bench->result.bench, "%s", bench->reader->options->bench);
	else
		kb_tool_name(&bench->result, "perf_bench", words);
	if (bench->function[0])
		kb_tool_param(&bench->result, "function", bench->function);
}

static int take(struct bench *bench, double ns)
{
	bench->count++;
	return kb_tool_cost(bench->reader, &bench->result, ns);
}

/* A header without numbers is a run that was cut off, or failed. */
static int take_nothing(struct bench *bench)
{
	struct kb_import_writer writer;
	int code;

	begin(bench);
	code = kb_tool_begin(&writer, bench->reader, &bench->result);
	if (code)
		return code;
	snprintf(writer.process.cut, sizeof writer.process.cut, "%.60s: no number that is known here follows its header", bench->name);
	writer.process.cut_line = bench->line;
	return kb_import_end(&writer, 0);
}

/* Time and rate are two views of one number. */
static int take_operation(struct bench *bench)
{
	if (isfinite(bench->op) && isfinite(bench->rate) && bench->op > 1 && bench->rate > 100 && fabs(bench->op * 1e-9 * bench->rate - 1) > AGREE)
		return kb_import_refuse(bench->reader, "%g ops/sec and %g usecs/op contradict each other: which is right?", bench->rate,
					1e-3 * bench->op);
	begin(bench);
	if (isfinite(bench->op))
		return take(bench, bench->op);
	if (isfinite(bench->rate))
		return take(bench, bench->rate > 0 ? 1e9 / bench->rate : 0);
	/* All of its work is one operation. */
	bench->result.per = "run";
	return take(bench, 1e9 * bench->total);
}

static int end(struct bench *bench)
{
	bool open = isfinite(bench->op) || isfinite(bench->rate) || isfinite(bench->total);
	int code = !bench->name[0] ? 0 : open ? take_operation(bench) : bench->count == 0 ? take_nothing(bench) : 0;

	bench->op = bench->rate = bench->total = NAN;
	return code;
}

/* ---- lines ------------------------------------------------------------------------------------------ */

/* "'sched/pipe' benchmark:" or "sched/pipe benchmark..." */
static int start(struct bench *bench, const char *name)
{
	int code = end(bench);

	/* "perf bench all" may be in the simple format. */
	bench->bare = name[0] != '\'';
	name += !bench->bare;
	snprintf(bench->name, sizeof bench->name, "%.*s", (int)strcspn(name, "' "), name);
	bench->function[0] = '\0';
	bench->line = bench->reader->number;
	bench->count = 0;
	bench->copied = NAN;
	return code;
}

/* "# Copying 1MB bytes ..." */
static void read_size(struct bench *bench, const char *text)
{
	static const char units[] = "BKMG";
	char *rest;
	double bytes = strtod(text, &rest);
	const char *unit = *rest ? strchr(units, *rest) : NULL;

	bench->copied = unit ? bytes * pow(1024, (double)(unit - units)) : NAN;
}

/* "12.3 GB/sec" of 1024 each; perf's simple format prints bytes per second alone. */
static int take_bandwidth(struct bench *bench, double value, const char *unit)
{
	static const char units[] = "bKMG";
	const char *at = strchr(units, unit[0]);
	double rate = value * pow(1024, at ? (double)(at - units) : 0);

	begin(bench);
	bench->result.bytes = isfinite(bench->copied) && bench->copied >= 1 && bench->copied < 1e15 ? (uint64_t)bench->copied : 1048576;
	bench->result.per = isfinite(bench->copied) ? "copy" : "MiB";
	return take(bench, rate > 0 ? 1e9 * (double)bench->result.bytes / rate : 0);
}

/* "Averaged 2637312 operations/sec (+- 5.42%), total secs = 1": by thread */
static int take_average(struct bench *bench, double rate)
{
	begin(bench);
	bench->result.why = "an average over its threads, without a CI of the cost";
	return take(bench, rate > 0 ? 1e9 / rate : 0);
}

/* Of the simple format, which has nothing else. */
static int take_total(struct bench *bench, double seconds)
{
	int code = isfinite(bench->total) ? end(bench) : 0;

	if (!bench->bare)
		return kb_import_refuse(bench->reader, "a number without a unit behind '%.60s': results of --format=simple belong into a file "
					"of their own, and --name names what they are", bench->name);
	bench->total = seconds;
	return code;
}

static int take_number(struct bench *bench, const char *line)
{
	char *unit;
	double value = strtod(line, &unit);

	if (!bench->name[0] || unit == line || strspn(line, "0123456789.") == 0)
		return 0;
	unit += strspn(unit, " ");
	if (!(value < 1e15))
		return kb_import_refuse(bench->reader, "'%.40s' is no such number: must be below 1e15", line);
	if (strcmp(unit, "usecs/op") == 0)
		bench->op = 1e3 * value;
	else if (strcmp(unit, "nsecs/op") == 0)
		bench->op = value;
	else if (strcmp(unit, "ops/sec") == 0)
		bench->rate = value;
	else if (kb_list_has("GB/sec,MB/sec,KB/sec,bytes/sec", unit) || (!unit[0] && bench->bare && bench->function[0]))
		return take_bandwidth(bench, value, unit[0] ? unit : "b");
	else if (!unit[0])
		return take_total(bench, value);
	return 0;
}

/* Behind the words, or NULL. */
static const char *after(const char *line, const char *words)
{
	return strncmp(line, words, strlen(words)) == 0 ? line + strlen(words) : NULL;
}

static int take_line(struct bench *bench, const char *line)
{
	const char *value;

	if (after(line, START) && strstr(line, " benchmark"))
		return start(bench, line + strlen(START));
	if ((value = after(line, "# function '")) != NULL)
		snprintf(bench->function, sizeof bench->function, "%.*s", (int)strcspn(value, "'"), value);
	if ((value = after(line, "# Copying ")) != NULL)
		read_size(bench, value);
	if ((value = after(line, "Total time: ")) != NULL && strstr(value, "[sec]"))
		bench->total = strtod(value, NULL);
	if ((value = after(line, "Averaged ")) != NULL && bench->name[0] && strstr(value, "operations/sec"))
		return take_average(bench, strtod(value, NULL));
	return take_number(bench, line);
}

static bool is_perf(struct kb_span text)
{
	size_t at = kb_import_find_line(text, 0, START);
	const char *end = at < text.length ? memchr(text.at + at, '\n', text.length - at) : NULL;

	return end && memmem(text.at + at, (size_t)(end - text.at) - at, " benchmark", 10);
}

/* kb_import_next_line passes over what begins with '#', and that is where perf has its names. */
static int read_runs(struct kb_import_reader *reader)
{
	struct bench bench = { .reader = reader, .op = NAN, .rate = NAN, .total = NAN, .copied = NAN };
	struct kb_span rest = reader->text;
	char line[200];
	int code = 0;

	bench.bare = reader->options->bench != NULL;
	snprintf(bench.name, sizeof bench.name, "%s", bench.bare ? reader->options->bench : "");
	while (rest.length > 0 && !code) {
		const char *newline = memchr(rest.at, '\n', rest.length);
		size_t length = newline ? (size_t)(newline - rest.at) : rest.length;
		struct kb_span trimmed = kb_import_trimmed((struct kb_span){ rest.at, length });

		reader->number++;
		snprintf(line, sizeof line, "%.*s", (int)(trimmed.length < sizeof line ? trimmed.length : sizeof line - 1), trimmed.at);
		code = take_line(&bench, line);
		length += newline != NULL;
		rest = (struct kb_span){ rest.at + length, rest.length - length };
	}
	if (!code)
		code = end(&bench);
	if (!code && reader->import->run_count == 0)
		return kb_import_refuse_at(reader, 0, "no line of it is '# Running ... benchmark': is it what perf bench printed? --name names "
					   "what --format=simple leaves unnamed");
	return code;
}

const struct kb_import_kind kb_import_perf = { "perf-bench", true, is_perf, read_runs, .tool = true };
