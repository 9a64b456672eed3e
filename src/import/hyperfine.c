/*
 * The JSON of hyperfine (--export-json), as a result of `kbench cmd`: a run of the command is a process, the cost their median. Of more runs
 * than a result keeps processes of, neighbours are put together, as batches are there.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <string.h>

#include "import/tool.h"

#define PROCESSES_MOST 100
#define NS 1e9
#define TIME_MOST 1e6           /* seconds */
#define AGREE 1e-6              /* of a mean: it was printed with more digits */

struct command {
	struct kb_import_reader *reader;
	const json_t *json;
	char where[48];                 /* "/results/3" */
	struct kb_tool_result result;
	const json_t *times, *codes;    /* arrays; codes may be missing */
	double mean;                    /* seconds */
};

static double time_of(const struct command *command, size_t i)
{
	return json_number_value(json_array_get(command->times, i));
}

static int check_times(struct command *command)
{
	char where[80];
	double sum = 0, time;

	for (size_t i = 0; i < json_array_size(command->times); i++) {
		snprintf(where, sizeof where, "%s/times/%zu", command->where, i);
		if (kb_tool_number(command->reader, json_array_get(command->times, i), where, 0, &time))
			return -EINVAL;
		if (time > TIME_MOST)
			return kb_import_refuse_at(command->reader, 0, "%s: %g s is longer than a benchmark lasts", where, time);
		sum += time;
	}
	if (fabs(sum / (double)json_array_size(command->times) - command->mean) > AGREE * command->mean)
		return kb_import_refuse_at(command->reader, 0, "%s/mean: is not the mean of its times: which is right?", command->where);
	if (command->codes && json_array_size(command->codes) != json_array_size(command->times))
		return kb_import_refuse_at(command->reader, 0, "%s/exit_codes: %zu for %zu times", command->where,
					   json_array_size(command->codes), json_array_size(command->times));
	return 0;
}

/* A command that failed did something else; null is one that a signal ended. */
static bool failed(const struct command *command, size_t i, char why[64])
{
	const json_t *code = json_array_get(command->codes, i);

	if (!code || (json_is_number(code) && !(fabs(json_number_value(code)) > 0)))
		return false;
	if (json_is_number(code))
		snprintf(why, 64, "run %zu: exit code %.0f", i + 1, json_number_value(code));
	else
		snprintf(why, 64, "run %zu: ended by a signal", i + 1);
	return true;
}

/* Runs from first to end, which is behind the last, as one process. */
static int take_runs(struct command *command, size_t first, size_t end)
{
	struct kb_import_writer writer;
	int code = kb_tool_begin(&writer, command->reader, &command->result);
	double sum = 0;
	char why[64];

	for (size_t i = first; !code && i < end; i++) {
		double time = time_of(command, i);

		kb_record_obs(&writer.record, &(struct kb_obs){ .role = KB_ROLE_OP, .n = 1, .ticks = (uint64_t)llround(time * NS),
								.t = (uint64_t)llround(sum * NS), .block = i });
		sum += time;
		writer.failed = failed(command, i, why);
		if (writer.failed) {
			kb_record_fail(&writer.record, "op", KB_NO_ERRNO, why);
			return kb_import_end(&writer, 0);
		}
	}
	if (code)
		return code;
	kb_tool_real(&writer, "reported_mean", sum / (double)(end - first) * NS);
	kb_tool_real(&writer, "reported_samples", (double)(end - first));
	return kb_import_end(&writer, 0);
}

static int take_times(struct command *command)
{
	size_t count = json_array_size(command->times), stretch = (count + PROCESSES_MOST - 1) / PROCESSES_MOST;
	int code = check_times(command);

	for (size_t i = 0; i < count && !code; i += stretch)
		code = take_runs(command, i, i + stretch < count ? i + stretch : count);
	return code;
}

static void read_params(struct command *command)
{
	const char *key;
	json_t *value;

	json_object_foreach(json_object_get(command->json, "parameters"), key, value) {
		char number[32];

		snprintf(number, sizeof number, "%.15g", json_number_value(value));
		kb_tool_param(&command->result, key, json_is_string(value) ? json_string_value(value) : number);
	}
}

static int take_command(struct kb_import_reader *reader, const json_t *json, size_t index)
{
	struct command command = { .reader = reader, .json = json, .times = json_object_get(json, "times"), .codes = json_object_get(json, "exit_codes") };
	struct kb_tool_result *result = &command.result;

	snprintf(command.where, sizeof command.where, "/results/%zu", index);
	*result = (struct kb_tool_result){ .tool = "hyperfine", .version = "", .name = kb_tool_text(json, "command"), .per = "run",
					   .method = "command", .why = "each run of the command is a process, its CI is over them" };
	if (!result->name[0])
		return kb_import_refuse_at(reader, 0, "%s/command: is missing", command.where);
	kb_tool_name(result, "hyperfine", result->name);
	read_params(&command);
	if (kb_tool_member(reader, json, "mean", command.where, 0, &command.mean))
		return -EINVAL;
	if (json_array_size(command.times) > 0)
		return take_times(&command);
	result->method = "reported";
	result->why = "a mean without its values";
	return kb_tool_cost(reader, result, command.mean * NS);
}

static bool is_hyperfine(struct kb_span text)
{
	return kb_span_starts(text, "{") && memmem(text.at, text.length, "\"results\"", 9) &&
	       memmem(text.at, text.length, "\"command\"", 9) && memmem(text.at, text.length, "\"stddev\"", 8);
}

static int read_results(struct kb_import_reader *reader)
{
	json_t *all = kb_tool_json(reader, reader->text), *results = json_object_get(all, "results");
	int code = all ? 0 : -EINVAL;

	if (all && json_array_size(results) == 0)
		code = kb_import_refuse_at(reader, 0, "/results: has no command in it");
	for (size_t i = 0; i < json_array_size(results) && !code; i++)
		code = take_command(reader, json_array_get(results, i), i);
	json_decref(all);
	return code;
}

const struct kb_import_kind kb_import_hyperfine = { "hyperfine", true, is_hyperfine, read_results, .tool = true };
