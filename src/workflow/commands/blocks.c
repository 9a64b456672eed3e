/* See commands.h: blocks of commands in random order, batches of blocks, and what goes wrong in a command. */
#define _GNU_SOURCE
#include "workflow/commands/inside.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/units.h"
#include "grown.h"
#include "io.h"
#include "lacking.h"
#include "result/summary/summary.h"
#include "run/run.h"

#define BATCHES_MOST KB_PAIRS_MOST      /* nothing is decided by more */

/* ---- what goes wrong in a command -------------------------------------------------------------------------- */

static void describe_status(int status, char *text, size_t room)
{
	if (WIFSIGNALED(status))
		snprintf(text, room, "ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		snprintf(text, room, "ended with exit code %d%s", WEXITSTATUS(status), WEXITSTATUS(status) == 127 ? " (program not found)" : "");
}

/* Why a run does not count; "": it does. */
static void describe_use(const struct kb_commands_job *job, int error, const struct kb_command_use *use, char *text, size_t room)
{
	text[0] = '\0';
	if (error == -ETIME)
		snprintf(text, room, "killed after --timeout of %.4g s", (double)job->place.limit_ns / 1e9);
	else if (error == -ECHILD)
		snprintf(text, room, "left processes behind, which were killed");
	else if (error == -ENOENT)
		snprintf(text, room, "cannot be run: program not found (exit code 127)");
	else if (error == -EACCES)
		snprintf(text, room, "cannot be run: it may not be executed (exit code 126)");
	else if (error)
		snprintf(text, room, "cannot be run: %s", kb_start_lack(-error));
	else if (use->status && !job->request->ignore_failure)
		describe_status(use->status, text, room);
}

static int run_aside(struct kb_commands_job *job, const char *what, const char *text)
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
	free(argv);
	if (error == -EINTR || (!error && !use.status))
		return error;
	describe_use(job, error, &use, how, sizeof how);
	if (!how[0])
		describe_status(use.status, how, sizeof how);
	if (!job->out->failed[0]) {
		snprintf(job->out->failed, sizeof job->out->failed, "%s '%.200s' %s", what, text, how);
		kb_command_error_end(&job->aside, job->out->failed_error);
	}
	return -EPROTO;
}

/* ---- batches ----------------------------------------------------------------------------------------------- */

static int keep_batch(struct kb_commands_job *job, size_t index, const char *fault)
{
	struct kb_timed_command *command = &job->out->commands[index];
	unsigned number = (unsigned)command->batches + 1;
	size_t length;
	char *record;

	if (command->batch_from == command->use_count && !fault)
		return 0;
	record = kb_command_record(&job->record, command, command->batch_from, command->use_count, &job->out->shell,
				   number, fault, &length);
	if (!record || !KB_GROW(command->texts, command->batches)) {
		free(record);
		return -ENOMEM;
	}
	command->texts[command->batches++] = (struct kb_process_text){ number, "", record, length };
	command->batch_from = command->use_count;
	return job->observer.process_done(job->observer.context, &job->out->rows[index], number, "", record, length);
}

static int keep_batches(struct kb_commands_job *job)
{
	int error = 0;

	for (size_t i = 0; i < job->out->count && !error; i++)
		error = keep_batch(job, i, NULL);
	return error;
}

void kb_commands_evaluate(struct kb_commands_job *job)
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
static bool is_decided(struct kb_commands_job *job)
{
	struct kb_commands *out = job->out;

	if (!kb_is_look(out->commands[0].batches) || out->commands[0].use_count < job->request->min_runs)
		return false;
	kb_commands_evaluate(job);
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
	if (!KB_GROW(command->uses, command->use_count))
		return -ENOMEM;
	command->uses[command->use_count++] = *use;
	return 0;
}

/* Each run reads its input from the start, and writes a file of its own. A terminal or a pipe has no start. */
static void rewind_streams(const struct kb_commands_job *job)
{
	(void)lseek(job->place.input, 0, SEEK_SET);
	if (job->request->output != KB_COMMANDS_FILE)
		return;
	(void)lseek(job->place.output, 0, SEEK_SET);
	if (ftruncate(job->place.output, 0) < 0)
		return; /* a device has no length */
}

/* What can be done about it. A program that was not found is measured by nobody. */
static const char *remedy(const struct kb_command_use *use, int error, bool shown)
{
	if (error || (WIFEXITED(use->status) && (WEXITSTATUS(use->status) == 126 || WEXITSTATUS(use->status) == 127)))
		return "";
	return shown ? " (-i measures it all the same)" : " (-i measures it all the same, --show-output shows why)";
}

