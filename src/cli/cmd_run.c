/* kbench run: selects, measures, saves, prints. Nothing is started before the whole command line makes sense. */
#include "cli/cli.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/floor.h"
#include "cli/kernel/summary.h"
#include "cli/platforms.h"
#include "cli/print.h"
#include "cli/records.h"
#include "cli/request.h"
#include "cli/rows.h"
#include "cli/saved.h"
#include "cli/stamp.h"
#include "cli/start.h"
#include "cli/variants.h"
#include "cli/watch.h"
#include "report/text/comparison.h"
#include "result/json/json.h"
#include "run/backend/sel4.h"
#include "run/engine.h"
#include "run/method_kanata.h"
#include "store/document.h"
#include "suite/select.h"

/* All that one run is made of; the texts of `stored` are owned here. */
struct job {
	const struct kb_command *command;
	struct kb_request request;
	struct kb_row *rows;
	size_t count;
	struct kb_platforms platforms;          /* rows point into it */
	char collector[PATH_MAX], plugin_path[PATH_MAX];
	char started[21], finished[21];
	char *command_line, *settings, *env_text;
	json_t *env;
	bool unfit;
	struct kb_stored_run stored;
	struct kb_run_outcome outcome;
};

/* As long-lived as its name and code, which stay until the program ends. */
static struct kb_bench plugin;

/* ---- before ---------------------------------------------------------------------------------------- */

static void add_plugin(struct job *job)
{
	if (!job->request.plugin)
		return;
	/* As a whole path: collectors run in a folder of their own, and the store keeps it. */
	kb_start_plugin(job->command, job->request.plugin, job->request.run.timeout_ns, job->plugin_path, &plugin);
	job->request.run.plugin = job->plugin_path;
	job->request.run.plugin_name = plugin.name;
}

/* The source document's method went through libsel4's functions: so does it here, unless the user says how. */
static void choose_wait(struct kb_request *request)
{
	const char *method = request->run.method;
	bool wanted = false;

	for (size_t i = 0; i < request->set_count; i++) {
		if (strncmp(request->sets[i], "wait=", 5) == 0)
			return;
	}
	for (const struct kb_bench *const *bench = kb_sel4_benches; *bench && method && strcmp(method, KB_KANATA) == 0; bench++) {
		for (size_t i = 0; i < request->pattern_count && strcmp((*bench)->params[0].name, "wait") == 0; i++)
			wanted |= kb_pattern_match(request->patterns[i], (*bench)->name);
	}
	if (wanted && request->defaults)
		request->sets[request->set_count++] = "wait=libsel4";
}

static void select_rows(struct job *job)
{
	const struct kb_request *request = &job->request;
	struct kb_rows_request wanted = {
		.platforms = &job->platforms, .emulate = request->emulate,
		.patterns = request->patterns, .pattern_count = request->pattern_count, .sets = request->sets,
		.set_count = request->set_count, .suite = request->suite,
		.reach = request->defaults ? KB_REACH_FIRST : KB_REACH_FULL,
	};

	kb_platforms_find(&job->platforms);
	add_plugin(job);
	wanted.plugin = request->plugin ? &plugin : NULL;
	wanted.plugin_file = request->plugin;
	kb_rows_select(job->command, &wanted, &job->rows, &job->count);
}

/* Before anything is measured: one row that cannot would be missed only at the end. */
static void check_method(const struct job *job)
{
	const struct kb_run_options *run = &job->request.run;
	char why[160];

	for (size_t i = 0; i < job->count; i++) {
		if (!kb_method_possible(job->rows[i].settings.bench, run->method, why))
			kb_die(job->command, KB_EXIT_USAGE, "--method %s: %s", run->method, why);
		if (!run->method || strcmp(run->method, KB_KANATA) != 0)
			continue;
		if (!kb_kanata_possible(job->rows[i].settings.bench, &run->kanata, why))
			kb_die(job->command, KB_EXIT_USAGE, "--method kanata: %s", why);
	}
}

/* ---- what is kept of it ---------------------------------------------------------------------------- */

