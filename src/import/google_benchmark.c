/*
 * The JSON of Google Benchmark (--benchmark_format=json). A repetition is a process here, though all run in one: the reason single_launch
 * says so. Where only aggregates were kept, their mean and standard deviation over the repetitions stand for these.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/tool.h"

#define BYTES_AGREE 1e-3        /* of a byte count that comes from a rate */

struct file {
	struct kb_import_reader *reader;
	struct kb_tool_result machine;          /* what the context says, for each result */
	const json_t *benchmarks;
	json_t *repetitions;                    /* by run name: how many there are */
};

struct entry {
	const json_t *json;
	char where[40];                         /* "/benchmarks/3" */
	const char *run_name;
	double real, cpu;                       /* ns */
};

/* ---- names: "BM_copy/4096/threads:2/real_time" ---------------------------------------------------------- */

static bool is_number(const char *part)
{
	return part[0] && strspn(part, "0123456789.-") == strlen(part);
}

/* How long and how often it was measured is no part of what was. */
static void take_part(struct kb_tool_result *result, char *words, size_t room, char *part, unsigned *arguments)
{
	char *value = strchr(part, ':'), key[16];

	if (is_number(part)) {
		snprintf(key, sizeof key, *arguments > 0 ? "arg%u" : "arg", *arguments + 1);
		++*arguments;
		kb_tool_param(result, key, part);
	} else if (kb_list_has("real_time,process_time,manual_time", part)) {
		kb_tool_param(result, "timed_by", part);
	} else if (value && value[1] && value[1] != ':' && value > part) {
		*value = '\0';
		if (!kb_list_has("repeats,iterations,min_time,min_warmup_time", part))
			kb_tool_param(result, part, value + 1);
	} else {
		snprintf(words + strlen(words), room - strlen(words), "%s%s", words[0] ? "." : "", part);
	}
}

static void take_name(struct kb_tool_result *result, const char *run_name)
{
	char copy[512], words[512] = "", *rest = copy, *part;
	unsigned arguments = 0;

	result->name = run_name;
	/* One that is longer than any is told from others by the hash of all of it. */
	if (strlen(run_name) >= sizeof copy) {
		kb_tool_name(result, "google", run_name);
		return;
	}
	snprintf(copy, sizeof copy, "%s", run_name);
	while ((part = strsep(&rest, "/")) != NULL)
		take_part(result, words, sizeof words, part, &arguments);
	kb_tool_name(result, "google", words);
}

/* ---- an entry --------------------------------------------------------------------------------------------- */

static int read_entry(struct kb_import_reader *reader, const json_t *json, size_t index, struct entry *entry)
{
	static const struct { const char *name; double ns; } units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *unit = kb_tool_text(json, "time_unit");
	double ns = unit[0] ? 0 : 1;

	*entry = (struct entry){ .json = json, .run_name = kb_tool_text(json, "run_name") };
	snprintf(entry->where, sizeof entry->where, "/benchmarks/%zu", index);
	if (!entry->run_name[0])
		entry->run_name = kb_tool_text(json, "name");
	if (!entry->run_name[0])
		return kb_import_refuse_at(reader, 0, "%s/name: is missing", entry->where);
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		ns = strcmp(unit, units[i].name) == 0 ? units[i].ns : ns;
	if (!(ns > 0))
		return kb_import_refuse_at(reader, 0, "%s/time_unit: '%.20s' is none of ns, us, ms and s", entry->where, unit);
	if (json_is_true(json_object_get(json, "error_occurred")) || json_is_true(json_object_get(json, "skipped")))
		return 0;
	if (kb_tool_member(reader, json, "real_time", entry->where, 0, &entry->real) ||
	    kb_tool_member(reader, json, "cpu_time", entry->where, 0, &entry->cpu))
		return -EINVAL;
	entry->real *= ns;
	entry->cpu *= ns;
	return 0;
}

