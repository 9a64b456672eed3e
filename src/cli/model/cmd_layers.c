/*
 * kbench layers: what one primitive costs in user space, in the kernel, as exact instructions and under a microkernel, side by
 * side. It measures what this machine can and has not, as `kbench run` and `kbench model` do, and reads the rest from the store.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/model/layers_find.h"
#include "cli/run.h"
#include "cli/store/saved.h"
#include "result/json/json.h"
#include "workflow/data_files.h"
#include "workflow/machine.h"
#include "workflow/workflow.h"

struct request {
	struct kb_words files;
	const char *store;
	uint64_t budget_ns;             /* of a row; 0: the usual one */
	bool stored, fresh, list, json;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "file", "FILE", "a question of your own; may be repeated", NULL, INTO(WORDS, files) },
	{ 0, "stored", NULL, "measure nothing, only read the store", NULL, INTO(FLAG, stored) },
	{ 0, "fresh", NULL, "measure again what this machine has measured", NULL, INTO(FLAG, fresh) },
	{ 0, "list", NULL, "print the questions, with --json all that is in them", NULL, INTO(FLAG, list) },
	{ 0, "budget", "TIME", "for each result that is measured, also of the model", "10s", INTO(TIME, budget_ns, .least = 10 * KB_MS) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, store) },
	{ 0, "json", NULL, "print kbench-layers/1", NULL, INTO(FLAG, json) },
	{ 0 }
};

#define WORDS_MAX 28
#define BUDGET_NS (10 * KB_S)

struct job {
	const struct kb_command *command;
	struct request request;
	struct kb_layers_search search;
	struct kb_collectors collectors;
	struct kb_notes notes;
	int argc;
	char **argv;
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
	struct kb_model_index index;
	char label[100];
};

/* ---- measuring ------------------------------------------------------------------------------------------- */

static struct kb_workflow_request request_of(const struct job *job, const struct question *q, unsigned rows)
{
	struct kb_workflow_request request = kb_workflow_defaults();

	request.run.budget_ns = rows * (job->request.budget_ns ? job->request.budget_ns : BUDGET_NS);
	request.store = job->request.store;
	request.label = q->label;
	kb_begin_request(job->command, &request, job->argc, job->argv);
	return request;
}

/* A run that is stored as any other. A row that fails is told by its stored result; what could not be measured or stored is told now. */
static void measure(struct job *job, const struct kb_workflow_request *request)
{
	static struct kb_workflow w;
	struct kb_failure failure;
	int code = kb_workflow_measure(request, &w, &failure);

	if (code)
		kb_complain(job->command, "%s", failure.text);
	else
		code = kb_workflow_code(&w, KB_EXIT_DONE);
	if (code > KB_EXIT_SIGNAL)
		kb_die(job->command, code, "stopped; what was measured is stored");
	if (code == KB_EXIT_USAGE)
		job->code = code;
	kb_workflow_release(&w);
}

/* As `kbench run BENCHMARK -p NAME=VALUE... --defaults` would. */
static void measure_row(struct job *job, const struct question *q, struct kb_span row)
{
	struct kb_workflow_request request = request_of(job, q, 1);
	const char *words[WORDS_MAX];
	char *text = strndup(row.at, row.length), *rest = text;
	size_t count = 0;

	if (!text)
		kb_no_memory(job->command);
	for (char *word; (word = strsep(&rest, " \t")) != NULL;) {
		if (!word[0])
			continue;
		if (count == WORDS_MAX)
			kb_die(job->command, KB_EXIT_USAGE, "a benchmark with more than %d parameters", WORDS_MAX);
		words[count++] = word;
	}
	request.patterns = words;
	request.pattern_count = 1;
	request.sets = words + 1;
	request.set_count = count - 1;
	request.defaults = true;
	measure(job, &request);
	free(text);
}

/* ---- the model ------------------------------------------------------------------------------------------- */

static void answer_model(struct job *job, struct question *q)
{
	char name[64];
	const char *names[] = { name };
	struct kb_layers_run run;
	struct kb_saved saved;
	struct kb_failure failure;
	struct kb_model_error error;
	const struct kb_model *model;
	int result;

	if (!q->layers.model.length)
		return;
	snprintf(name, sizeof name, "%.*s", (int)q->layers.model.length, q->layers.model.at);
	snprintf(q->label, sizeof q->label, "layers %.60s model", q->file->name);
	kb_die_if(job->command, kb_models_load(&q->models, names, 1, NULL, 0, &job->notes, &failure), &failure);
	model = q->models.models[0];
	result = kb_model_choose(&q->rows, model, &q->index, &error);
	kb_die_if(job->command, kb_refuse_model(model, result, &error, &failure), &failure);
	kb_layers_find_run(&job->search, q->label, &run);
	if (!job->request.stored && (job->request.fresh || !run.here)) {
		/* As `kbench model` would. */
		struct kb_workflow_request request = request_of(job, q, kb_model_instances(model) * model->quantity_count);

		request.run.precision = 0.02;
		request.rows = q->rows.rows;
		request.row_count = q->rows.count;
		measure(job, &request);
		kb_layers_find_run(&job->search, q->label, &run);
	}
	if (!run.id[0]) {
		snprintf(q->model.why, sizeof q->model.why, "%.60s has not been measured: kbench model %.60s", name, name);
		return;
	}
	kb_model_rows_read(job->command, &q->rows, job->request.store, run.id, &saved);
	kb_saved_release(&saved);
	q->model.model = model;
	q->model.predictions = kb_need_memory(job->command, kb_model_predict(&q->rows, model, &q->index, &q->model.fit));
	if (!run.here)
		snprintf(q->model.machine, sizeof q->model.machine, "%s", run.machine);
}

