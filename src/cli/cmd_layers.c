/*
 * kbench layers: what one primitive costs in user space, in the kernel, as exact instructions and under a microkernel, side by
 * side. It measures what this machine can and has not, as `kbench run` and `kbench model` do, and reads the rest from the store.
 */
#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/data_files.h"
#include "cli/layers_find.h"
#include "cli/model_rows.h"
#include "cli/print.h"
#include "cli/saved.h"
#include "cli/start.h"
#include "cli/values.h"
#include "result/json/json.h"

enum { FILES, STORED, FRESH, LIST, BUDGET, STORE, JSON };

static const struct kb_option options[] = {
	[FILES] = { 0, "file", "FILE", "a question of your own; may be repeated", NULL },
	[STORED] = { 0, "stored", NULL, "measure nothing, only read the store", NULL },
	[FRESH] = { 0, "fresh", NULL, "measure again what this machine has measured", NULL },
	[LIST] = { 0, "list", NULL, "print the questions, with --json all that is in them", NULL },
	[BUDGET] = { 0, "budget", "TIME", "for each row that is measured, also of the model", "10s" },
	[STORE] = { 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db" },
	[JSON] = { 0, "json", NULL, "print kbench-layers/1", NULL },
	{ 0 }
};

#define WORDS_MAX 40
#define BUDGET_NS (10 * KB_S)

struct job {
	const struct kb_command *command;
	struct kb_layers_search search;
	struct kb_platforms platforms;
	const char **files;
	size_t file_count;
	bool stored, fresh, list, json;
	uint64_t budget_ns;             /* of a row; 0: the usual one */
	json_t *env, *documents;
	int code;
};

/* What is being answered: one file. */
struct question {
	const struct kb_data_file *file;
	char *text;
	struct kb_layers layers;
	struct kb_layer_answer answers[KB_LAYERS_MAX];
	struct kb_layers_model model;
	struct kb_model_set models;
	struct kb_model_rows rows;
	char label[100];
};

/* ---- measuring ------------------------------------------------------------------------------------------- */

struct words { char *at[WORDS_MAX]; unsigned count; };

static void add(const struct job *job, struct words *words, const char *word, size_t length)
{
	if (words->count + 1 == WORDS_MAX)
		kb_die(job->command, KB_EXIT_USAGE, "a row of more than %d words", WORDS_MAX - 12);
	words->at[words->count] = strndup(word, length);
	if (!words->at[words->count])
		kb_no_memory(job->command);
	words->at[++words->count] = NULL;
}

static void add_word(const struct job *job, struct words *words, const char *word)
{
	add(job, words, word, strlen(word));
}

/* What is given to `kbench VERB`: row or model, of so many rows, and how. */
static void fill_words(struct job *job, struct words *words, const char *verb, struct kb_span row, unsigned rows,
		       const char *label)
{
	uint64_t budget_ns = rows * (job->budget_ns ? job->budget_ns : BUDGET_NS);
	struct kb_span word;
	char budget[32];

	add_word(job, words, "kbench");
	add_word(job, words, verb);
	for (bool first = true; (word = kb_span_word(&row)).length > 0; first = false) {
		if (!first)
			add_word(job, words, "-p");
		add(job, words, word.at, word.length);
	}
	if (strcmp(verb, "run") == 0)
		add_word(job, words, "--defaults");
	add_word(job, words, "--budget");
	snprintf(budget, sizeof budget, "%llums", (unsigned long long)(budget_ns / KB_MS));
	add_word(job, words, budget);
	add_word(job, words, "--label");
	add_word(job, words, label);
	if (job->search.store) {
		add_word(job, words, "--store");
		add_word(job, words, job->search.store);
	}
}

/* It ends with this process, however that ends; what it prints is not wanted here, what it complains of is. */
static pid_t start(char **argv)
{
	pid_t parent = getpid(), child = fork();
	int nowhere;

	if (child != 0)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (getppid() == parent && nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
		execv("/proc/self/exe", argv);
	dprintf(STDERR_FILENO, "kbench layers: cannot start kbench %s: %s\n", kb_shown(argv[1]).text, strerror(errno));
	_exit(KB_EXIT_FAILED);
}

/* Another process of this program: its run is stored as any other, and a row that fails is told by its stored result. */
static void measure(struct job *job, const char *verb, struct kb_span row, unsigned rows, const char *label)
{
	struct words words = { .count = 0 };
	void (*interrupt)(int);
	int status = 0;
	pid_t child;

	fill_words(job, &words, verb, row, rows, label);
	fflush(stdout);
	signal(SIGCHLD, SIG_DFL);
	child = start(words.at);
	if (child < 0)
		kb_die(job->command, KB_EXIT_FAILED, "cannot start a process: %s", strerror(errno));
	/* Ctrl-C is for the child, which stores what it has first. */
	interrupt = signal(SIGINT, SIG_IGN);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	signal(SIGINT, interrupt);
	for (unsigned i = 0; i < words.count; i++)
		free(words.at[i]);
	if (WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) >= KB_EXIT_SIGNAL))
		kb_die(job->command, WIFSIGNALED(status) ? KB_EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status),
		       "stopped; what was measured is stored");
	if (WEXITSTATUS(status) == KB_EXIT_USAGE) /* nothing was stored, and it has said why */
		job->code = KB_EXIT_USAGE;
}

