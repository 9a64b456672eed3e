/*
 * kbench model: what composite operations should cost by their parts (the decomposition of Brown and Seltzer), and what
 * they do cost. Whole and parts are rows of one run, so that both had the same machine.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/run.h"
#include "cli/store/saved.h"
#include "report/model/model.h"
#include "result/json/json.h"
#include "store/document.h"
#include "workflow/data_files.h"
#include "workflow/model_command.h"
#include "workflow/workflow.h"

/* As for kbench run: more than this is a typing error. */
#define PROCESSES_MAX 1000
#define REPEATS_MAX 10000

enum { HEADLINE, OBSERVED };

struct request {
	struct kb_workflow_request w;
	struct kb_words files;
	const char *run;
	int estimate;
	unsigned repeats;
	bool list, json, verbose;
};

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 0, "file", "FILE", "a model of your own; may be repeated", NULL, INTO(WORDS, files) },
	{ 0, "run", "RUN", "take the results from a stored run instead of measuring them", NULL, INTO(WORD, run) },
	{ 0, "list", NULL, "print the models and what they are about", NULL, INTO(FLAG, list) },
	{ 0, "estimate", "headline|observed", "which cost of a result: its headline, or the observed one", "headline",
	  INTO(CHOICE, estimate) },
	{ 0, "budget", "TIME", "stop measuring after this time", "180s", INTO(TIME, w.run.budget_ns, .least = 10 * KB_MS) },
	{ 0, "processes", "N", "fresh processes for each result", "6", INTO(NUMBER, w.run.processes, .least = 1, .most = PROCESSES_MAX) },
	{ 0, "precision", "PERCENT", "stop when every 95 % CI is this narrow", "2%", INTO(PERCENT, w.run.precision) },
	{ 0, "repeats", "N", "how often a command is run for its time", "20", INTO(NUMBER, repeats, .least = 2, .most = REPEATS_MAX) },
	{ 0, "timeout", "TIME", "time limit of one process, and of one run of the command", "30s", INTO(TIME, w.run.timeout_ns, .least = 10 * KB_MS) },
	{ 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use", INTO(WORD, w.cpus) },
	{ 0, "seed", "N", "order of processes and samples", "a random one, printed",
	  INTO(NUMBER, w.run.seed, .most = KB_JSON_WHOLE_MAX - 1) },
	{ 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db", INTO(WORD, w.store) },
	{ 0, "no-store", NULL, "keep nothing", NULL, INTO(FLAG, w.no_store) },
	{ 0, "label", "TEXT", "a name for the run, for --run and 'kbench show'", NULL, INTO(LABEL, w.label) },
	{ 0, "strict", NULL, "exit with 3 if 'kbench doctor' finds the machine unfit", NULL, INTO(FLAG, w.strict) },
	{ 0, "json", NULL, "print kbench-model/1", NULL, INTO(FLAG, json) },
	{ 'v', "verbose", NULL, "with --list: print the models' texts; with command: list its calls", NULL, INTO(FLAG, verbose) },
	{ 0 }
};

struct job {
	const struct kb_command *command;
	struct request request;
	struct kb_model_set models;
	struct kb_model_rows rows;
	struct kb_model_index *index;           /* by model */
	struct kb_prediction **predictions;     /* by model: its instances */
	struct kb_fit *fits;
	struct kb_workflow w;
	struct kb_saved saved;          /* where nothing was measured, it stands in its place */
	json_t *run, *env;              /* borrowed */
	const char *started;
	char where[600];                /* of what was kept or read, for the last line */
	int code;
};

static void read_options(struct job *job, int argc, char **argv)
{
	struct request *request = &job->request;

	request->w = kb_workflow_defaults();
	request->w.run.budget_ns = 180 * KB_S;
	request->w.run.precision = 0.02;
	request->repeats = 20;
	kb_read_options(job->command, argc, argv, request);
	if (request->w.no_store && request->w.store && !request->run)
		kb_usage(job->command, "--store and --no-store exclude each other");
	kb_begin_request(job->command, &request->w, argc, argv);
	job->rows.observed = request->estimate == OBSERVED;
}

static void load_models(struct job *job, const char *const *names, size_t count)
{
	const struct kb_words *files = &job->request.files;
	struct kb_failure failure;

	kb_die_if(job->command, kb_models_load(&job->models, names, count, files->at, files->count, &job->request.w.notes, &failure), &failure);
}

/* ---- output ---------------------------------------------------------------------------------------------- */

static void print_list(const struct job *job)
{
	json_t *models = json_array();

	for (size_t m = 0; m < job->models.count; m++) {
		const struct kb_model *model = job->models.models[m];

		if (job->request.json) {
			json_array_append_new(models, json_pack("{s:s, s:s%, s:o, s:s%}", "model", model->name, "about", model->about.at,
								model->about.length, "file", kb_json_string(model->path), "text",
								model->text.at, model->text.length));
			continue;
		}
		printf("%-22s  %.*s\n", kb_shown(model->name).text, (int)model->about.length, model->about.at);
		if (!job->request.verbose)
			continue;
		/* With its comments, which nothing has read. */
		printf("\n%s:\n", kb_shown(model->path).text);
		kb_print_lines(stdout, model->text.at, model->text.length);
		putchar('\n');
	}
	if (job->request.json)
		kb_print_json(json_pack("{s:s, s:O}", "schema", KB_MODEL_SCHEMA, "models", models));
	json_decref(models);
}

static void print_end(const struct job *job, const struct kb_style *style, const char *of)
{
	printf("%s; %s estimates%s\n", job->where, job->rows.observed ? "observed" : "headline", of);
	printf("%s is the larger half-width of the 95 %% CI\n", style->utf8 ? "\u00b1" : "+-");
}

static void print(const struct job *job)
{
	struct kb_style style = kb_style_here(job->request.verbose);
	size_t counts[KB_JUDGEMENTS] = { 0 }, total = 0;

	kb_print_heading(job->started, job->env);
	for (size_t m = 0; m < job->models.count; m++) {
		const struct kb_model *model = job->models.models[m];

		kb_model_print(stdout, model, job->predictions[m], &job->fits[m], &style);
		fputc('\n', stdout);
		for (unsigned i = 0; i < kb_model_instances(model); i++, total++)
			counts[job->predictions[m][i].judgement]++;
	}
	kb_model_print_count(stdout, counts, total);
	print_end(job, &style, "");
}

static void print_document(const struct job *job)
{
	json_t *models = json_array();

	for (size_t m = 0; m < job->models.count; m++)
		json_array_append_new(models, kb_model_to_json(job->models.models[m], job->predictions[m], &job->fits[m]));
	kb_print_json(json_pack("{s:s, s:O, s:O, s:s, s:f, s:o}", "schema", KB_MODEL_SCHEMA, "run", job->run, "env", job->env,
				"estimate", job->rows.observed ? "observed" : "headline", "limit", KB_MODEL_LIMIT, "models", models));
}

/* A row that failed is no failure of the model, which then has no number. */
static void conclude(struct job *job)
{
	const struct kb_run_outcome *outcome = &job->w.outcome;
	bool kept = kb_workflow_kept(&job->w);

	job->saved.run = kb_stored_run_to_json(&job->w.stored);
	job->run = job->saved.run;
	job->env = job->w.env;
	job->started = job->w.started;
	job->code = kb_workflow_code(&job->w, KB_EXIT_DONE);
	snprintf(job->where, sizeof job->where, "%u processes for %zu result%s in %.1f s, seed %llu%s; %s%s", outcome->processes,
		 job->w.count, job->w.count == 1 ? "" : "s", (double)outcome->elapsed_ns / 1e9, (unsigned long long)job->w.run.seed,
		 outcome->interrupted ? ", stopped by a signal" : "", kept ? "run " : "not saved", kept ? job->w.id : "");
}

static void release(struct job *job)
{
	for (size_t m = 0; job->predictions && m < job->models.count; m++)
		free(job->predictions[m]);
	free(job->predictions);
	free(job->fits);
	free(job->index);
	free(job->request.files.at);
	kb_saved_release(&job->saved);
	kb_model_rows_free(&job->rows);
	kb_workflow_release(&job->w);
	kb_models_free(&job->models);
}

/* ---- what to do ------------------------------------------------------------------------------------------ */

static void choose_rows(struct job *job)
{
	struct kb_failure failure;
	struct kb_model_error error;
	size_t count = job->models.count;

	job->index = kb_need_memory(job->command, calloc(count + 1, sizeof *job->index));
	job->predictions = kb_need_memory(job->command, calloc(count + 1, sizeof *job->predictions));
	job->fits = kb_need_memory(job->command, calloc(count + 1, sizeof *job->fits));
	for (size_t m = 0; m < count; m++) {
		const struct kb_model *model = job->models.models[m];
		int result = kb_model_choose(&job->rows, model, &job->index[m], &error);

		kb_die_if(job->command, kb_refuse_model(model, result, &error, &failure), &failure);
	}
}

static void measure(struct job *job)
{
	struct kb_failure failure;

	job->request.w.rows = job->rows.rows;
	job->request.w.row_count = job->rows.count;
	kb_die_if(job->command, kb_workflow_measure(&job->request.w, &job->w, &failure), &failure);
	memset(job->rows.found, true, job->rows.count);
	conclude(job);
}

static void run_models(struct job *job)
{
	choose_rows(job);
	if (job->request.run) {
		kb_model_rows_read(job->command, &job->rows, job->request.w.store, job->request.run, &job->saved);
		job->run = job->saved.run;
		job->env = job->saved.env;
		job->started = kb_json_string_of(job->run, "started");
		snprintf(job->where, sizeof job->where, "of run %s", job->saved.id);
	} else {
		measure(job);
	}
	for (size_t m = 0; m < job->models.count; m++)
		job->predictions[m] = kb_need_memory(job->command, kb_model_predict(&job->rows, job->models.models[m], &job->index[m],
										   &job->fits[m]));
	if (job->request.json)
		print_document(job);
	else
		print(job);
}

/* The model is the one called command, or the one of counts that --file brings. */
static void run_command(struct job *job, char **argv)
{
	static const char *const name[] = { "command" };
	struct kb_style style = kb_style_here(job->request.verbose);
	struct kb_model_command command = {
		.request = &job->request.w, .argv = argv, .repeats = job->request.repeats, .limit_ns = job->request.w.run.timeout_ns,
	};
	struct kb_model_account account;
	struct kb_failure failure;

	if (!argv[0])
		kb_usage(job->command, "which command? kbench model command -- COMMAND [ARGUMENT...]");
	if (job->request.files.count > 1)
		kb_usage(job->command, "--file: one model describes what a command does");
	if (job->request.run)
		kb_usage(job->command, "--run: a command is measured together with its parts");
	load_models(job, name, job->request.files.count == 0);
	command.model = job->models.models[0];
	if (command.model->count_count == 0)
		kb_usage(job->command, "model '%s' has no line 'count ...'", command.model->name);
	kb_die_if(job->command, kb_model_command_measure(&command, &job->rows, &account, &job->w, &failure), &failure);
	conclude(job);
	if (job->request.json) {
		kb_print_json(json_pack("{s:s, s:O, s:O, s:s, s:o}", "schema", KB_MODEL_SCHEMA, "run", job->run, "env", job->env,
					"estimate", job->rows.observed ? "observed" : "headline", "command", kb_account_to_json(&account)));
		return;
	}
	kb_print_heading(job->started, job->env);
	kb_account_print(stdout, &account, &style);
	print_end(job, &style, " of parts");
}

static int model_main(const struct kb_command *command, int argc, char **argv)
{
	static struct job job;
	const struct request *request = &job.request;

	job.command = command;
	read_options(&job, argc, argv);
	if (optind < argc && strcmp(argv[optind], "command") == 0 && !request->list) {
		run_command(&job, argv + optind + 1);
	} else {
		load_models(&job, (const char *const *)argv + optind, (size_t)(argc - optind));
		if (request->list) {
			print_list(&job);
		} else {
			/* Models of counts predict commands, and only those. */
			for (size_t m = 0; m < job.models.count && (optind < argc || request->files.count > 0); m++) {
				if (job.models.models[m]->count_count > 0)
					kb_usage(command, "model '%s' counts what a command does: kbench model command -- COMMAND",
						 job.models.models[m]->name);
			}
			kb_models_drop_counts(&job.models);
			run_models(&job);
		}
	}
	release(&job);
	return job.code;
}

const struct kb_command kb_command_model = {
	.name = "model",
	.arguments = "[MODEL...] | command -- COMMAND [ARGUMENT...]",
	.summary = "Predict composite operations from their parts, and explain what deviates",
	.text = "A model is a file of text: 'kbench model --list -v' prints them, doc/model.md describes how to write one.\n"
		"'command' predicts a program from its system calls, faults and context switches.\n",
	.options = options,
	.examples = "  kbench model\n"
		    "  kbench model copy 'pipe*' --budget 30s\n"
		    "  kbench model --run last --file mine.model\n"
		    "  kbench model command -- grep -r root /etc\n",
	.exits = "  0 done; 2 usage, a wrong model, unknown run, nothing saved, unwritable output;\n"
		 "  3 unfit with --strict; 5 the command could not be run to its end; 128+n stopped by signal n, after saving.\n",
	.main = model_main,
};
