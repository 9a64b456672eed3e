/*
 * kbench model: what composite operations should cost by their parts (the decomposition of Brown and Seltzer), beside what
 * they do cost. Whole and parts are rows of one run, so that both had the same machine.
 */
#include "cli/cli.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/model_command.h"
#include "cli/print.h"
#include "cli/start.h"
#include "cli/values.h"
#include "report/text/model.h"
#include "result/json/json.h"

enum { FILES, RUN, LIST, ESTIMATE, BUDGET, PROCESSES, PRECISION, REPEATS, LIMIT, TIMEOUT, CPUS, SEED, STORE, NO_STORE, LABEL, STRICT, JSON,
       VERBOSE };

static const struct kb_option options[] = {
	[FILES] = { 0, "file", "FILE", "a model of your own; may be repeated", NULL },
	[RUN] = { 0, "run", "RUN", "take the results from a stored run instead of measuring them", NULL },
	[LIST] = { 0, "list", NULL, "print the models and what they are about", NULL },
	[ESTIMATE] = { 0, "estimate", "headline|observed", "which cost of a result: its headline, or the observed one", "headline" },
	[BUDGET] = { 0, "budget", "TIME", "stop measuring after this time", "180s" },
	[PROCESSES] = { 0, "processes", "N", "fresh processes for each result", "6" },
	[PRECISION] = { 0, "precision", "PERCENT", "stop when every 95 % CI is this narrow", "2%" },
	[REPEATS] = { 0, "repeats", "N", "how often a command is run for its time", "20" },
	[LIMIT] = { 0, "limit", "TIME", "after this a command is killed", "10s" },
	[TIMEOUT] = { 0, "timeout", "TIME", "time limit of one process", "30s" },
	[CPUS] = { 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use" },
	[SEED] = { 0, "seed", "N", "order of processes and samples", "a random one, printed" },
	[STORE] = { 0, "store", "FILE", "where runs are kept", "$XDG_DATA_HOME/kbench/kbench.db" },
	[NO_STORE] = { 0, "no-store", NULL, "keep nothing", NULL },
	[LABEL] = { 0, "label", "TEXT", "a name for the run, for --run and 'kbench show'", NULL },
	[STRICT] = { 0, "strict", NULL, "exit with 3 if 'kbench doctor' finds the machine unfit", NULL },
	[JSON] = { 0, "json", NULL, "print kbench-model/1", NULL },
	[VERBOSE] = { 'v', "verbose", NULL, "with --list: print the models' texts; with command: list its calls", NULL },
	{ 0 }
};

/* As for kbench run: more than this is a typing error. */
#define PROCESSES_MAX 1000
#define REPEATS_MAX 10000

struct job {
	const struct kb_command *command;
	const char **files;
	size_t file_count;
	const char *run;
	bool list, json, verbose;
	struct kb_model_run options;
	unsigned repeats;
	uint64_t limit_ns;
	struct kb_model_set models;
	struct kb_model_rows rows;
	struct kb_prediction **predictions;     /* by model: its instances */
	struct kb_fit *fits;
	size_t (*index)[KB_MODEL_VALUES][KB_MODEL_QUANTITIES];
};

/* ---- the command line ------------------------------------------------------------------------------------ */

static bool is_observed(const struct job *job, const char *value)
{
	if (strcmp(value, "observed") != 0 && strcmp(value, "headline") != 0)
		kb_usage(job->command, "--estimate '%.40s': must be headline or observed", value);
	return value[0] == 'o';
}

static void set_flag(struct job *job, int option)
{
	switch (option) {
	case LIST: job->list = true; break;
	case NO_STORE: job->options.no_store = true; break;
	case STRICT: job->options.strict = true; break;
	case JSON: job->json = true; break;
	case VERBOSE: job->verbose = true; break;
	}
}

static void set(struct job *job, int option, const char *value)
{
	const struct kb_command *command = job->command;
	struct kb_run_options *run = &job->options.run;

	switch (option) {
	case FILES: job->files[job->file_count++] = value; break;
	case RUN: job->run = value; break;
	case ESTIMATE: job->rows.observed = is_observed(job, value); break;
	case BUDGET: run->budget_ns = kb_value_time(command, "budget", value, 10 * KB_MS); break;
	case PROCESSES: run->launches = (unsigned)kb_value_number(command, "processes", value, 1, PROCESSES_MAX); break;
	case PRECISION: run->precision = kb_value_percent(command, "precision", value); break;
	case REPEATS: job->repeats = (unsigned)kb_value_number(command, "repeats", value, 2, REPEATS_MAX); break;
	case LIMIT: job->limit_ns = kb_value_time(command, "limit", value, KB_MS); break;
	case TIMEOUT: run->timeout_ns = kb_value_time(command, "timeout", value, 10 * KB_MS); break;
	case CPUS: job->options.cpus = value; break;
	case SEED: run->seed = kb_value_number(command, "seed", value, 0, KB_JSON_WHOLE_MAX - 1); break;
	case STORE: job->options.store = value; break;
	case LABEL: job->options.label = kb_value_label(command, value); break;
	default: set_flag(job, option);
	}
}

static void read_options(struct job *job, int argc, char **argv)
{
	const char *value;
	int option;

	job->files = calloc((size_t)argc, sizeof *job->files);
	if (!job->files)
		kb_no_memory(job->command);
	job->options.label = "";
	job->repeats = 20;
	job->limit_ns = 10 * KB_S;
	job->options.run = (struct kb_run_options){
		.budget_ns = 180 * KB_S, .timeout_ns = 30 * KB_S, .launches = 6, .precision = 0.02,
		.seed = kb_start_seed(),
	};
	while ((option = kb_next_option(job->command, argc, argv, &value)) >= 0)
		set(job, option, value);
	if (job->options.no_store && job->options.store && !job->run)
		kb_usage(job->command, "--store and --no-store exclude each other");
}

/* ---- predictions ----------------------------------------------------------------------------------------- */

static void choose_rows(struct job *job)
{
	job->index = calloc(job->models.count + 1, sizeof *job->index);
	if (!job->index)
		kb_no_memory(job->command);
	for (size_t m = 0; m < job->models.count; m++) {
		const struct kb_model *model = job->models.models[m];

		for (unsigned i = 0; i < kb_model_instances(model); i++) {
			for (unsigned q = 0; q < model->quantity_count; q++)
				job->index[m][i][q] = kb_model_rows_add(job->command, &job->rows, model, q, i);
		}
	}
}

static void predict(struct job *job)
{
	job->predictions = calloc(job->models.count + 1, sizeof *job->predictions);
	job->fits = calloc(job->models.count + 1, sizeof *job->fits);
	if (!job->predictions || !job->fits)
		kb_no_memory(job->command);
	for (size_t m = 0; m < job->models.count; m++) {
		const struct kb_model *model = job->models.models[m];
		unsigned count = kb_model_instances(model);
		struct kb_prediction *instances = calloc(count, sizeof *instances);

		if (!instances)
			kb_no_memory(job->command);
		job->predictions[m] = instances;
		for (unsigned i = 0; i < count; i++) {
			instances[i].model = model;
			instances[i].instance = i;
			for (unsigned q = 0; q < model->quantity_count; q++)
				kb_model_rows_value(&job->rows, job->index[m][i][q], model->quantities[q].kind,
						    &instances[i].quantities[q]);
		}
		kb_model_judge(model, instances, &job->fits[m]);
	}
}

/* Models of counts predict commands, and only those. */
static void drop_counts(struct job *job, bool named)
{
	for (size_t m = 0; m < job->models.count && named; m++) {
		const struct kb_model *model = job->models.models[m];

		if (model->count_count > 0)
			kb_usage(job->command, "model '%s' counts what a command does: kbench model command -- COMMAND", model->name);
	}
	kb_models_drop_counts(&job->models);
}

/* ---- output ---------------------------------------------------------------------------------------------- */

/* With its comments, which nothing has read. */
static void print_text(const struct kb_model *model)
{
	printf("\n%s:\n", kb_shown(model->path).text);
	kb_print_lines(stdout, model->text.at, model->text.length);
	putchar('\n');
}

static void print_list(const struct job *job)
{
	for (size_t m = 0; m < job->models.count; m++) {
		const struct kb_model *model = job->models.models[m];

		printf("%-22s  %.*s\n", kb_shown(model->name).text, (int)model->about.length, model->about.at);
		if (job->verbose)
			print_text(model);
	}
}

static void print_list_document(const struct job *job)
{
	json_t *models = json_array();

	for (size_t m = 0; m < job->models.count; m++) {
		const struct kb_model *model = job->models.models[m];

		json_array_append_new(models, json_pack("{s:s, s:s%, s:o, s:s%}", "model", model->name, "about", model->about.at,
							model->about.length, "file", kb_json_string(model->path), "text",
							model->text.at, model->text.length));
	}
	kb_print_json(json_pack("{s:s, s:o}", "schema", KB_MODEL_SCHEMA, "models", models));
}

static void print(const struct job *job)
{
	struct kb_style look = kb_style_here(job->verbose);
	size_t counts[KB_JUDGEMENTS] = { 0 }, total = 0;

	kb_print_heading(job->rows.started, job->rows.env);
	for (size_t m = 0; m < job->models.count; m++) {
		const struct kb_model *model = job->models.models[m];

		kb_model_print(stdout, model, job->predictions[m], &job->fits[m], &look);
		fputc('\n', stdout);
		for (unsigned i = 0; i < kb_model_instances(model); i++, total++)
			counts[job->predictions[m][i].judgement]++;
	}
	kb_model_print_count(stdout, counts, total);
	printf("%s; %s estimates\n", job->rows.where, job->rows.observed ? "observed" : "headline");
	printf("%s is the larger half-width of the 95 %% CI\n", look.utf8 ? "\u00b1" : "+-");
}

static void print_document(const struct job *job)
{
	json_t *models = json_array();

	for (size_t m = 0; m < job->models.count; m++)
		json_array_append_new(models, kb_model_to_json(job->models.models[m], job->predictions[m], &job->fits[m]));
	kb_print_json(json_pack("{s:s, s:O, s:O, s:s, s:f, s:o}", "schema", KB_MODEL_SCHEMA, "run", job->rows.run, "env", job->rows.env,
				"estimate", job->rows.observed ? "observed" : "headline", "limit", KB_MODEL_LIMIT, "models", models));
}

static void release(struct job *job)
{
	for (size_t m = 0; job->predictions && m < job->models.count; m++)
		free(job->predictions[m]);
	free(job->predictions);
	free(job->fits);
	free(job->index);
	free(job->files);
	kb_model_rows_free(&job->rows);
	kb_models_free(&job->models);
}

/* ---- what to do ------------------------------------------------------------------------------------------ */

static int run_models(struct job *job, int argc, char **argv)
{
	choose_rows(job);
	if (job->run)
		kb_model_rows_read(job->command, &job->rows, job->options.store, job->run);
	else
		kb_model_rows_measure(job->command, &job->rows, &job->options, argc, argv);
	predict(job);
	if (job->json)
		print_document(job);
	else
		print(job);
	return job->rows.code;
}

/* The model is the one called command, or the one of counts that --file brings. */
static int run_command(struct job *job, int argc, char **argv)
{
	static const char *const name[] = { "command" };
	struct kb_model_command command = {
		.command = job->command, .argv = argv + optind + 1, .options = &job->options, .repeats = job->repeats,
		.limit_ns = job->limit_ns, .observed = job->rows.observed, .json = job->json, .verbose = job->verbose,
	};

	if (optind + 1 >= argc)
		kb_usage(job->command, "which command? kbench model command -- COMMAND [ARGUMENT...]");
	if (job->file_count > 1)
		kb_usage(job->command, "--file: one model says what a command does");
	if (job->run)
		kb_usage(job->command, "--run: a command is measured together with its parts");
	kb_models_load(job->command, name, job->file_count == 0, job->files, job->file_count, &job->models);
	command.model = job->models.models[0];
	if (command.model->count_count == 0)
		kb_usage(job->command, "model '%s' has no line 'count ...'", command.model->name);
	return kb_model_command_run(&command, argc, argv);
}

static int model_main(const struct kb_command *command, int argc, char **argv)
{
	struct job job = { .command = command };
	int code = KB_EXIT_DONE;

	read_options(&job, argc, argv);
	if (optind < argc && strcmp(argv[optind], "command") == 0 && !job.list) {
		code = run_command(&job, argc, argv);
	} else {
		kb_models_load(command, (const char *const *)argv + optind, (size_t)(argc - optind), job.files, job.file_count,
			       &job.models);
		if (job.list && job.json) {
			print_list_document(&job);
		} else if (job.list) {
			print_list(&job);
		} else {
			drop_counts(&job, optind < argc || job.file_count > 0);
			code = run_models(&job, argc, argv);
		}
	}
	release(&job);
	return code;
}

const struct kb_command kb_command_model = {
	.name = "model",
	.arguments = "[MODEL...] | command -- COMMAND [ARGUMENT...]",
	.summary = "Predict composite operations from their parts, and explain what deviates",
	.text = "A model is a file of text: 'kbench model --list -v' prints them, doc/model.md says how to write one.\n"
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
