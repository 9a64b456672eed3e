/* See commands_json.h. */
#include "report/json/commands_json.h"

#include <math.h>
#include <sys/wait.h>

#include "result/json/comparison.h"
#include "result/json/json.h"
#include "store/document.h"

static void set(json_t *object, const char *name, const struct kb_estimate *estimate)
{
	json_object_set_new(object, name, kb_json_estimate(estimate));
}

static json_t *exit_codes(const struct kb_timed_command *command)
{
	json_t *codes = json_array();

	for (size_t i = 0; i < command->use_count; i++) {
		int status = command->uses[i].status;

		json_array_append_new(codes, json_integer(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)));
	}
	return codes;
}

static json_t *command_to_json(const struct kb_commands *job, size_t index)
{
	const struct kb_timed_command *command = &job->commands[index];
	const struct kb_command_means *means = &job->means[index];
	json_t *object = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "row", job->rows[index].key, "name", kb_json_string(command->name), "text",
				   kb_json_string(command->text), "runs", kb_json_whole(command->use_count), "batches", kb_json_whole(command->batches),
				   "memory_most_bytes", kb_json_real(means->memory_most), "exit_codes", exit_codes(command));

	set(object, "time_ns", &means->time);
	set(object, "user_ns", &means->user);
	set(object, "system_ns", &means->system);
	set(object, "memory_bytes", &means->memory);
	set(object, "minor_faults", &means->minor);
	set(object, "major_faults", &means->major);
	set(object, "context_switches", &means->switches);
	return object;
}

static json_t *ratio(const struct kb_interval *ln)
{
	return kb_json_estimate(&(struct kb_estimate){ exp(ln->value), exp(ln->low), exp(ln->high), ln->known, ln->known });
}

static json_t *comparison_to_json(const struct kb_commands *job, size_t index)
{
	const struct kb_turn_effects *effects = &job->effects[index];
	json_t *row = kb_comparison_to_json(&job->comparisons[index]);

	json_object_set_new(row, "order_ratio", ratio(&effects->order));
	json_object_set_new(row, "order_matters", json_boolean(effects->order_matters));
	json_object_set_new(row, "first_ratio", ratio(&effects->first));
	json_object_set_new(row, "first_matters", json_boolean(effects->first_matters));
	json_object_set_new(row, "clock_ratio", ratio(&effects->clock));
	json_object_set_new(row, "cycles_ratio", ratio(&effects->cycles));
	json_object_set_new(row, "clock_explains", json_boolean(effects->clock_explains));
	return row;
}

json_t *kb_commands_to_json(const struct kb_commands *job)
{
	json_t *results = json_array(), *commands = json_array(), *comparisons = json_array(), *document;

	for (size_t i = 0; i < job->count; i++) {
		json_array_append_new(results, kb_result_to_json(&job->rows[i].result));
		json_array_append_new(commands, command_to_json(job, i));
		if (i > 0)
			json_array_append_new(comparisons, comparison_to_json(job, i));
	}
	document = kb_result_document(kb_stored_run_to_json(&job->w.stored), json_incref(job->w.env), results);
	if (!document || json_object_set_new(document, "commands", commands) || json_object_set_new(document, "comparisons", comparisons) ||
	    json_object_set_new(document, "shell_ns", job->shell_ns.known ? kb_json_estimate(&job->shell_ns) : json_null())) {
		json_decref(document);
		return NULL;
	}
	return document;
}