static void measure_missing(struct job *job, struct question *q)
{
	char why[320];

	for (unsigned i = 0; i < q->layers.count; i++) {
		bool has = q->answers[i].found && q->answers[i].here && !job->fresh;

		if (!has && kb_layers_runs_here(&job->search, &q->layers.layers[i], why))
			measure(job, "run", q->layers.layers[i].row, 1, q->label);
	}
}

/* ---- the model ------------------------------------------------------------------------------------------- */

static void judge(struct job *job, struct question *q, const struct kb_layers_run *run)
{
	const struct kb_model *model = q->models.models[0];
	size_t rows[KB_MODEL_VALUES][KB_MODEL_QUANTITIES];
	unsigned count = kb_model_instances(model);
	struct kb_prediction *predictions = calloc(count, sizeof *predictions);

	if (!predictions)
		kb_no_memory(job->command);
	for (unsigned i = 0; i < count; i++) {
		for (unsigned part = 0; part < model->quantity_count; part++)
			rows[i][part] = kb_model_rows_add(job->command, &q->rows, model, part, i);
	}
	kb_model_rows_read(job->command, &q->rows, job->search.store, run->id);
	for (unsigned i = 0; i < count; i++) {
		predictions[i].model = model;
		predictions[i].instance = i;
		for (unsigned part = 0; part < model->quantity_count; part++)
			kb_model_rows_value(&q->rows, rows[i][part], model->quantities[part].kind, &predictions[i].quantities[part]);
	}
	kb_model_judge(model, predictions, &q->model.fit);
	q->model.model = model;
	q->model.predictions = predictions;
	if (!run->here)
		snprintf(q->model.machine, sizeof q->model.machine, "%s", run->machine);
}

static void answer_model(struct job *job, struct question *q)
{
	char name[64];
	const char *names[] = { name };
	const struct kb_model *model;
	struct kb_layers_run run;

	if (!q->layers.model.length)
		return;
	snprintf(name, sizeof name, "%.*s", (int)q->layers.model.length, q->layers.model.at);
	snprintf(q->label, sizeof q->label, "layers %.60s model", q->file->name);
	kb_models_load(job->command, names, 1, NULL, 0, &q->models);
	model = q->models.models[0];
	kb_layers_find_run(&job->search, q->label, &run);
	if (!job->stored && (job->fresh || !run.here)) {
		measure(job, "model", q->layers.model, kb_model_instances(model) * model->quantity_count, q->label);
		kb_layers_find_run(&job->search, q->label, &run);
	}
	if (run.id[0])
		judge(job, q, &run);
	else
		snprintf(q->model.why, sizeof q->model.why, "%.60s has not been measured: kbench model %.60s", name, name);
}

/* ---- one question ---------------------------------------------------------------------------------------- */