/* Its rates are by the CPU time, unless the benchmark asked for another. What comes to no whole number of bytes is a mean of several. */
static uint64_t bytes_of(const struct entry *entry)
{
	bool real = strstr(entry->run_name, "/real_time") || strstr(entry->run_name, "/manual_time");
	double bytes = json_number_value(json_object_get(entry->json, "bytes_per_second")) * (real ? entry->real : entry->cpu) * 1e-9;
	double whole = round(bytes);

	return whole >= 1 && whole < 1e15 && fabs(bytes - whole) <= BYTES_AGREE * whole ? (uint64_t)whole : 0;
}

static int take_failure(struct kb_import_writer *writer, const json_t *json)
{
	bool skipped = json_is_true(json_object_get(json, "skipped"));
	const char *why = kb_tool_text(json, skipped ? "skip_message" : "error_message");

	if (skipped)
		kb_record_note(&writer->record, "need_unmet", why);
	kb_record_fail(&writer->record, skipped ? "setup" : "op", KB_NO_ERRNO, why);
	writer->failed = true;
	return kb_import_end(writer, 0);
}

static int take_repetition(struct file *file, const struct entry *entry)
{
	struct kb_tool_result result = file->machine;
	size_t count = (size_t)json_integer_value(json_object_get(file->repetitions, entry->run_name));
	struct kb_import_writer writer;
	int code;

	take_name(&result, entry->run_name);
	result.bytes = bytes_of(entry);
	result.why = count > 1 ? "its CI is over repetitions in one process" : "one number a run";
	code = kb_tool_begin(&writer, file->reader, &result);
	if (code)
		return code;
	if (!(entry->real > 0))
		return take_failure(&writer, entry->json);
	if (count > 1)
		kb_record_note(&writer.record, "single_launch", "repetitions in one process");
	kb_tool_real(&writer, "reported_mean", entry->real);
	kb_tool_real(&writer, "reported_cpu", entry->cpu);
	return kb_import_end(&writer, 0);
}

/* ---- aggregates -------------------------------------------------------------------------------------------- */

static const json_t *find_aggregate(const struct file *file, const char *run_name, const char *name, size_t *index)
{
	for (*index = 0; *index < json_array_size(file->benchmarks); ++*index) {
		const json_t *json = json_array_get(file->benchmarks, *index);

		if (strcmp(kb_tool_text(json, "run_name"), run_name) == 0 && strcmp(kb_tool_text(json, "aggregate_name"), name) == 0)
			return json;
	}
	return NULL;
}

static int take_aggregates(struct file *file, const struct entry *mean)
{
	struct kb_tool_result result = file->machine;
	struct kb_import_writer writer;
	struct entry sd = { .real = 0 };
	double repetitions;
	size_t at;
	const json_t *json = find_aggregate(file, mean->run_name, "stddev", &at);
	int code = kb_tool_member(file->reader, mean->json, "iterations", mean->where, 1, &repetitions);

	if (code || (json && (code = read_entry(file->reader, json, at, &sd)) != 0))
		return code;
	take_name(&result, mean->run_name);
	result.why = json ? "its CI is of the standard deviation over repetitions in one process" : "a mean alone";
	code = kb_tool_begin(&writer, file->reader, &result);
	if (code)
		return code;
	kb_tool_real(&writer, "reported_mean", mean->real);
	kb_tool_real(&writer, "reported_samples", repetitions);
	if (json) {
		kb_tool_real(&writer, "reported_sd", sd.real);
		kb_tool_real(&writer, "reported_repetitions", repetitions);
	}
	return kb_import_end(&writer, 0);
}

/* ---- the file ------------------------------------------------------------------------------------------------ */

