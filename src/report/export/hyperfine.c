/* See hyperfine.h. Names of fields, columns and their order are hyperfine's own. */
#include "report/export/hyperfine.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>

#include "base/text.h"
#include "report/export/export.h"
#include "report/text/number_format.h"
#include "result/json/json.h"

static double seconds(double ns)
{
	return ns / 1e9;
}

static json_t *result(const struct kb_commands *job, size_t index)
{
	const struct kb_timed_command *command = &job->commands[index];
	const struct kb_command_means *means = &job->means[index];
	json_t *times = json_array(), *codes = json_array(), *memory = json_array(), *object, *parameters = json_object();

	for (size_t i = 0; i < command->use_count; i++) {
		int status = command->uses[i].status;

		json_array_append_new(times, json_real(seconds(kb_command_ns(job, command, i))));
		/* As hyperfine has it: null of a run that a signal ended. */
		json_array_append_new(codes, WIFEXITED(status) ? json_integer(WEXITSTATUS(status)) : json_null());
		json_array_append_new(memory, json_integer((json_int_t)command->uses[i].memory_bytes));
	}
	for (unsigned i = 0; i < command->variable_count; i++)
		json_object_set_new(parameters, command->variables[i], kb_json_string(command->values[i]));
	object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "command", kb_json_string(command->name), "mean",
			   json_real(seconds(means->time.value)), "stddev", command->use_count > 1 ? json_real(seconds(means->deviation)) : json_null(),
			   "median", json_real(seconds(means->median)), "user", json_real(seconds(means->user.value)), "system",
			   json_real(seconds(means->system.value)), "min", json_real(seconds(means->least)), "max", json_real(seconds(means->most)),
			   "times", times, "memory_usage_byte", memory, "exit_codes", codes);
	if (object && command->variable_count > 0)
		json_object_set(object, "parameters", parameters);
	json_decref(parameters);
	return object;
}

int kb_hyperfine_json(FILE *out, const struct kb_commands *job)
{
	json_t *results = json_array(), *document;
	int error;

	for (size_t i = 0; i < job->count; i++) {
		if (job->commands[i].use_count > 0)
			json_array_append_new(results, result(job, i));
	}
	document = json_pack("{s:o}", "results", results);
	error = kb_json_print(out, document);
	json_decref(document);
	return error;
}

/* ---- CSV --------------------------------------------------------------------------------------------------- */

void kb_hyperfine_csv(FILE *out, const struct kb_commands *job)
{
	const struct kb_timed_command *first = &job->commands[0];

	fputs("command,mean,stddev,median,user,system,min,max", out);
	for (unsigned i = 0; i < job->commands[job->count - 1].variable_count; i++)
		fprintf(out, ",parameter_%s", job->commands[job->count - 1].variables[i]);
	fputc('\n', out);
	for (const struct kb_timed_command *command = first; command < first + job->count; command++) {
		const struct kb_command_means *means = &job->means[command - first];
		const double values[] = { means->time.value, means->deviation, means->median, means->user.value, means->system.value, means->least, means->most };
		char number[KB_EXPORT_NUMBER];

		if (command->use_count == 0)
			continue;
		kb_export_cell(out, command->name, ",");
		for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
			fprintf(out, "%s%s", i > 0 ? "," : "", kb_export_number(number, seconds(values[i])));
		for (unsigned i = 0; i < command->variable_count; i++) {
			fputc(',', out);
			/* A number below zero is no formula. */
			if (command->values[i][strspn(command->values[i], "-.0123456789")])
				kb_export_cell(out, command->values[i], "");
			else
				fputs(command->values[i], out);
		}
		fputc('\n', out);
	}
}

/* ---- Markdown ---------------------------------------------------------------------------------------------- */

/* In a code span of a table's cell: a bar would end the cell, a backtick the span. */
static void put_code(FILE *out, const char *text)
{
	char visible[512];

	kb_visible_copy(visible, sizeof visible, text);
	fputs(strchr(visible, '`') ? "`` " : "`", out);
	for (const char *at = visible; *at; at++)
		fprintf(out, "%s%c", *at == '|' ? "\\" : "", *at);
	fputs(strchr(visible, '`') ? " ``" : "`", out);
}

/* Against the fastest, as there; the deviation of a ratio by the propagation of errors. */
static void put_relative(FILE *out, const struct kb_command_means *means, const struct kb_command_means *fastest)
{
	double ratio = means->time.value / fastest->time.value;

	if (means == fastest || !(fastest->time.value > 0))
		fprintf(out, " %s |\n", means == fastest ? "1.00" : "-");
	else
		fprintf(out, " %.2f \u00b1 %.2f |\n", ratio,
			ratio * hypot(means->deviation / means->time.value, fastest->deviation / fastest->time.value));
}

void kb_hyperfine_markdown(FILE *out, const struct kb_commands *job, const char *unit)
{
	struct kb_scale scale = unit ? kb_scale_by_name(&job->rows[0].result, unit) : kb_scale_by_size(job->means[0].time.value);
	const struct kb_command_means *fastest = NULL;
	double factor = scale.factor;

	for (size_t i = 0; i < job->count; i++) {
		if (job->commands[i].use_count > 0 && (!fastest || job->means[i].time.value < fastest->time.value))
			fastest = &job->means[i];
	}
	fprintf(out, "| Command | Mean [%s] | Min [%s] | Max [%s] | Relative |\n|:---|---:|---:|---:|---:|\n", scale.unit, scale.unit, scale.unit);
	for (size_t i = 0; i < job->count; i++) {
		const struct kb_command_means *means = &job->means[i];
		int digits = strcmp(scale.unit, "s") ? 1 : 3;

		if (job->commands[i].use_count == 0)
			continue;
		fputs("| ", out);
		put_code(out, job->commands[i].name);
		fprintf(out, " | %.*f \u00b1 %.*f | %.*f | %.*f |", digits, means->time.value * factor, digits, means->deviation * factor, digits,
			means->least * factor, digits, means->most * factor);
		put_relative(out, means, fastest);
	}
}