/* warm: it is run, and forgotten. Only then its standard error is kept: a run that counts writes to what was asked for. */
static int run_command(struct kb_commands_job *job, size_t index, unsigned place, uint64_t block, bool warm)
{
	struct kb_commands *out = job->out;
	bool is_shell = index == out->count;
	struct kb_timed_command *command = is_shell ? &out->shell : &out->commands[index];
	struct kb_command_use use = { .block = block, .place = place };
	struct kb_command_place where = job->place;
	char how[200];
	int error = run_aside(job, "--prepare", command->prepare);

	if (error)
		return error;
	if (is_shell) { /* a file that is read or written is the commands' */
		where.input = job->aside.input;
		where.output = job->aside.output;
	} else {
		rewind_streams(job);
	}
	if (warm) {
		where.error = job->aside.error;
		where.keeps_error = job->aside.keeps_error;
	}
	error = kb_command_use(&where, command->argv, false, &use);
	if (error == -EINTR)
		return error;
	describe_use(job, error, &use, how, sizeof how);
	if (!how[0])
		return warm ? 0 : add_use(command, &use);
	kb_command_error_end(&where, out->failed_error);
	if (error == -ENOENT && out->shell.argv)
		snprintf(out->failed, sizeof out->failed, "the shell '%.200s' %s", job->request->shell ?: "sh", how);
	else
		snprintf(out->failed, sizeof out->failed, "'%.300s' %s%s", command->text, how, remedy(&use, error, where.keeps_error || where.error == STDERR_FILENO));
	if (!is_shell)
		keep_batch(job, index, how);
	return -EPROTO;
}

static int run_block(struct kb_commands_job *job, uint64_t block, bool warm)
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
static void choose_batch(struct kb_commands_job *job)
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

static bool is_over(const struct kb_commands_job *job)
{
	uint64_t blocks = job->out->blocks, fewest = job->request->w->run.budget_ns ? 1 : job->request->min_runs;

	if (job->most)
		return blocks >= job->most;
	return (job->request->max_runs && blocks >= job->request->max_runs) || (blocks >= fewest && kb_wall_ns() > job->deadline_ns) ||
	       job->out->commands[0].batches >= BATCHES_MOST;
}

/* What the blocks still take that are run in any case: they do not end with the time. */
static uint64_t owed_ns(const struct kb_commands_job *job, uint64_t now)
{
	uint64_t done = job->out->blocks, fewest = job->most ? job->most : job->request->w->run.budget_ns ? 0 : job->request->min_runs;

	return fewest <= done ? 0 : (fewest - done) * (done > 0 ? (now - job->blocks_from_ns) / done : job->block_ns);
}

/* Among what a command writes to the terminal it would be lost, and spoil that. */
static void show_progress(struct kb_commands_job *job)
{
	uint64_t now = kb_wall_ns(), left = job->deadline_ns > now ? job->deadline_ns - now : 0;
	uint64_t spent = now - job->began_ns, owed = owed_ns(job, now);
	struct kb_watch *watch = &job->out->w.watch;

	if (job->request->output == KB_COMMANDS_INHERIT || now - job->shown_ns < KB_S || (job->most && !owed))
		return;
	job->shown_ns = now;
	watch->blocks = true;
	watch->estimated = job->most > 0 || owed > left;
	left = watch->estimated ? owed : left;
	watch->budget_ns = spent + left;
	job->observer.progress(job->observer.context, NULL, (unsigned)job->out->blocks, (unsigned)job->out->count, left);
}

static int run_blocks(struct kb_commands_job *job)
{
	struct kb_commands *out = job->out;
	int error = 0;

	job->blocks_from_ns = kb_wall_ns();
	while (!error && !is_over(job) && !out->decided) {
		uint64_t began = kb_wall_ns();

		show_progress(job);
		kb_guardian_look(&job->guardian);
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
	}
	return error;
}

static int warm_up(struct kb_commands_job *job)
{
	int error = 0;

	for (uint64_t i = 0; i < job->request->warmup && !error; i++) {
		uint64_t began = kb_wall_ns();

		show_progress(job);
		error = run_block(job, 0, true);
		/* The last one is the warmest: what the others took says nothing of the rest. */
		job->block_ns = kb_wall_ns() - began;
	}
	if (!error && job->request->warmup)
		choose_batch(job);
	return error;
}

/* A block that was not completed has no pair; a command that failed ends all. Cleanups run in any case, also after a signal. */
int kb_commands_run_all(struct kb_commands_job *job)
{
	struct kb_commands *out = job->out;
	int error = 0, later = 0;

	for (; job->set_up < out->count && !error; job->set_up++)
		error = run_aside(job, "--setup", out->commands[job->set_up].setup);
	job->began_ns = kb_wall_ns();
	job->deadline_ns = job->began_ns + out->w.run.budget_ns;
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
