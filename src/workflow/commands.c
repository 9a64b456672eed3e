/*
 * See commands.h. Why this is not the engine of `kbench run`: that repeats an operation thousands of times in one process and interleaves
 * processes of a tenth of a second; a command is a process itself, lasts from half a millisecond to minutes, and commands are compared best if
 * each run of one has a run of the other right beside it. What the engine's results need, though, are records: they are made of runs here, and
 * from there on summary, verdict, comparison and store are those of any result.
 */
#define _GNU_SOURCE
#include "workflow/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "base/units.h"
#include "env/cpulist.h"
#include "io.h"
#include "result/json/json.h"
#include "result/summary/summary.h"
#include "run/calibrate.h"
#include "run/process/trust.h"
#include "workflow/commands_means.h"
#include "workflow/machine.h"

#define PROGRAM "kbench-collect-command"
#define BUDGET_A_COMMAND (10 * KB_S)
#define BATCHES_MOST KB_PAIRS_MOST      /* nothing is decided by more */

struct job {
	const struct kb_commands_request *request;
	struct kb_commands *out;
	struct kb_command_place place, aside;   /* aside: of prepare, setup and cleanup */
	struct kb_command_record record;
	struct kb_guardian guardian;
	struct kb_rng rng;
	struct kb_run_observer observer;
	unsigned cpus[KB_CPULIST_MAX];
	size_t set_up;                  /* commands whose setup ran */
	uint64_t deadline_ns, block_ns; /* block_ns: of the longest, with what is prepared */
	uint64_t most;                  /* blocks; 0: any number */
};

/* ---- what goes wrong in a command -------------------------------------------------------------------------- */