/* ---- one question ---------------------------------------------------------------------------------------- */

static void answer(struct job *job, const struct kb_data_files *files, const struct kb_data_file *file)
{
	const struct request *request = &job->request;
	struct question q = { .file = file };
	struct kb_style style = kb_style_here(false);
	struct kb_model_error error;
	struct kb_failure failure;
	size_t length;
	char why[320];

	kb_die_if(job->command, kb_data_file_read(files, file->path, &q.text, &length, &failure), &failure);
	if (kb_layers_parse(&q.layers, q.text, length, &error))
		kb_die_if(job->command, kb_data_file_wrong(file->path, (struct kb_span){ q.text, length }, &error, &failure), &failure);
	snprintf(q.label, sizeof q.label, "layers %.60s", file->name);
	if (!request->list) {
		kb_layers_find(&job->search, &q.layers, q.answers);
		for (unsigned i = 0; i < q.layers.count && !request->stored; i++) {
			bool has = q.answers[i].found && q.answers[i].here && !request->fresh;

			if (!has && kb_layers_runs_here(&job->search, &q.layers.layers[i], why))
				measure_row(job, &q, q.layers.layers[i].row);
		}
		if (!request->stored)
			kb_layers_find(&job->search, &q.layers, q.answers);
		answer_model(job, &q);
	}

	struct kb_layers_shown shown = { file->name, &q.layers, q.answers, &q.model };

	if (request->list && request->json)
		json_array_append_new(job->documents, kb_layers_question_json(file->name, &q.layers));
	else if (request->list)
		printf("%-12s  %.*s\n", kb_shown(file->name).text, (int)q.layers.about.length, q.layers.about.at);
	else if (request->json)
		json_array_append_new(job->documents, kb_layers_json(&shown));
	else
		kb_layers_print(stdout, &shown, &style);
	free((void *)(uintptr_t)q.model.predictions);
	kb_model_rows_free(&q.rows);
	kb_models_free(&q.models);
	free(q.text);
}

static void read_options(struct job *job, int argc, char **argv)
{
	const struct request *request = &job->request;

	kb_read_options(job->command, argc, argv, &job->request);
	if (request->stored && request->fresh)
		kb_usage(job->command, "--stored and --fresh exclude each other");
	if (request->list && (request->stored || request->fresh || request->budget_ns || request->store))
		kb_usage(job->command, "--list measures nothing and reads no store: only --file and --json go with it");
	if (request->stored && request->budget_ns)
		kb_usage(job->command, "--stored measures nothing: --budget does not go with it");
	job->notes = kb_notes_of(job->command);
	job->argc = argc;
	job->argv = argv;
}

static int layers_main(const struct kb_command *command, int argc, char **argv)
{
	static struct job job;
	struct kb_data_files files = { .kind = "layers" };
	struct kb_failure failure;
	bool unfit;

	job.command = command;
	job.documents = json_array();
	read_options(&job, argc, argv);
	kb_die_if(command, kb_read_environment(false, &job.notes, &job.env, &unfit, &failure), &failure);
	kb_die_if(command, kb_data_files_find(&files, (const char *const *)argv + optind, (size_t)(argc - optind), job.request.files.at,
					      job.request.files.count, &job.notes, &failure), &failure);
	kb_collectors_find(&job.collectors, NULL);
	kb_note_sel4(job.env);
	job.search = (struct kb_layers_search){ command, job.request.store, job.env, kb_json_env_id(job.env) ?: "", &job.collectors };
	for (size_t i = 0; i < files.count; i++)
		answer(&job, &files, &files.found[i]);
	if (job.request.json && job.request.list)
		kb_print_json(json_pack("{s:s, s:O}", "schema", KB_LAYERS_SCHEMA, "questions", job.documents));
	else if (job.request.json)
		kb_print_json(json_pack("{s:s, s:O, s:O}", "schema", KB_LAYERS_SCHEMA, "env", job.env, "layers", job.documents));
	kb_data_files_free(&files);
	json_decref(job.documents);
	json_decref(job.env);
	free(job.request.files.at);
	return job.code;
}

const struct kb_command kb_command_layers = {
	.name = "layers",
	.arguments = "[QUESTION...]",
	.summary = "Print one primitive side by side: user space, kernel, exact instructions, seL4",
	.text = "Benchmarks that this machine can measure and has not are measured first. For others the reason is shown, or what\n"
		"another machine has stored. A question is a file of text: doc/layers.md.\n",
	.options = options,
	.examples = "  kbench layers notify\n"
		    "  kbench layers pagefault --fresh --budget 5s\n"
		    "  kbench layers --stored --json\n",
	.exits = "  0 done; 2 usage, a wrong question, an unreadable store, nothing saved; 5 a process cannot be started;\n"
		 "  128+n stopped by signal n\n",
	.main = layers_main,
};
