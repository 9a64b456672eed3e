/*
 * kbench ab: measures two sides in turn and decides. Two runs are kept, side B last, so that `kbench compare last~1 last` says it
 * again.
 */
#include "cli/cli.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/floor.h"
#include "cli/gate.h"
#include "cli/print.h"
#include "cli/saved.h"
#include "cli/sides.h"
#include "cli/stamp.h"
#include "cli/start.h"
#include "cli/values.h"
#include "cli/watch.h"
#include "io.h"
#include "report/text/comparison.h"
#include "result/json/comparison.h"
#include "result/json/json.h"
#include "run/ab.h"
#include "store/document.h"

enum {
	SIDE_A, SIDE_B, PARAM, MARGIN, GATE, BUDGET, PROCESSES, TIMEOUT, CPUS, CLOCK, SEED, STORE, NO_STORE, LABEL, STRICT,
	JSON, VERBOSE
};

static const struct kb_option options[] = {
	[SIDE_A] = { 0, "a", "SIDE", "side A, the base", "kbench-collect as it is" },
	[SIDE_B] = { 0, "b", "SIDE", "side B, the new one", NULL },
	[PARAM] = { 'p', "param", "NAME=VALUE[,VALUE...]", "set a parameter, or sweep it; may be repeated",
		    "the values of 'kbench list'" },
	[MARGIN] = { 0, "margin", "PERCENT", "smaller differences do not matter", "1%" },
	[GATE] = { 0, "gate", NULL, "exit with 1 if a result is slower, with 4 if one is not settled", NULL },
	[BUDGET] = { 0, "budget", "TIME", "stop after this time", "60s" },
	[PROCESSES] = { 0, "processes", "N", "pairs of fresh processes for each result, at least; 12 can be decided by", "12" },
	[TIMEOUT] = { 0, "timeout", "TIME", "time limit of one process", "30s" },
	[CPUS] = { 0, "cpus", "LIST", "CPUs to measure on, such as 2,3", "those this process may use" },
	[CLOCK] = { 0, "clock", "auto|ns", "the CPU's time stamps, or clock_gettime", "auto" },
	[SEED] = { 0, "seed", "N", "order of processes and blocks", "a random one, printed" },
	[STORE] = { 0, "store", "FILE", "where the runs are kept", "$XDG_DATA_HOME/kbench/kbench.db" },
	[NO_STORE] = { 0, "no-store", NULL, "keep nothing", NULL },
	[LABEL] = { 0, "label", "TEXT", "a name: the runs are called TEXT-a and TEXT-b", "ab" },
	[STRICT] = { 0, "strict", NULL, "exit with 3 if 'kbench doctor' finds the machine unfit", NULL },
	[JSON] = { 0, "json", NULL, "print kbench-compare/2 instead of the table", NULL },
	[VERBOSE] = { 'v', "verbose", NULL, "print p values, variances, and notes", NULL },
	{ 0 }
};

enum { A, B, RUNS };

static const char *const run_names[RUNS] = { [A] = "a", [B] = "b" };

struct job {
	const struct kb_command *command;
	const char *texts[2];           /* of the sides */
	const char **sets;
	size_t set_count;
	const char *cpus, *store, *label;
	bool no_store, strict, json, verbose, unfit, gate;
	double margin;
	struct kb_side side[2];
	struct kb_run_options run[2];
	char collector[PATH_MAX], started[21], finished[21];
	char ids[RUNS][37], labels[RUNS][128];
	char *command_line, *settings[RUNS], *env_text;
	json_t *env;
	struct kb_stored_run stored[RUNS];
	struct kb_watch watch[RUNS];
	struct kb_ab_row *results;
	struct kb_comparison *rows;
	struct kb_run_outcome outcome;
};

/* ---- the command line ------------------------------------------------------------------------------------ */

static void set_flag(struct job *job, int option)
{
	switch (option) {
	case NO_STORE: job->no_store = true; break;
	case STRICT: job->strict = true; break;
	case JSON: job->json = true; break;
	case VERBOSE: job->verbose = true; break;
	case GATE: job->gate = true; break;
	}
}

static void set(struct job *job, int option, const char *value)
{
	const struct kb_command *command = job->command;
	struct kb_run_options *run = &job->run[A];

	switch (option) {
	case SIDE_A: job->texts[A] = value; break;
	case SIDE_B: job->texts[B] = value; break;
	case PARAM: job->sets[job->set_count++] = value; break;
	case MARGIN: job->margin = kb_value_margin(command, value); break;
	case BUDGET: run->budget_ns = kb_value_time(command, "budget", value, 10 * KB_MS); break;
	case PROCESSES: run->launches = (unsigned)kb_value_number(command, "processes", value, 1, KB_PAIRS_MOST); break;
	case TIMEOUT: run->timeout_ns = kb_value_time(command, "timeout", value, 10 * KB_MS); break;
	case CPUS: job->cpus = value; break;
	case CLOCK: run->clock = kb_value_clock(command, value); break;
	case SEED: run->seed = kb_value_number(command, "seed", value, 0, KB_JSON_WHOLE_MAX - 1); break;
	case STORE: job->store = value; break;
	case LABEL: job->label = kb_value_label(command, value); break;
	default: set_flag(job, option);
	}
}