/* `kbench analyze` needs processes and precision from here, and the order of rows. */
static char *settings_text(const struct job *job)
{
	const struct kb_run_options *run = &job->request.run;
	json_t *rows = json_array();

	for (size_t i = 0; i < job->count; i++)
		json_array_append_new(rows, json_string(job->rows[i].key));

	json_t *json = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:[o, o], s:s, s:s, s:s?, s:o, s:o}",
				 "tool", "kbench " KB_VERSION,
				 "seed", kb_json_whole(run->seed),
				 "precision", kb_json_real(run->precision),
				 "budget_ns", kb_json_whole(run->budget_ns),
				 "timeout_ns", kb_json_whole(run->timeout_ns),
				 "processes", kb_json_whole(run->launches),
				 "cpus", kb_json_whole(run->cpus.measure), kb_json_whole(run->cpus.other),
				 "clock", run->clock ? run->clock : "auto",
				 "method", run->method ? run->method : "auto",
				 "plugin", run->plugin,
				 "floor", kb_floor_to_json(&run->floor),
				 "rows", rows);
	char *text = kb_json_text(json);

	json_decref(json);
	return text;
}

/* What the world of a row adds to the readings: which kernel it was, for `compare` to tell two of them apart. */
static void note_worlds(struct job *job)
{
	static const char *const facts[][2] = { { "kernel", "sel4_kernel" }, { "config", "config" }, { "text", "text" } };
	json_t *readings = json_object_get(job->env, "readings");
	char value[80];
	bool asked = false;

	for (size_t i = 0; i < job->count; i++)
		asked |= job->rows[i].way && strcmp(job->rows[i].way->platform, KB_SEL4) == 0 && !job->rows[i].way->lacks[0];
	for (size_t i = 0; asked && i < sizeof facts / sizeof facts[0]; i++) {
		if (kb_sel4_fact(kb_sel4_device(), facts[i][0], value, sizeof value))
			json_object_set_new(readings, facts[i][1], kb_json_string(value));
	}
	free(job->env_text);
	job->env_text = kb_json_text(job->env);
}

/* The run as the store will have it. Its id goes to every process of the run, by which the guardian finds them. */
static void describe(struct job *job, int argc, char **argv)
{
	if (kb_stamp_id(job->request.run.id))
		kb_die(job->command, KB_EXIT_USAGE, "no random numbers for the run's id: %s", strerror(errno));
	kb_stamp_now(job->started);
	note_worlds(job);
	job->command_line = kb_start_command_line(argc, argv);
	job->settings = settings_text(job);
	if (!job->command_line || !job->settings || !job->env_text)
		kb_die(job->command, KB_EXIT_USAGE, "out of memory, or a path that is not UTF-8");
	job->stored = (struct kb_stored_run){
		.id = job->request.run.id, .started = job->started, .finished = "", .label = job->request.label,
		.command = job->command_line, .env = job->env_text, .settings = job->settings,
		.env_class = kb_json_env_id(job->env),
	};
}

/* ---- while ----------------------------------------------------------------------------------------- */

/* The store has each result from the moment it was made; it is saved once more at the end, with what the end added. */
static void measure(struct job *job, struct kb_watch *watch)
{
	struct kb_run_observer observer = kb_watch_observer(watch);
	char error[256] = "";

	kb_start_signals();

	int result = kb_run_rows(job->rows, job->count, &job->request.run, &observer, &job->outcome, error);

	for (size_t i = 0; i < job->count; i++) {
		kb_saved_settle(&job->rows[i].result, job->rows[i].key, job->request.run.launches);
		if (!result)
			kb_watch_save(watch, &job->rows[i], i);
	}
	kb_watch_floor(watch, job->env, job->outcome.k);
	kb_stamp_now(job->finished);
	job->stored.finished = job->finished;
	kb_watch_close(watch, job->finished);
	if (result)
		kb_die(job->command, KB_EXIT_FAILED, "%s", error[0] ? error : strerror(-result));
}

/* ---- after ----------------------------------------------------------------------------------------- */