static void describe_status(int status, char *text, size_t room)
{
	if (WIFSIGNALED(status))
		snprintf(text, room, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(text, room, "ended with exit code %d%s", WEXITSTATUS(status), WEXITSTATUS(status) == 127 ? " (program not found)" : "");
}

/* Why a run does not count; "": it does. */
static void describe_use(const struct job *job, int error, const struct kb_command_use *use, char *text, size_t room)
{
	text[0] = '\0';
	if (error == -ETIME)
		snprintf(text, room, "killed after --timeout of %.4g s", (double)job->place.limit_ns / 1e9);
	else if (error == -ECHILD)
		snprintf(text, room, "left processes behind, which were killed");
	else if (error == -ENOENT)
		snprintf(text, room, "exit code 127 (program not found)");
	else if (error == -EACCES)
		snprintf(text, room, "exit code 126 (not a program that may be executed)");
	else if (error)
		snprintf(text, room, "cannot be run: %s", strerror(-error));
	else if (use->status && !job->request->ignore_failure)
		describe_status(use->status, text, room);
}

static int run_aside(struct job *job, const char *what, const char *text)
{
	struct kb_command_use use = { .block = 0 };
	char how[200];
	int error;
	struct kb_commands_request shell = *job->request;
	char **argv;

	if (!text)
		return 0;
	/* Through the shell in any case: it is there to do several things. */
	shell.no_shell = false;
	argv = kb_command_arguments(&shell, text);
	error = argv ? kb_command_use(&job->aside, argv, true, &use) : -ENOMEM;
	for (size_t i = 0; argv && argv[i]; i++)
		free(argv[i]);
	free(argv);
	if (error == -EINTR || (!error && !use.status))
		return error;
	describe_use(job, error, &use, how, sizeof how);
	if (!how[0])
		describe_status(use.status, how, sizeof how);
	if (!job->out->failed[0])
		snprintf(job->out->failed, sizeof job->out->failed, "%s '%.200s': %s", what, text, how);
	return -EPROTO;
}

/* ---- batches ----------------------------------------------------------------------------------------------- */

static int keep_batch(struct job *job, size_t index, const char *fault)
{
	struct kb_timed_command *command = &job->out->commands[index];
	struct kb_process_text *text;
	size_t length;
	char *record;

	if (command->batch_from == command->use_count && !fault)
		return 0;
	record = kb_command_record(&job->record, command, command->batch_from, command->use_count, &job->out->shell,
				   (unsigned)command->batches + 1, fault, &length);
	text = record ? reallocarray(command->texts, command->batches + 1, sizeof *text) : NULL;
	if (!text) {
		free(record);
		return -ENOMEM;
	}
	command->texts = text;
	text[command->batches++] = (struct kb_process_text){ (unsigned)command->batches, "", record, length };
	text[command->batches - 1].process = (unsigned)command->batches;
	command->batch_from = command->use_count;
	return job->observer.process_done(job->observer.context, &job->out->rows[index], (unsigned)command->batches, "", record, length);
}

static int keep_batches(struct job *job)
{
	int error = 0;

	for (size_t i = 0; i < job->out->count && !error; i++)
		error = keep_batch(job, i, NULL);
	return error;
}

/* All results and comparisons, as far as they are. */
static void evaluate(struct job *job)
{
	struct kb_commands *out = job->out;
	struct kb_workflow *w = &out->w;
	double margin = kb_margin_ln(job->request->margin);

	for (size_t i = 0; i < out->count; i++) {
		struct kb_timed_command *command = &out->commands[i];
		struct kb_summary_rules rules = {
			.planned = (unsigned)command->batches, .precision = w->run.precision, .floor = &w->run.floor, .env = w->env,
		};

		kb_summarise(command->texts, command->batches, &rules, &out->rows[i].result);
		kb_settle_result(&out->rows[i].result, out->rows[i].key, (unsigned)command->batches);
	}
	for (size_t i = 1; i < out->count; i++) {
		const struct kb_result *a = &out->rows[0].result, *b = &out->rows[i].result;
		struct kb_compare_rules rules = { .margin = margin, .paired = true, .handful = out->commands[i].batches < KB_PAIRS_FEWEST };

		kb_compare_results(a, b, &rules, &out->comparisons[i]);
	}
	if (out->count > 1)
		kb_compare_family(out->comparisons + 1, out->count - 1);
}

/* Every CI is as narrow as asked, and every comparison is decided. Only at looks, for each is one more chance to be wrong. */
static bool is_decided(struct job *job)
{
	struct kb_commands *out = job->out;

	if (!kb_is_look(out->commands[0].batches) || out->commands[0].use_count < job->request->min_runs)
		return false;
	evaluate(job);
	for (size_t i = 0; i < out->count; i++) {
		if (!(kb_quality(&out->rows[i].result.estimate) <= 100 * out->w.run.precision))
			return false;
		if (i > 0 && out->comparisons[i].decision == KB_INCONCLUSIVE)
			return false;
	}
	return true;
}

/* ---- blocks ------------------------------------------------------------------------------------------------ */

static int add_use(struct kb_timed_command *command, const struct kb_command_use *use)
{
	if (command->use_count == command->use_room) {
		size_t room = command->use_room ? 2 * command->use_room : 64;
		struct kb_command_use *grown = reallocarray(command->uses, room, sizeof *grown);

		if (!grown)
			return -ENOMEM;
		command->uses = grown;
		command->use_room = room;
	}
	command->uses[command->use_count++] = *use;
	return 0;
}

/* Each run reads its input from the start, and writes a file of its own. A terminal or a pipe has no start. */
static void rewind_streams(const struct job *job)
{
	(void)lseek(job->place.input, 0, SEEK_SET);
	if (job->request->output != KB_COMMANDS_FILE)
		return;
	(void)lseek(job->place.output, 0, SEEK_SET);
	if (ftruncate(job->place.output, 0) < 0)
		return; /* a device has no length */
}

/* warm: it is run, and forgotten. */
static int run_command(struct job *job, size_t index, unsigned place, uint64_t block, bool warm)
{
	struct kb_commands *out = job->out;
	bool is_shell = index == out->count;
	struct kb_timed_command *command = is_shell ? &out->shell : &out->commands[index];
	struct kb_command_use use = { .block = block, .place = place };
	char how[200];
	int error = run_aside(job, "--prepare", command->prepare);

	if (error)
		return error;
	rewind_streams(job);
	error = kb_command_use(&job->place, command->argv, false, &use);
	if (error == -EINTR)
		return error;
	describe_use(job, error, &use, how, sizeof how);
	if (!how[0])
		return warm ? 0 : add_use(command, &use);
	snprintf(out->failed, sizeof out->failed, "'%.300s' %s%s", command->text, how,
		 error ? "" : " (-i measures it all the same, --show-output shows why)");
	if (!is_shell)
		keep_batch(job, index, how);
	return -EPROTO;
}

static int run_block(struct job *job, uint64_t block, bool warm)
{
	size_t order[KB_COMMANDS_MOST + 1], count = job->out->count + (job->out->shell.argv != NULL);
	int error = 0;

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	kb_rng_shuffle(&job->rng, order, count, sizeof *order);
	for (size_t i = 0; i < count && !error; i++)
		error = run_command(job, order[i], (unsigned)i, block, warm);
	return error;
}

/* So many blocks make a batch that what is left of the time has as many batches as can be compared. */
static void choose_batch(struct job *job)
{
	uint64_t now = kb_wall_ns(), blocks = job->most;

	if (!blocks && job->block_ns > 0 && job->deadline_ns > now)
		blocks = (job->deadline_ns - now) / job->block_ns + 1;
	if (blocks < job->request->min_runs)
		blocks = job->request->min_runs;
	if (job->request->max_runs && blocks > job->request->max_runs)
		blocks = job->request->max_runs;
	job->out->batch = blocks / BATCHES_MOST + (blocks % BATCHES_MOST > 0);
}

static bool is_over(const struct job *job)
{
	uint64_t blocks = job->out->blocks, fewest = job->request->w->run.budget_ns ? 1 : job->request->min_runs;

	if (job->most)
		return blocks >= job->most;
	return (job->request->max_runs && blocks >= job->request->max_runs) || (blocks >= fewest && kb_wall_ns() > job->deadline_ns) ||
	       job->out->commands[0].batches >= BATCHES_MOST;
}

static void show_progress(const struct job *job)
{
	uint64_t now = kb_wall_ns();

	job->observer.progress(job->observer.context, NULL, (unsigned)job->out->blocks, (unsigned)job->out->count,
			       job->deadline_ns > now ? job->deadline_ns - now : 0);
}

static int run_blocks(struct job *job)
{
	struct kb_commands *out = job->out;
	uint64_t shown = 0;
	int error = 0;

	while (!error && !is_over(job) && !out->decided) {
		uint64_t began = kb_wall_ns();

		error = run_block(job, out->blocks, false);
		if (error)
			break;
		out->blocks++;
		if (kb_wall_ns() - began > job->block_ns)
			job->block_ns = kb_wall_ns() - began;
		if (out->blocks == 1 && !job->request->warmup)
			choose_batch(job);
		if (out->blocks % out->batch == 0) {
			error = keep_batches(job);
			out->decided = !error && !job->most && is_decided(job);
		}
		if (kb_wall_ns() - shown > KB_S) {
			show_progress(job);
			shown = kb_wall_ns();
		}
	}
	return error;
}

static int warm_up(struct job *job)
{
	int error = 0;

	for (uint64_t i = 0; i < job->request->warmup && !error; i++) {
		uint64_t began = kb_wall_ns();

		error = run_block(job, 0, true);
		/* The last one is the warmest: what the others took says nothing of the rest. */
		job->block_ns = kb_wall_ns() - began;
	}
	if (!error && job->request->warmup)
		choose_batch(job);
	return error;
}

/* A block that was not completed has no pair; a command that failed ends all. Cleanups run in any case, also after a signal. */
static int run_all(struct job *job)
{
	struct kb_commands *out = job->out;
	int error = 0, later = 0;

	for (; job->set_up < out->count && !error; job->set_up++)
		error = run_aside(job, "--setup", out->commands[job->set_up].setup);
	job->deadline_ns = kb_wall_ns() + out->w.run.budget_ns;
	error = error ?: warm_up(job);
	error = error ?: run_blocks(job);
	for (size_t i = 0; i < out->count; i++) {
		struct kb_timed_command *command = &out->commands[i];

		while (command->use_count > 0 && command->uses[command->use_count - 1].block >= out->blocks && command->use_count > command->batch_from)
			command->use_count--;
	}
	later = keep_batches(job);
	job->aside.heed_stop = false;
	for (size_t i = 0; i < job->set_up; i++) {
		int own = run_aside(job, "--cleanup", out->commands[i].cleanup);

		later = later ?: own;
	}
	return error ?: later;
}

/* ---- the machine ------------------------------------------------------------------------------------------- */

/* hyperfine's users expect a command to have all CPUs. On a single one it can be seen who shares its core. */
static int choose_place(struct job *job, struct kb_failure *failure)
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

static int open_streams(struct job *job, struct kb_failure *failure)
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
	}
	job->aside.loops = 0;
	return 0;
}

