/*
 * See commands.h. Why this is not the engine of `kbench run`: that repeats an operation thousands of times in one process and interleaves
 * processes of a tenth of a second; a command is a process itself, lasts from half a millisecond to minutes, and commands are compared best if
 * each run of one has a run of the other right next to it. What the engine's results need, though, are records: they are made of runs here, and
 * from there on summary, verdict, comparison and store are those of any result.
 */
#define _GNU_SOURCE
#include "workflow/commands/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/units.h"
#include "io.h"
#include "lacking.h"
#include "result/json/json.h"
#include "run/calibrate.h"
#include "run/process/mark.h"
#include "run/process/trust.h"
#include "workflow/machine.h"

#define PROGRAM "kbench-collect-command"
#define BUDGET_A_COMMAND (10 * KB_S)

/* ---- the machine ------------------------------------------------------------------------------------------- */

/* hyperfine's users expect a command to have all CPUs. On a single one it can be seen who shares its core. */
static int choose_place(struct kb_commands_job *job, struct kb_failure *failure)
{
	static const char *const places[] = { PROGRAM, "../libexec/kbench/" PROGRAM };
	struct kb_commands *out = job->out;
	struct kb_command_place *place = &job->place;
	char why[KB_TRUST_WHY];

	if (kb_trust_own_part(places, 2, place->program, why))
		return kb_refuse(failure, KB_EXIT_USAGE, "%s; or build or install kbench again", why);
	place->cpu_count = kb_cpus_list(job->request->w->cpus, job->cpus, KB_CPULIST_MAX);
	place->cpus = job->request->w->cpus ? job->cpus : NULL;
	out->pinned = place->cpu_count == 1;
	/* Counters of two CPUs may differ; the kernel's clock is one for all. */
	if (kb_calibrate(out->pinned ? out->w.run.clock : "ns", job->cpus[0], &out->w.outcome))
		return kb_refuse(failure, KB_EXIT_FAILED, "the clock cannot be used (try --clock ns)");
	place->clock = out->w.outcome.clock.name;
	place->loops = out->pinned && !out->w.run.emulated ? out->w.outcome.probe : 0;
	place->limit_ns = out->w.run.timeout_ns;
	place->heed_stop = true;
	out->scale = 1e9 / (double)out->w.outcome.clock.hz;
	job->record = (struct kb_command_record){
		.clock = &out->w.outcome.clock, .seed = out->w.run.seed, .loops = place->loops, .any_status = job->request->ignore_failure,
	};
	return 0;
}

static int open_file(const char *option, const char *path, int flags, int *file, struct kb_failure *failure)
{
	*file = open(path, flags | O_CLOEXEC | O_NOCTTY, 0666);
	return *file >= 0 ? 0 : kb_refuse(failure, KB_EXIT_USAGE, "%s%.300s: %s", option, path, strerror(errno));
}

/* A file: what a setup leaves running may write there for ever, and a pipe would end it or stop it. */
static void keep_error(struct kb_command_place *place)
{
	int file = memfd_create("kbench-error", MFD_CLOEXEC);

	if (file < 0 || fcntl(file, F_SETFL, O_APPEND))
		return;
	place->error = file;
	place->keeps_error = true;
}

static int open_streams(struct kb_commands_job *job, struct kb_failure *failure)
{
	const struct kb_commands_request *request = job->request;
	struct kb_command_place *place = &job->place;
	int null;

	place->input = place->output = place->error = -1;
	if (open_file("", "/dev/null", O_RDWR, &null, failure) ||
	    open_file("--input ", request->input_file ?: "/dev/null", O_RDONLY, &place->input, failure))
		return failure->code;
	place->error = request->output == KB_COMMANDS_INHERIT ? STDERR_FILENO : null;
	place->output = request->output == KB_COMMANDS_INHERIT ? STDOUT_FILENO : request->output == KB_COMMANDS_PIPE ? -1 : null;
	if (request->output == KB_COMMANDS_FILE &&
	    open_file("--output ", request->output_file, O_WRONLY | O_CREAT | O_TRUNC, &place->output, failure))
		return failure->code;
	job->aside = *place;
	job->aside.input = job->aside.output = job->aside.error = null;
	if (request->output == KB_COMMANDS_INHERIT) {
		job->aside.output = STDOUT_FILENO;
		job->aside.error = STDERR_FILENO;
	} else {
		keep_error(&job->aside);
	}
	job->aside.loops = 0;
	return 0;
}

/* ---- the run ----------------------------------------------------------------------------------------------- */

static json_t *settings(const struct kb_commands_job *job)
{
	const struct kb_commands_request *request = job->request;
	json_t *commands = json_array();

	for (size_t i = 0; i < job->out->count; i++) {
		const struct kb_timed_command *command = &job->out->commands[i];
		json_t *argv = json_array();

		for (size_t k = 0; command->argv[k]; k++)
			json_array_append_new(argv, kb_json_string(command->argv[k]));
		json_array_append_new(commands, json_pack("{s:s, s:o, s:o}", "row", job->out->rows[i].key, "name", kb_json_string(command->name),
							  "argv", argv));
	}
	return json_pack("{s:o, s:s?, s:o, s:o, s:o}", "commands", commands, "shell", request->no_shell || request->vector_words > 0 ? NULL :
			 request->shell ?: "sh", "margin", kb_json_real(request->margin), "warmup", kb_json_whole(request->warmup), "runs",
			 kb_json_whole(request->runs));
}