/* What ended it, as far as its results came. Results whose cost must be nothing have no relative precision. */
static void print_why(const struct job *job)
{
	const struct kb_run_options *run = &job->request.run;
	const struct kb_run_outcome *outcome = &job->outcome;
	const char *sign = kb_style_here(false).utf8 ? "\u00b1" : "+-";
	size_t reached = 0, all = 0;

	for (size_t i = 0; i < job->count; i++) {
		all += job->rows[i].result.bound != KB_NOTHING;
		reached += kb_verdict_has(&job->rows[i].result.verdict, KB_CODE_target_met);
	}
	if (outcome->interrupted)
		printf("stopped by signal %d (%s)", outcome->signal, strsignal(outcome->signal));
	else if (outcome->launches == 0)
		printf("nothing was measured");
	else if (outcome->precision_met)
		printf("precision reached: %zu of %zu results within %s%.4g %%", reached, all, sign, 100 * run->precision);
	else
		printf("time budget (%.4g s) used up: %zu of %zu results reached %s%.4g %%", (double)run->budget_ns / 1e9, reached, all,
		       sign, 100 * run->precision);
}

/* Why it ended, how to repeat it (the seed), where it is kept, and what to do with it. */
static void print_end(const struct job *job, const struct kb_watch *watch, const struct kb_result *const *results)
{
	const struct kb_run_outcome *outcome = &job->outcome;

	if (!outcome->clock.ladder_ok && outcome->ladder[0])
		printf("the clock fails its self-test: %s\n", outcome->ladder);
	print_why(job);
	printf("; %u processes in %.1f s, seed %llu\n", outcome->launches, (double)outcome->elapsed_ns / 1e9,
	       (unsigned long long)job->request.run.seed);
	if (!watch->place[0] || watch->lost) {
		printf("not saved%s\n", watch->lost ? "" : " (--no-store)");
		return;
	}
	printf("run %s in %s\n", job->request.run.id, watch->place);
	printf("next: kbench show %s   what stands behind a result    kbench compare last~1 last\n",
	       kb_print_example(results, job->count));
}

/* "standard", "quick: sys", "sys ipc.*", "mine.so" */
static void print_selection(const struct kb_request *request, char *text, size_t room)
{
	const char *suite = kb_selection_name(request->suite), *slash = request->plugin ? strrchr(request->plugin, '/') : NULL;
	struct kb_text title = kb_text_in(text, room);

	if (suite)
		kb_text_str(&title, suite);
	for (size_t i = 0; i < request->pattern_count; i++) {
		kb_text_str(&title, i == 0 && suite ? ": " : i > 0 ? " " : "");
		kb_text_str(&title, request->patterns[i]);
	}
	if (request->plugin) {
		kb_text_str(&title, title.used > 0 ? " " : "");
		kb_text_str(&title, slash ? slash + 1 : request->plugin);
	}
	if (title.cut)
		snprintf(text, room, "selection");
}

static const struct kb_result **results_of(const struct job *job)
{
	const struct kb_result **results = calloc(job->count, sizeof *results);

	if (!results)
		kb_die(job->command, KB_EXIT_USAGE, "out of memory; 'kbench show' prints the run");
	for (size_t i = 0; i < job->count; i++)
		results[i] = &job->rows[i].result;
	return results;
}

static void print_results(const struct job *job, const struct kb_watch *watch)
{
	const struct kb_result **results = results_of(job);
	struct kb_heading heading = kb_heading_of(NULL, job->env, NULL, NULL);
	char title[80];

	print_selection(&job->request, title, sizeof title);
	heading.title = title;
	heading.seconds = (double)job->outcome.elapsed_ns / 1e9;
	kb_print_results(&heading, results, job->count, &(struct kb_print_how){ job->request.verbose, job->request.unit });
	for (size_t i = 0; i < job->count; i++) {
		const struct kb_row_state *state = job->rows[i].state;

		struct kb_launch_text *texts = state ? kb_kept_unpack(state->texts, state->text_count) : NULL;

		if (texts)
			kb_records_tables(job->command, results[i], texts, state->text_count, job->request.run.kanata.half_width, false);
		if (texts && (job->request.verbose || job->count == 1))
			kb_order_print(results[i], texts, state->text_count);
		kb_kept_release(texts, state ? state->text_count : 0);
	}
	print_end(job, watch, results);
	free(results);
}