static void read_options(struct job *job, int argc, char **argv)
{
	const char *value;
	int option;

	job->sets = calloc((size_t)argc, sizeof *job->sets);
	if (!job->sets)
		kb_no_memory(job->command);
	job->run[A] = (struct kb_run_options){
		.budget_ns = 60 * KB_S, .timeout_ns = 30 * KB_S, .launches = KB_PAIRS_FEWEST, .seed = kb_start_seed(),
	};
	while ((option = kb_next_option(job->command, argc, argv, &value)) >= 0)
		set(job, option, value);
	if (!job->texts[B])
		kb_usage(job->command, "--b is needed: what is to be compared with side A?");
	if (job->no_store && job->store)
		kb_usage(job->command, "--store and --no-store exclude each other");
	job->run[A].precision = job->margin;
}

static void select_rows(struct job *job, const char *const *patterns, size_t pattern_count)
{
	for (int i = 0; i < 2; i++)
		kb_side_read(job->command, run_names[i], job->texts[i], &job->side[i]);
	kb_sides_share(job->command, job->run[A].timeout_ns, &job->side[A], &job->side[B]);
	for (int i = 0; i < 2; i++) {
		struct kb_side *side = &job->side[i];

		kb_side_select(job->command, side, patterns, pattern_count, job->sets, job->set_count, &side->rows, &side->count);
	}
	if (job->side[A].count != job->side[B].count)
		kb_usage(job->command, "the sides select %zu and %zu rows", job->side[A].count, job->side[B].count);
	for (size_t i = 0; i < job->side[A].count; i++) {
		const char *a = job->side[A].rows[i].key, *b = job->side[B].rows[i].key;

		if (strcmp(a + strcspn(a, " "), b + strcspn(b, " ")) != 0)
			kb_usage(job->command, "the sides select different rows: '%.60s' and '%.60s'", a, b);
	}
}

/* Each side is the run's options with its own program, plug-in and environment. */
static void make_sides(struct job *job)
{
	kb_start_collector(job->command, job->collector);
	job->run[B] = job->run[A];
	for (int i = 0; i < 2; i++) {
		struct kb_side *side = &job->side[i];

		job->run[i].collector = side->collector[0] ? side->collector : job->collector;
		job->run[i].plugin = side->plugin[0] ? side->plugin : NULL;
		job->run[i].plugin_name = side->bench.name;
		job->run[i].environment = side->environment;
	}
}

/* ---- what is kept ---------------------------------------------------------------------------------------- */

static char *settings_text(const struct job *job, int which)
{
	const struct kb_run_options *run = &job->run[which == B];
	const struct kb_side *side = &job->side[which == B];
	json_t *rows = json_array();

	for (size_t i = 0; i < side->count; i++)
		json_array_append_new(rows, json_string(side->rows[i].key));

	json_t *json = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:[o, o], s:s, s:s?, s:o, s:o, s:{s:s, s:s, s:o}}",
				 "tool", "kbench " KB_VERSION,
				 "seed", kb_json_whole(run->seed),
				 "precision", kb_json_real(run->precision),
				 "budget_ns", kb_json_whole(run->budget_ns),
				 "timeout_ns", kb_json_whole(run->timeout_ns),
				 "processes", kb_json_whole(run->launches),
				 "cpus", kb_json_whole(run->cpus.measure), kb_json_whole(run->cpus.other),
				 "clock", run->clock ? run->clock : "auto",
				 "plugin", run->plugin,
				 "rows", rows,
				 "floor", kb_floor_to_json(&run->floor),
				 "ab", "batch", job->ids[A], "side", run_names[which], "of", kb_json_string(side->text));
	char *text = kb_json_text(json);

	json_decref(json);
	return text;
}