static int prepare(struct kb_commands_job *job, struct kb_failure *failure)
{
	const struct kb_commands_request *request = job->request;
	struct kb_commands *out = job->out;
	struct kb_workflow_request w = *request->w;

	if (w.run.budget_ns == 0)
		w.run.budget_ns = BUDGET_A_COMMAND * out->count;
	if (kb_workflow_prepare(&w, &out->w, failure) || choose_place(job, failure) || open_streams(job, failure))
		return failure->code;
	out->rows = calloc(out->count + 1, sizeof *out->rows);
	out->comparisons = calloc(out->count + 1, sizeof *out->comparisons);
	out->effects = calloc(out->count + 1, sizeof *out->effects);
	out->means = calloc(out->count + 1, sizeof *out->means);
	if (!out->rows || !out->comparisons || !out->effects || !out->means)
		return kb_refuse_memory(failure);
	for (size_t i = 0; i < out->count; i++)
		snprintf(out->rows[i].key, sizeof out->rows[i].key, KB_COMMANDS_BENCH " command=%s%s", out->commands[i].word, out->commands[i].parameters);
	out->w.rows = out->rows;
	out->w.count = out->count;
	if (!request->no_shell && request->vector_words == 0) {
		out->shell.argv = kb_command_arguments(request, "");
		out->shell.text = strdup("the shell");
		if (!out->shell.argv || !out->shell.text)
			return kb_refuse_memory(failure);
	}
	out->batch = 1;
	out->w.run.processes = 0; /* batches are as many as come of it */
	job->most = request->runs;
	kb_rng_seed(&job->rng, out->w.run.seed);
	return kb_workflow_keep(&w, &out->w, settings(job), failure);
}

/* Two builds into one directory: all commands would measure the last of them, and nothing else would tell. */
static void note_setups(const struct kb_commands_job *job)
{
	const struct kb_timed_command *commands = job->out->commands;
	bool differ = false;

	for (size_t i = 1; i < job->out->count; i++)
		differ |= commands[i].setup && commands[0].setup && strcmp(commands[i].setup, commands[0].setup);
	if (differ)
		kb_note(&job->request->w->notes, "all %zu setups run before the first run of any command, because runs are interleaved: they must not undo "
			"each other. If they do, use --prepare, which runs before each run, or a kbench cmd for each", job->out->count);
}

static bool any_has(const char *const *texts, size_t count, const char *part)
{
	for (size_t i = 0; i < count; i++) {
		if (texts[i] && strstr(texts[i], part))
			return true;
	}
	return false;
}

/* A typing error makes one command of several, which then do not differ. */
static void note_parameters(const struct kb_commands_job *job)
{
	const struct kb_commands_request *request = job->request;
	const struct kb_timed_command *last = &job->out->commands[job->out->count - 1];
	const char *const aside[] = { request->setup, request->cleanup };
	char part[100];

	for (unsigned i = 0; i < last->variable_count; i++) {
		snprintf(part, sizeof part, "{%s}", last->variables[i]);
		if (!any_has(request->texts, request->text_count, part) && !any_has(request->prepare, request->prepare_count, part) &&
		    !any_has(aside, 2, part))
			kb_note(&request->w->notes, "%s is in no command, --setup, --prepare or --cleanup: its values change nothing", part);
	}
}

static int measure(struct kb_commands_job *job, struct kb_failure *failure)
{
	struct kb_commands *out = job->out;
	int error;

	job->observer = kb_watch_observer(&out->w.watch);
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* what a command starts and leaves becomes ours to find */
	error = kb_guardian_start(&job->guardian, out->w.id);
	if (error)
		return kb_refuse(failure, KB_EXIT_FAILED, "cannot start the guardian: %s", kb_start_lack(-error));
	kb_mark(out->w.id);

	note_setups(job);
	note_parameters(job);

	uint64_t began = kb_wall_ns();

	error = kb_commands_run_all(job);
	out->w.outcome.elapsed_ns = kb_wall_ns() - began;
	kb_guardian_stop(&job->guardian);
	out->w.outcome.signal = kb_run_stop_signal();
	out->w.outcome.interrupted = out->w.outcome.signal != 0;
	kb_commands_evaluate(job);
	if (kb_commands_find_means(out, kb_margin_ln(job->request->margin)))
		return kb_refuse_memory(failure);
	return kb_workflow_finish(&out->w, error == -EPROTO || error == -EINTR ? 0 : error, "", failure);
}

int kb_commands_measure(const struct kb_commands_request *request, struct kb_commands *out, struct kb_failure *failure)
{
	struct kb_commands_job *job = calloc(1, sizeof *job);
	int code;

	*out = (struct kb_commands){ .count = 0 };
	if (!job)
		return kb_refuse_memory(failure);
	job->request = request;
	job->out = out;
	code = kb_commands_plan(request, out, failure) ?: prepare(job, failure) ?: measure(job, failure);
	free(job);
	return code;
}

int kb_commands_code(const struct kb_commands *out)
{
	return out->failed[0] ? KB_EXIT_FAILED : kb_workflow_rows_code(&out->w);
}

static void release_command(struct kb_timed_command *command)
{
	char *const texts[] = { command->text, command->name, command->word, command->parameters, command->prepare, command->setup, command->cleanup };

	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		free(texts[i]);
	for (size_t i = 0; i < command->batches; i++)
		free((char *)(uintptr_t)command->texts[i].record);
	free(command->argv);
	free(command->uses);
	free(command->texts);
}

void kb_commands_release(struct kb_commands *out)
{
	for (size_t i = 0; i < out->count; i++)
		release_command(&out->commands[i]);
	release_command(&out->shell);
	for (size_t i = 0; i < out->owned_count; i++)
		free(out->owned[i]);
	free(out->owned);
	kb_workflow_release(&out->w);
	free(out->commands);
	free(out->rows);
	free(out->comparisons);
	free(out->effects);
	free(out->means);
}