static void read_context(struct file *file, const json_t *context)
{
	struct kb_tool_result *machine = &file->machine;
	struct kb_text facts = kb_text_in(machine->facts, sizeof machine->facts);
	const char *build = kb_tool_text(context, "library_build_type");

	*machine = (struct kb_tool_result){ .tool = "google-benchmark", .version = kb_tool_text(context, "library_version"), .per = "iteration",
					    .method = "reported" };
	snprintf(machine->machine, sizeof machine->machine, "%.*s", (int)kb_clipped(kb_tool_text(context, "host_name"), 60),
		 kb_tool_text(context, "host_name"));
	kb_import_date(kb_tool_text(context, "date"), machine->started);
	kb_text_str(&facts, "num_cpus=");
	kb_text_u64(&facts, (uint64_t)fmin(fmax(json_number_value(json_object_get(context, "num_cpus")), 0), 1e6));
	kb_text_str(&facts, " mhz_per_cpu=");
	kb_text_u64(&facts, (uint64_t)fmin(fmax(json_number_value(json_object_get(context, "mhz_per_cpu")), 0), 1e6));
	if (strcmp(build, "debug") == 0)
		kb_text_str(&facts, " library=debug");
}

/* Counts them, and holds each count against what the file says of it. */
static int count_repetitions(struct file *file)
{
	const char *name;
	json_t *entry, *count;
	size_t i;

	json_array_foreach((json_t *)(uintptr_t)file->benchmarks, i, entry) {
		name = kb_tool_text(entry, "run_name")[0] ? kb_tool_text(entry, "run_name") : kb_tool_text(entry, "name");
		count = json_object_get(file->repetitions, name);
		if (strcmp(kb_tool_text(entry, "run_type"), "aggregate") != 0)
			json_object_set_new(file->repetitions, name, json_integer(json_integer_value(count) + 1));
	}
	json_array_foreach((json_t *)(uintptr_t)file->benchmarks, i, entry) {
		double said = json_number_value(json_object_get(entry, "repetitions"));

		name = kb_tool_text(entry, "run_name");
		count = json_object_get(file->repetitions, name);
		if (count && said >= 1 && fabs(said - (double)json_integer_value(count)) > 0)
			return kb_import_refuse_at(file->reader, 0, "/benchmarks/%zu/repetitions: is %.0f, and '%.60s' has %lld: is the file cut?", i,
						   said, name, (long long)json_integer_value(count));
	}
	return 0;
}

static int take_entry(struct file *file, size_t index)
{
	const json_t *json = json_array_get(file->benchmarks, index);
	const char *aggregate = kb_tool_text(json, "aggregate_name");
	struct entry entry;
	int code;

	/* What is not kept: median and variation of repetitions, and fits over arguments. */
	if (aggregate[0] && strcmp(aggregate, "mean") != 0)
		return 0;
	code = read_entry(file->reader, json, index, &entry);
	if (code)
		return code;
	if (!aggregate[0])
		return take_repetition(file, &entry);
	return json_object_get(file->repetitions, entry.run_name) ? 0 : take_aggregates(file, &entry);
}

static bool is_google(struct kb_span text)
{
	return kb_span_starts(text, "{") && memmem(text.at, text.length, "\"context\"", 9) && memmem(text.at, text.length, "\"benchmarks\"", 12) &&
	       memmem(text.at, text.length, "\"real_time\"", 11);
}

static int read_benchmarks(struct kb_import_reader *reader)
{
	json_t *all = kb_tool_json(reader, reader->text);
	struct file file = { .reader = reader, .benchmarks = json_object_get(all, "benchmarks"), .repetitions = json_object() };
	int code = all ? 0 : -EINVAL;

	if (all && json_array_size(file.benchmarks) == 0)
		code = kb_import_refuse_at(reader, 0, "/benchmarks: has no benchmark in it");
	read_context(&file, json_object_get(all, "context"));
	if (!code)
		code = count_repetitions(&file);
	for (size_t i = 0; i < json_array_size(file.benchmarks) && !code; i++)
		code = take_entry(&file, i);
	json_decref(file.repetitions);
	json_decref(all);
	return code;
}

const struct kb_import_kind kb_import_google = { "google-benchmark", true, is_google, read_benchmarks, .tool = true };