/* The same object as `kbench show --json` of this run, made by the same functions. */
static void print_document(struct job *job)
{
	const struct kb_result **rows = results_of(job);
	json_t *results = json_array();

	for (size_t i = 0; i < job->count; i++)
		json_array_append_new(results, kb_result_to_json(rows[i]));

	json_t *document = kb_result_document(kb_stored_run_to_json(&job->stored), json_incref(job->env), results);

	kb_variants_add(document, rows, job->count);
	kb_print_json(document);
	free(rows);
}

/* In the documented order: a result that is lost weighs more than why the run ended, and that more than its rows. */
static int exit_code(const struct job *job, const struct kb_watch *watch)
{
	if (watch->lost)
		return KB_EXIT_USAGE;
	if (job->outcome.interrupted)
		return KB_EXIT_SIGNAL + job->outcome.signal;
	for (size_t i = 0; i < job->count; i++) {
		if (job->rows[i].result.verdict.status == KB_INVALID)
			return KB_EXIT_FAILED;
	}
	return job->unfit ? KB_EXIT_UNFIT : KB_EXIT_DONE;
}

/* Everything goes, though the program ends: leak checkers then see real leaks only. */
static void release(struct job *job)
{
	for (size_t i = 0; i < job->count; i++)
		kb_row_release(&job->rows[i]);
	free(job->rows);
	free(job->request.sets);
	free(job->request.variants);
	free(job->command_line);
	free(job->settings);
	free(job->env_text);
	json_decref(job->env);
}

static int run_main(const struct kb_command *command, int argc, char **argv)
{
	struct job job = { .command = command };
	struct kb_watch watch = { .command = command, .terminal = isatty(STDERR_FILENO), .run_id = job.request.run.id };

	kb_request_read(&job.request, command, argc, argv);
	choose_wait(&job.request);
	select_rows(&job);
	check_method(&job);
	kb_start_cpus(command, job.request.cpus, &job.request.run.cpus);
	kb_variants_ask(command, &job.request, &job.rows, &job.count);
	kb_start_collector(command, job.collector);
	job.request.run.collector = job.collector;
	job.unfit = kb_start_look(command, job.request.strict, &job.env, &job.env_text);
	kb_floor_start(job.env, job.request.store, &job.request.run);
	describe(&job, argc, argv);
	if (!job.request.no_store)
		kb_watch_open(&watch, job.request.store, &job.stored);
	measure(&job, &watch);
	if (job.request.json)
		print_document(&job);
	else
		print_results(&job, &watch);

	int code = exit_code(&job, &watch);

	release(&job);
	return code;
}

const struct kb_command kb_command_run = {
	.name = "run",
	.arguments = "[PATTERN...]",
	.summary = "Measure benchmarks, print a table and keep the run",
	.text = "A pattern is a name, a domain (sys) or a shell glob ('*.null'); without one, all of the standard suite are measured.\n"
		"Ctrl-C ends the run after the process that is running and keeps what was measured.\n",
	.options = kb_request_options,
	.examples = "  kbench run\n"
		    "  kbench run sys 'ipc.*' --budget 20s\n"
		    "  kbench run mem.latency -p size=16K,1M,64M --precision 0.5%\n"
		    "  kbench run ipc.notify --method kanata --initial 300 --groups 1\n"
		    "  kbench run mem.bw_copy --parallel 1,2,4\n"
		    "  kbench run mem.latency --interfere memory,spin\n"
		    "  kbench run --plugin ./mine.so --json\n"
		    "  kbench run 'yamba.*' --emulate\n",
	.exits = "  0 done; 2 usage, bad plug-in, nothing saved, unwritable output; 3 unfit with --strict;\n"
		 "  5 a benchmark failed; 128+n stopped by signal n, after saving.\n"
		 "  Precedence: 2, 128+n, 5, 3.\n",
	.main = run_main,
};
