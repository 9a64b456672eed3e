/*
 * What criterion keeps of a benchmark in Rust: estimates.json with its confidence intervals, sample.json with iterations and times,
 * benchmark.json with names; or the lines of `cargo criterion --message-format=json`, which have all of these. The cost and its CI are
 * criterion's own (its slope, or its mean where samples were all of one length); the samples are kept and judged here as ours are.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/criterion.h"
#include "import/tool.h"

#define LEVEL 0.95

/* One estimate with its interval, ns an iteration. */
struct estimate { double value, low, high; bool known, bounded; };

struct bench {
	struct kb_import_reader *reader;
	struct kb_tool_result result;
	struct estimate typical, mean, median;
	const json_t *iterations, *times;       /* arrays of one length; NULL: not kept */
};

/* ---- the record ------------------------------------------------------------------------------------- */

static int put_samples(struct bench *bench, struct kb_import_writer *writer, const char *where)
{
	double n, time, sum = 0;
	char place[80];

	for (size_t i = 0; i < json_array_size(bench->iterations); i++) {
		snprintf(place, sizeof place, "%s[%zu]", where, i);
		if (kb_tool_number(bench->reader, json_array_get(bench->iterations, i), place, 1, &n) ||
		    kb_tool_number(bench->reader, json_array_get(bench->times, i), place, 0, &time))
			return -EINVAL;
		kb_record_obs(&writer->record, &(struct kb_obs){ .role = KB_ROLE_OP, .n = (uint64_t)n, .ticks = (uint64_t)llround(time),
								.t = (uint64_t)llround(sum), .block = i });
		sum = fmin(sum + time, 1e18);
	}
	return 0;
}

static int take(struct bench *bench, const char *where)
{
	const struct estimate *cost = &bench->typical;
	struct kb_tool_result *result = &bench->result;
	size_t count = json_array_size(bench->iterations);
	struct kb_import_writer writer;
	int code;

	if (count != json_array_size(bench->times))
		return kb_import_refuse_at(bench->reader, 0, "%s: %zu counts of iterations for %zu times", where, count, json_array_size(bench->times));
	if (!cost->known && count == 0)
		return kb_import_refuse_at(bench->reader, 0, "%s: '%.60s' has neither an estimate nor samples", where, result->name);
	result->tool = "criterion";
	result->version = "";
	result->per = "iteration";
	result->method = count > 0 ? "slope" : "reported";
	result->why = cost->bounded ? "the cost is criterion's own, and so is the CI of a single process" :
		      cost->known ? "the cost is criterion's own; its CI is not of 95 %, and left out" : "by its samples alone";
	code = kb_tool_begin(&writer, bench->reader, result);
	if (code)
		return code;
	if (cost->known)
		kb_tool_real(&writer, "reported_cost", cost->value);
	if (cost->bounded) {
		kb_tool_real(&writer, "reported_low", cost->low);
		kb_tool_real(&writer, "reported_high", cost->high);
	}
	if (bench->mean.known)
		kb_tool_real(&writer, "reported_mean", bench->mean.value);
	if (bench->median.known)
		kb_tool_real(&writer, "reported_median", bench->median.value);
	kb_tool_real(&writer, "reported_samples", (double)count);
	return kb_import_end(&writer, put_samples(bench, &writer, where));
}

static int check_estimate(struct bench *bench, const char *where, const struct estimate *estimate)
{
	if (estimate->bounded && !(estimate->low <= estimate->value && estimate->value <= estimate->high))
		return kb_import_refuse_at(bench->reader, 0, "%s: %g is not between the ends of its own interval, %g and %g", where, estimate->value,
					   estimate->low, estimate->high);
	return 0;
}

/* ---- names ------------------------------------------------------------------------------------------ */

/* "group", "function", "value": the group and the function name it, the value is a parameter. */
static void name_bench(struct kb_tool_result *result, const char *group, const char *function, const char *value)
{
	char words[256];

	snprintf(words, sizeof words, "%.120s%s%.120s", group, function[0] ? "." : "", function);
	kb_tool_name(result, "criterion", words);
	if (value[0])
		kb_tool_param(result, "value", value);
}

/* "group/function/value" */
static void name_bench_of(struct kb_tool_result *result, const char *id)
{
	char copy[256], *rest = copy, *group, *function, *value;

	snprintf(copy, sizeof copy, "%s", id);
	group = strsep(&rest, "/");
	function = rest ? strsep(&rest, "/") : "";
	value = rest ? rest : "";
	name_bench(result, group, function, value);
}