static void describe(struct job *job, int argc, char **argv)
{
	/* `last` is to be side B and `last~1` side A. Ids sort by milliseconds, hence the pause. */
	for (int i = 0; i < RUNS; i++) {
		if (kb_stamp_id(job->ids[i]))
			kb_die(job->command, KB_EXIT_USAGE, "no random numbers for the runs' ids");
		kb_sleep_ns(2 * KB_MS);
	}
	kb_stamp_now(job->started);
	memcpy(job->run[A].id, job->ids[A], sizeof job->run[A].id);
	memcpy(job->run[B].id, job->ids[A], sizeof job->run[B].id);
	job->command_line = kb_start_command_line(argc, argv);
	for (int i = 0; i < RUNS; i++) {
		job->settings[i] = settings_text(job, i);
		snprintf(job->labels[i], sizeof job->labels[i], "%.100s-%s", job->label, run_names[i]);
		if (!job->command_line || !job->settings[i] || !job->env_text)
			kb_die(job->command, KB_EXIT_USAGE, "out of memory, or a path that is not UTF-8");
		job->stored[i] = (struct kb_stored_run){
			.id = job->ids[i], .started = job->started, .finished = "", .label = job->labels[i],
			.command = job->command_line, .env = job->env_text, .settings = job->settings[i],
			.env_class = kb_json_env_id(job->env),
		};
	}
}

static void open_store(struct job *job)
{
	bool lost = false;

	for (int i = 0; i < RUNS; i++) {
		struct kb_watch *watch = &job->watch[i];

		*watch = (struct kb_watch){ .command = job->command, .run_id = job->ids[i] };
		/* What one could not open, the others cannot: one line is enough. */
		if (!job->no_store && !lost)
			kb_watch_open(watch, job->store, &job->stored[i]);
		lost = lost || watch->lost;
	}
	job->watch[A].terminal = isatty(STDERR_FILENO);
}

static bool lost(const struct job *job)
{
	return job->watch[A].lost || job->watch[B].lost;
}

/* ---- measuring ------------------------------------------------------------------------------------------- */

static void save(struct job *job, int which, struct kb_row *row, size_t index)
{
	kb_saved_settle(&row->result, row->key, job->run[A].launches);
	kb_watch_save(&job->watch[which], row, index);
}

static void measure(struct job *job)
{
	struct kb_run_observer observers[RUNS];
	struct kb_ab ab = {
		.rows = { job->side[A].rows, job->side[B].rows }, .count = job->side[A].count, .margin = job->margin,
	};
	char error[256] = "";

	for (int i = 0; i < RUNS; i++)
		observers[i] = kb_watch_observer(&job->watch[i]);
	job->results = calloc(ab.count + 1, sizeof *job->results);
	if (!job->results)
		kb_no_memory(job->command);
	kb_start_signals();

	int result = kb_ab_rows(&ab, job->run, observers, job->results, &job->outcome, error);

	for (size_t i = 0; i < ab.count && !result; i++) {
		save(job, A, &job->side[A].rows[i], i);
		save(job, B, &job->side[B].rows[i], i);
	}
	if (!result)
		kb_watch_floor(&job->watch[B], job->env, job->outcome.k);
	kb_stamp_now(job->finished);
	for (int i = 0; i < RUNS; i++) {
		job->stored[i].finished = job->finished;
		kb_watch_close(&job->watch[i], job->finished);
	}
	if (result)
		kb_die(job->command, KB_EXIT_FAILED, "%s", error[0] ? error : strerror(-result));
}

static void compare(struct job *job)
{
	size_t count = job->side[A].count;
	struct kb_compare_rules rules = { .margin = job->margin };

	job->rows = calloc(count + 1, sizeof *job->rows);
	if (!job->rows)
		kb_no_memory(job->command);
	for (size_t i = 0; i < count; i++)
		kb_compare_pairs(&job->side[A].rows[i].result, &job->side[B].rows[i].result, &job->results[i].pairs, &rules,
				 &job->rows[i]);
	if (kb_compare_family(job->rows, count))
		kb_no_memory(job->command);
}

/* With the newer side. The runs are safe already: a comparison that cannot be kept is said, and can be made again. */
static void keep(const struct job *job)
{
	struct kb_store *store;
	int error;

	if (!job->watch[B].place[0] || lost(job))
		return;
	error = kb_store_open(&store, job->store, KB_STORE_WRITE);
	for (size_t i = 0; i < job->side[B].count && !error; i++) {
		json_t *json = kb_comparison_to_stored(&job->rows[i], job->ids[A]);
		char *text = json ? kb_json_text(json) : NULL;

		error = text ? kb_store_put_comparison(store, job->ids[B], job->side[B].rows[i].key, text) : -ENOMEM;
		json_decref(json);
		free(text);
	}
	if (error)
		kb_complain(job->command, "the comparison is not kept: %s",
			    error == -ENOMEM ? "out of memory" : kb_store_error(store));
	kb_store_close(store);
}

/* ---- output ---------------------------------------------------------------------------------------------- */