static void answer(struct job *job, const struct kb_data_files *files, const struct kb_data_file *file)
{
	struct question q = { .file = file };
	struct kb_style look = kb_style_here(false);
	struct kb_model_error error;
	size_t length;

	q.text = kb_data_file_read(files, file->path, &length);
	if (kb_layers_parse(&q.layers, q.text, length, &error))
		kb_data_file_wrong(job->command, file->path, (struct kb_span){ q.text, length }, &error);
	snprintf(q.label, sizeof q.label, "layers %.60s", file->name);
	if (!job->list) {
		kb_layers_find(&job->search, &q.layers, q.answers);
		if (!job->stored) {
			measure_missing(job, &q);
			kb_layers_find(&job->search, &q.layers, q.answers);
		}
		answer_model(job, &q);
	}

	struct kb_layers_shown shown = { file->name, &q.layers, q.answers, &q.model };

	if (job->list && job->json)
		json_array_append_new(job->documents, kb_layers_question_json(file->name, &q.layers));
	else if (job->list)
		printf("%-12s  %.*s\n", kb_shown(file->name).text, (int)q.layers.about.length, q.layers.about.at);
	else if (job->json)
		json_array_append_new(job->documents, kb_layers_json(&shown));
	else
		kb_layers_print(stdout, &shown, &look);
	free((void *)(uintptr_t)q.model.predictions);
	kb_model_rows_free(&q.rows);
	kb_models_free(&q.models);
	free(q.text);
}

static void read_options(struct job *job, int argc, char **argv)
{
	const char *value;
	int option;

	job->files = calloc((size_t)argc, sizeof *job->files);
	if (!job->files)
		kb_no_memory(job->command);
	while ((option = kb_next_option(job->command, argc, argv, &value)) >= 0) {
		switch (option) {
		case FILES: job->files[job->file_count++] = value; break;
		case STORED: job->stored = true; break;
		case FRESH: job->fresh = true; break;
		case LIST: job->list = true; break;
		case STORE: job->search.store = value; break;
		case JSON: job->json = true; break;
		case BUDGET: job->budget_ns = kb_value_time(job->command, "budget", value, 10 * KB_MS); break;
		}
	}
	if (job->stored && job->fresh)
		kb_usage(job->command, "--stored and --fresh exclude each other");
	if (job->list && (job->stored || job->fresh || job->budget_ns || job->search.store))
		kb_usage(job->command, "--list measures nothing and reads no store: only --file and --json go with it");
	if (job->stored && job->budget_ns)
		kb_usage(job->command, "--stored measures nothing: --budget does not go with it");
}

static int layers_main(const struct kb_command *command, int argc, char **argv)
{
	struct job job = { .command = command, .documents = json_array() };
	struct kb_data_files files = { .command = command, .kind = "layers" };
	const char *const *names;
	size_t count;
	char *text = NULL;

	read_options(&job, argc, argv);
	names = (const char *const *)argv + optind;
	count = (size_t)(argc - optind);
	kb_start_look(command, false, &job.env, &text);
	kb_platforms_find(&job.platforms);
	job.search.command = command;
	job.search.platforms = &job.platforms;
	job.search.here = kb_json_env_id(job.env) ?: "";
	kb_data_files_find(&files, names, count, job.files, job.file_count);
	for (size_t i = 0; i < files.count; i++) {
		if (files.found[i].asked || kb_data_file_wanted(&files.found[i], names, count))
			answer(&job, &files, &files.found[i]);
	}
	if (job.json && job.list)
		kb_print_json(json_pack("{s:s, s:O}", "schema", KB_LAYERS_SCHEMA, "questions", job.documents));
	else if (job.json)
		kb_print_json(json_pack("{s:s, s:O, s:O}", "schema", KB_LAYERS_SCHEMA, "env", job.env, "layers", job.documents));
	kb_data_files_free(&files);
	json_decref(job.documents);
	json_decref(job.env);
	free(job.files);
	free(text);
	return job.code;
}

const struct kb_command kb_command_layers = {
	.name = "layers",
	.arguments = "[QUESTION...]",
	.summary = "Print one primitive side by side: user space, kernel, exact instructions, seL4",
	.text = "Rows that this machine can measure and has not are measured first. What it cannot says why, or shows what\n"
		"another machine has stored. A question is a file of text: doc/layers.md.\n",
	.options = options,
	.examples = "  kbench layers notify\n"
		    "  kbench layers pagefault --fresh --budget 5s\n"
		    "  kbench layers --stored --json\n",
	.exits = "  0 done; 2 usage, a wrong question, an unreadable store, nothing saved; 5 a process cannot be started;\n"
		 "  128+n stopped by signal n\n",
	.main = layers_main,
};