/* ---- lines of cargo criterion -------------------------------------------------------------------------- */

static int read_message_estimate(struct bench *bench, const json_t *line, const char *key, struct estimate *estimate)
{
	static const struct { const char *name; double ns; } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }, { "", 1 } };
	const json_t *json = json_object_get(line, key);
	const char *unit = kb_tool_text(json, "unit");
	char where[64];
	double ns = 0;

	snprintf(where, sizeof where, "line %u: /%s", bench->reader->number, key);
	if (!json_is_object(json))
		return 0;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		ns = strcmp(unit, units[i].name) == 0 ? units[i].ns : ns;
	if (!(ns > 0))
		return kb_import_refuse_at(bench->reader, 0, "%s/unit: '%.20s' is no unit of time known here", where, unit);
	if (kb_tool_member(bench->reader, json, "estimate", where, 0, &estimate->value) ||
	    kb_tool_member(bench->reader, json, "lower_bound", where, 0, &estimate->low) ||
	    kb_tool_member(bench->reader, json, "upper_bound", where, 0, &estimate->high))
		return -EINVAL;
	*estimate = (struct estimate){ estimate->value * ns, estimate->low * ns, estimate->high * ns, true, true };
	return check_estimate(bench, where, estimate);
}

static int take_message(struct kb_import_reader *reader, const json_t *line)
{
	struct bench bench = {
		.reader = reader, .result.name = kb_tool_text(line, "id"),
		.iterations = json_object_get(line, "iteration_count"), .times = json_object_get(line, "measured_values"),
	};
	const json_t *moved = json_array_get(json_object_get(line, "throughput"), 0);
	char where[32];

	if (strcmp(kb_tool_text(line, "reason"), "benchmark-complete") != 0)
		return 0;
	snprintf(where, sizeof where, "line %u", reader->number);
	if (!bench.result.name[0])
		return kb_import_refuse(reader, "/id: is missing");
	name_bench_of(&bench.result, bench.result.name);
	if (strcmp(kb_tool_text(moved, "unit"), "bytes") == 0)
		bench.result.bytes = (uint64_t)fmin(fmax(json_number_value(json_object_get(moved, "per_iteration")), 0), 1e15);
	if (read_message_estimate(&bench, line, "typical", &bench.typical) || read_message_estimate(&bench, line, "mean", &bench.mean) ||
	    read_message_estimate(&bench, line, "median", &bench.median))
		return -EINVAL;
	if (!bench.typical.known)
		bench.typical = bench.mean;
	return take(&bench, where);
}

static int read_messages(struct kb_import_reader *reader)
{
	int code = 0;

	while (!code && kb_import_next_line(reader)) {
		json_error_t error;
		json_t *line = kb_import_trimmed(reader->line).at[0] == '{' ?
			       json_loadb(reader->line.at, reader->line.length, JSON_DECODE_INT_AS_REAL | JSON_REJECT_DUPLICATES, &error) : NULL;

		/* cargo prints lines of its own among them. */
		if (!line && kb_import_trimmed(reader->line).at[0] != '{')
			continue;
		code = line ? take_message(reader, line) : kb_import_refuse(reader, "no JSON: %.80s: is the line cut off?", error.text);
		json_decref(line);
	}
	return code;
}

/* ---- files ------------------------------------------------------------------------------------------ */

/* Versions before 0.3.4 write "Slope" for "slope". */
static const json_t *member(const json_t *object, const char *key)
{
	char old[16];

	snprintf(old, sizeof old, "%s", key);
	old[0] = (char)(old[0] - 'a' + 'A');
	return json_object_get(object, key) ? json_object_get(object, key) : json_object_get(object, old);
}

static int read_estimate(struct bench *bench, const json_t *estimates, const char *key, struct estimate *estimate)
{
	const json_t *json = member(estimates, key), *interval = json_object_get(json, "confidence_interval");
	char where[32];
	double level;

	snprintf(where, sizeof where, "/%s", key);
	if (!json_is_object(json))
		return 0;
	if (kb_tool_member(bench->reader, json, "point_estimate", where, 0, &estimate->value) ||
	    kb_tool_member(bench->reader, interval, "lower_bound", where, 0, &estimate->low) ||
	    kb_tool_member(bench->reader, interval, "upper_bound", where, 0, &estimate->high) ||
	    kb_tool_member(bench->reader, interval, "confidence_level", where, 0, &level))
		return -EINVAL;
	estimate->known = true;
	estimate->bounded = fabs(level - LEVEL) < 1e-6;
	return check_estimate(bench, where, estimate);
}