/* ---- the run ----------------------------------------------------------------------------------------------- */

static json_t *settings(const struct job *job)
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

static int prepare(struct job *job, struct kb_failure *failure)
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
		snprintf(out->rows[i].key, sizeof out->rows[i].key, KB_COMMANDS_BENCH " command=%s%.180s", out->commands[i].word, out->commands[i].parameters);
	out->w.rows = out->rows;
	out->w.count = out->count;
	if (!request->no_shell && request->vector_words == 0) {
		out->shell.argv = kb_command_arguments(request, "");
		out->shell.text = strdup("the shell");
		if (!out->shell.argv || !out->shell.text)
			return kb_refuse_memory(failure);
	}
	out->batch = 1;
	job->most = request->runs;
	kb_rng_seed(&job->rng, out->w.run.seed);
	return kb_workflow_keep(&w, &out->w, settings(job), failure);
}

static int measure(struct job *job, struct kb_failure *failure)
{
	struct kb_commands *out = job->out;
	int error;

	job->observer = kb_watch_observer(&out->w.watch);
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* what a command starts and leaves becomes ours to find */
	error = kb_guardian_start(&job->guardian, out->w.id);
	if (error || setenv("KBENCH_RUN", out->w.id, 1))
		return kb_refuse(failure, KB_EXIT_FAILED, "cannot start the guardian: %s", strerror(error ? -error : errno));

	uint64_t began = kb_wall_ns();

	error = run_all(job);
	out->w.outcome.elapsed_ns = kb_wall_ns() - began;
	kb_guardian_stop(&job->guardian);
	out->w.outcome.signal = kb_run_stop_signal();
	out->w.outcome.interrupted = out->w.outcome.signal != 0;
	evaluate(job);
	if (kb_commands_find_means(out, kb_margin_ln(job->request->margin)))
		return kb_refuse_memory(failure);
	return kb_workflow_finish(&out->w, error == -EPROTO || error == -EINTR ? 0 : error, "", failure);
}

int kb_commands_measure(const struct kb_commands_request *request, struct kb_commands *out, struct kb_failure *failure)
{
	struct job *job = calloc(1, sizeof *job);
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
	for (size_t i = 0; command->argv && command->argv[i]; i++)
		free(command->argv[i]);
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