static void print_end(const struct job *job)
{
	const struct kb_run_outcome *outcome = &job->outcome;

	printf("%u processes in %.1f s, seed %llu", outcome->launches, (double)outcome->elapsed_ns / 1e9,
	       (unsigned long long)job->run[A].seed);
	if (outcome->interrupted)
		printf(", stopped by signal %d (%s)\n", outcome->signal, strsignal(outcome->signal));
	else
		printf("%s\n", outcome->precision_met ? "" : ", the budget ended before every row was decided");
	if (job->watch[A].place[0] && !lost(job))
		printf("runs %s (a) and %s (b) in %s\n", job->ids[A], job->ids[B], job->watch[A].place);
	else
		printf("not saved%s\n", lost(job) ? "" : " (--no-store)");
}

static void print(const struct job *job)
{
	struct kb_style look = kb_style_here(job->verbose);

	kb_print_heading(job->started, job->env);
	printf("base  %s\n", kb_shown(job->texts[A][0] ? job->texts[A] : job->collector).text);
	printf("new   %s\n\n", kb_shown(job->texts[B]).text);
	kb_comparison_print(stdout, job->rows, job->side[A].count, &look);
	fputc('\n', stdout);
	kb_comparison_count(stdout, job->rows, job->side[A].count);
	print_end(job);
}

static void print_document(const struct job *job, int code)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < job->side[A].count; i++)
		json_array_append_new(rows, kb_comparison_to_json(&job->rows[i]));
	kb_print_json(json_pack("{s:s, s:o, s:o, s:o, s:[], s:[], s:i}", "schema", KB_COMPARE_SCHEMA, "base",
				kb_stored_run_to_json(&job->stored[A]), "new", kb_stored_run_to_json(&job->stored[B]),
				"rows", rows, "only_base", "only_new", "exit", code));
}

static int exit_code(const struct job *job)
{
	int code = kb_gate_exit(job->rows, job->side[A].count, job->gate);

	if (job->unfit)
		code = kb_worse_exit(code, KB_EXIT_UNFIT);
	if (job->outcome.interrupted)
		code = kb_worse_exit(code, KB_EXIT_SIGNAL + job->outcome.signal);
	return lost(job) ? KB_EXIT_USAGE : code;
}

static void release(struct job *job)
{
	for (size_t i = 0; i < job->side[A].count; i++)
		kb_pairs_free(&job->results[i].pairs);
	for (int i = 0; i < RUNS; i++)
		free(job->settings[i]);
	kb_side_release(&job->side[A]);
	kb_side_release(&job->side[B]);
	free(job->results);
	free(job->rows);
	free(job->sets);
	free(job->command_line);
	free(job->env_text);
	json_decref(job->env);
}

static int ab_main(const struct kb_command *command, int argc, char **argv)
{
	/* Static: plug-ins and their rows are pointed at until the program ends. */
	static struct job job;

	job = (struct job){ .command = command, .texts = { "" }, .label = "ab", .margin = log(1.01) };
	read_options(&job, argc, argv);
	select_rows(&job, (const char *const *)argv + optind, (size_t)(argc - optind));
	kb_start_cpus(command, job.cpus, &job.run[A].cpus);
	job.unfit = kb_start_look(command, job.strict, &job.env, &job.env_text);
	kb_floor_start(job.env, job.no_store ? NULL : job.store, &job.run[A]);
	make_sides(&job);
	describe(&job, argc, argv);
	open_store(&job);
	measure(&job);
	compare(&job);
	keep(&job);

	int code = exit_code(&job);

	if (job.json)
		print_document(&job, code);
	else
		print(&job);
	release(&job);
	return code;
}

const struct kb_command kb_command_ab = {
	.name = "ab",
	.arguments = "--b SIDE [PATTERN...]",
	.summary = "Measure two sides in turn and compare them",
	.text = "SIDE is NAME=VALUE words for the collector's environment, the path of another kbench-collect, or of a\n"
		"plug-in FILE.so; several of these in one word, separated by blanks. Both sides run on the same CPU, block by\n"
		"block in turn, in pairs of fresh processes, until they are told apart, are equivalent, or time is up. Equal\n"
		"sides are told apart three times in a thousand at the most, however noisy the machine is. 'finds' is the\n"
		"smallest difference that would have been found four times in five.\n"
		"Rows inside the kernel and on seL4 cannot take turns: measure each side by 'kbench run --label NAME', then\n"
		"'kbench compare NAME NAME'.\n",
	.options = options,
	.examples = "  kbench ab --a ./old.so --b ./new.so\n"
		    "  kbench ab --b LD_BIND_NOW=1 sys --margin 2% --gate\n"
		    "  kbench ab --b ../new/build/kbench-collect 'ipc.*' --budget 30s --json\n",
	.exits = "  0 done; 1 a row is slower, with --gate; 2 usage, bad plug-in, nothing saved, unwritable output;\n"
		 "  3 unfit with --strict; 4 a row is not settled, with --gate; 5 a benchmark failed;\n"
		 "  128+n stopped by signal n, after saving. Of several the first of 2, 128+n, 5, 3, 1, 4.\n",
	.main = ab_main,
};