/* {"iters": [], "times": []}, or of older versions [[], []]. */
static void find_samples(struct bench *bench, const json_t *sample)
{
	bench->iterations = json_is_array(sample) ? json_array_get(sample, 0) : json_object_get(sample, "iters");
	bench->times = json_is_array(sample) ? json_array_get(sample, 1) : json_object_get(sample, "times");
}

static void read_benchmark(struct bench *bench, const json_t *benchmark, const char *directory)
{
	const json_t *bytes = json_object_get(json_object_get(benchmark, "throughput"), "Bytes");
	const char *group = kb_tool_text(benchmark, "group_id"), *full = kb_tool_text(benchmark, "full_id");

	bench->result.bytes = (uint64_t)fmin(fmax(json_number_value(bytes), 0), 1e15);
	bench->result.name = full[0] ? full : directory;
	if (group[0])
		name_bench(&bench->result, group, kb_tool_text(benchmark, "function_id"), kb_tool_text(benchmark, "value_str"));
	else
		name_bench_of(&bench->result, bench->result.name);
}

/* A document of the directory: estimates, sample or benchmark. *json stays NULL where there is none. */
static int load_part(struct kb_import_reader *reader, const struct kb_criterion_files *files, enum kb_criterion_file part, json_t **json)
{
	char name[300];
	const char *text = reader->name;

	if (files->text[part].length == 0)
		return 0;
	snprintf(name, sizeof name, "%.120s/%.120s/%s", text, files->directory, kb_criterion_names[part]);
	reader->name = name;
	*json = kb_tool_json(reader, files->text[part]);
	reader->name = text;
	return *json ? 0 : -EINVAL;
}

static int take_parts(struct kb_import_reader *reader, const char *directory, json_t *const parts[KB_CRITERION_FILES])
{
	struct bench bench = { .reader = reader };
	const json_t *estimates = parts[KB_CRITERION_ESTIMATES];

	read_benchmark(&bench, parts[KB_CRITERION_BENCHMARK], directory);
	if (parts[KB_CRITERION_SAMPLE])
		find_samples(&bench, parts[KB_CRITERION_SAMPLE]);
	if (read_estimate(&bench, estimates, "slope", &bench.typical) || read_estimate(&bench, estimates, "mean", &bench.mean) ||
	    read_estimate(&bench, estimates, "median", &bench.median))
		return -EINVAL;
	if (!bench.typical.known)
		bench.typical = bench.mean;
	return take(&bench, "sample.json");
}

static int take_directory(struct kb_import_reader *reader, const struct kb_criterion_files *files)
{
	json_t *parts[KB_CRITERION_FILES] = { NULL };
	char name[300];
	const char *text = reader->name;
	int code = 0;

	for (int i = 0; i < KB_CRITERION_FILES && !code; i++)
		code = load_part(reader, files, (enum kb_criterion_file)i, &parts[i]);
	snprintf(name, sizeof name, "%.140s/%.140s", text, files->directory);
	if (!code) {
		reader->name = name;
		code = take_parts(reader, files->directory, parts);
		reader->name = text;
	}
	for (int i = 0; i < KB_CRITERION_FILES; i++)
		json_decref(parts[i]);
	return code;
}

static int read_directories(struct kb_import_reader *reader)
{
	struct kb_criterion_files files;
	size_t at = 0;
	int code = 0;

	while (!code && kb_criterion_next(reader->text, &at, &files))
		code = take_directory(reader, &files);
	return code;
}

/* ---- which of them ------------------------------------------------------------------------------------ */

static bool is_messages(struct kb_span text)
{
	return memmem(text.at, text.length, "\"benchmark-complete\"", 20) != NULL;
}

static bool is_criterion(struct kb_span text)
{
	return kb_span_starts(text, KB_CRITERION_START) || is_messages(text) || memmem(text.at, text.length, "\"median_abs_dev\"", 16) ||
	       memmem(text.at, text.length, "\"MedianAbsDev\"", 14) || memmem(text.at, text.length, "\"sampling_mode\"", 15);
}

static int read_criterion(struct kb_import_reader *reader)
{
	bool files = kb_span_starts(reader->text, KB_CRITERION_START);
	int code = files ? read_directories(reader) : is_messages(reader->text) ? read_messages(reader) : 0;

	if (!code && reader->import->run_count == 0)
		return kb_import_refuse_at(reader, 0, "no benchmark of criterion has a name in it: give the directory, such as target/criterion");
	return code;
}

const struct kb_import_kind kb_import_criterion = { "criterion", true, is_criterion, read_criterion, .tool = true };
