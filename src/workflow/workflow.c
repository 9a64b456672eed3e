/* See workflow.h. Everything that may be refused comes before the first process. */
#include "workflow/workflow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "env/cpulist.h"
#include "evidence/evidence.h"
#include "lacking.h"
#include "result/json/json.h"
#include "run/backend/sel4.h"
#include "run/method.h"
#include "suite/select.h"
#include "workflow/floor.h"
#include "workflow/machine.h"

#define PRECISION 0.01
#define KANATA_PRECISION 0.02   /* as the source document has it */

/* More copies than CPUs show what taking turns costs; with more than this a run shows the scheduler, and not the benchmark. */
#define COPIES_EACH_CPU 2u

/* File descriptors that measuring takes, with the guardian, the store and a process, and each copy in addition. */
#define DESCRIPTORS 24u
#define DESCRIPTORS_EACH 4u

struct kb_workflow_request kb_workflow_defaults(void)
{
	return (struct kb_workflow_request){
		.suite = KB_SELECTIONS,
		.run = { .timeout_ns = 30 * KB_S, .processes = 6, .seed = kb_random_seed(),
			 .kanata = { 30, 1, 30, 5, 0, 0.90, 0 } },
	};
}

/* ---- which rows -------------------------------------------------------------------------------------------- */

/* What makes sense only together. */
static int check_together(const struct kb_workflow_request *request, struct kb_failure *failure)
{
	const struct kb_kanata_options *kanata = &request->run.kanata;
	bool is_kanata = request->run.method == KB_METHOD_KANATA;

	/* Which of both was meant, only the user knows; a guess would lose a run or litter a file. */
	if (request->no_store && request->store)
		return kb_refuse_typed(failure, "--store and --no-store exclude each other");
	if (kanata->group_size + kanata->skip > KB_GROUP_TESTS_MAX)
		return kb_refuse_typed(failure, "--group-size and --skip: together at most %d tests", KB_GROUP_TESTS_MAX);
	if (kanata->confidence >= 1)
		return kb_refuse_typed(failure, "--confidence '100%%': must be below 100%%");
	if (request->parallel && is_kanata)
		return kb_refuse_typed(failure, "--parallel and --method kanata exclude each other: its tests run without a pause between them");
	if (request->emulate && (is_kanata || request->parallel || request->interfere))
		return kb_refuse_typed(failure, "--emulate and --%s exclude each other: an emulator gives no times to compare",
				       is_kanata ? "method kanata" : request->parallel ? "parallel" : "interfere");
	if (request->parallel && request->interfere)
		return kb_refuse_typed(failure, "--parallel and --interfere exclude each other: the copies already interfere with each other");
	return 0;
}

/* The source document's method went through libsel4's functions: so does it here, unless the user says how. */
static bool wants_libsel4(const struct kb_workflow_request *request)
{
	if (request->run.method != KB_METHOD_KANATA || !request->defaults)
		return false;
	for (size_t i = 0; i < request->set_count; i++) {
		if (strncmp(request->sets[i], "wait=", 5) == 0)
			return false;
	}
	for (const struct kb_bench *const *bench = kb_sel4_benches; *bench; bench++) {
		for (size_t i = 0; i < request->pattern_count && strcmp((*bench)->params[0].name, "wait") == 0; i++) {
			if (kb_pattern_match(request->patterns[i], (*bench)->name))
				return true;
		}
	}
	return false;
}

/* Those of the caller's, whose descriptors nobody has seen yet. */
static int select_own(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	char error[256];
	struct kb_text text = kb_text_in(error, sizeof error);

	for (const struct kb_bench *const *bench = request->benches; *bench; bench++) {
		if ((*bench)->abi != KB_ABI || (*bench)->size != sizeof **bench)
			return kb_refuse(failure, KB_EXIT_USAGE, "a descriptor that does not begin with KB_BENCH(name) of this kbench.h");
		if (kb_descriptor_check(*bench, &text))
			return kb_refuse(failure, KB_EXIT_USAGE, "benchmark '%.64s': %s", (*bench)->name ?: "", error);
	}
	if (kb_select(w->suite, request->benches, request->patterns, request->pattern_count, request->sets, request->set_count, &w->rows,
		      &w->count, error))
		return kb_refuse(failure, KB_EXIT_USAGE, "%s", error);
	w->count = kb_selection_keep(w->suite, request->defaults ? KB_REACH_FIRST : KB_REACH_FULL, request->patterns, request->pattern_count,
				     w->rows, w->count);
	return w->count > 0 ? 0 : kb_refuse(failure, KB_EXIT_USAGE, "no benchmark of this suite matches the pattern");
}

static int select_rows(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	struct kb_selected wanted = {
		.collectors = &w->collectors, .emulate = request->emulate, .plugin = request->plugin ? &w->plugin : NULL,
		.plugin_file = request->plugin, .patterns = request->patterns, .pattern_count = request->pattern_count,
		.set_count = request->set_count, .suite = w->suite, .reach = request->defaults ? KB_REACH_FIRST : KB_REACH_FULL,
	};

	w->sets = calloc(request->set_count + 1, sizeof *w->sets);
	if (!w->sets)
		return kb_refuse_memory(failure);
	for (size_t i = 0; i < request->set_count; i++)
		w->sets[i] = request->sets[i];
	if (wants_libsel4(request))
		w->sets[wanted.set_count++] = "wait=libsel4";
	wanted.sets = w->sets;
	kb_collectors_find(&w->collectors, NULL);
	/* As a whole path: collectors run in a directory of their own, and the store keeps it. */
	if (request->plugin && kb_load_plugin(request->plugin, w->run.timeout_ns, w->plugin_path, &w->plugin, failure))
		return failure->code;
	w->run.plugin = request->plugin ? w->plugin_path : NULL;
	w->run.plugin_name = request->plugin ? w->plugin.name : NULL;
	return kb_select_rows(&wanted, &request->notes, &w->rows, &w->count, failure);
}

static int choose_rows(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	char why[160];

	w->rows = request->rows;
	w->count = request->row_count;
	w->own_rows = !request->rows;
	if (w->own_rows && (request->benches ? select_own : select_rows)(request, w, failure))
		return failure->code;
	if (kb_exclude_rows(request->excludes, request->exclude_count, w->rows, &w->count, failure))
		return failure->code;
	/* Before anything is measured: one row that cannot be would be missed only at the end. */
	for (size_t i = 0; i < w->count; i++) {
		if (!kb_method_possible(w->rows[i].settings.bench, w->run.method, &w->run.kanata, why))
			return kb_refuse(failure, KB_EXIT_USAGE, "--method %s: %s", kb_methods[w->run.method].name, why);
	}
	return 0;
}

/* The two that would be taken anyhow, then the rest of the user's list or of the affinity mask. */
static int choose_copy_cpus(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	const struct kb_cpus *chosen = &w->run.cpus;
	unsigned *all = calloc(2 * KB_CPULIST_MAX + 2, sizeof *all), *cpus = all + KB_CPULIST_MAX, count = 0, found;

	w->copy_cpus = all;
	if (!all)
		return kb_refuse_memory(failure);
	found = kb_cpus_list(request->cpus, all, KB_CPULIST_MAX);
	cpus[count++] = chosen->measure;
	if (chosen->two)
		cpus[count++] = chosen->other;
	for (unsigned i = 0; i < found; i++) {
		if (all[i] != chosen->measure && (!chosen->two || all[i] != chosen->other))
			cpus[count++] = all[i];
	}
	w->run.copy_cpus = cpus;
	w->run.copy_cpu_count = count;
	if (w->run.copies > COPIES_EACH_CPU * count)
		return kb_refuse_typed(failure, "--parallel %u: %u CPU%s may be used, and at most %u copies share one: give at most %u, or more CPUs",
				       w->run.copies, count, count == 1 ? "" : "s", COPIES_EACH_CPU, COPIES_EACH_CPU * count);
	if (w->run.copies > count)
		kb_note(&request->notes, "%u copies on %u CPU%s: those of one CPU take turns and cannot be side by side", w->run.copies, count,
			count == 1 ? "" : "s");
	return 0;
}

static int expand_rows(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	if (request->interfere)
		return kb_expand_interference(request->interfere, &w->variants, &w->rows, &w->count, failure);
	if (!request->parallel)
		return 0;
	return choose_copy_cpus(request, w, failure) ?: kb_expand_copies(request->parallel, &w->variants, &w->rows, &w->count, failure);
}

/* ---- the machine ------------------------------------------------------------------------------------------- */

/* What a selection may take on two cores unless somebody says otherwise. */
static const uint64_t budgets[KB_SELECTIONS] = {
	[KB_SELECT_QUICK] = 20 * KB_S, [KB_SELECT_STANDARD] = 60 * KB_S, [KB_SELECT_FULL] = 600 * KB_S, [KB_SELECT_LMBENCH] = 600 * KB_S,
	[KB_SELECT_NAMED] = 60 * KB_S,
};

static void begin(const struct kb_workflow_request *request, struct kb_workflow *w)
{
	bool named = request->pattern_count || request->plugin || request->benches;

	*w = (struct kb_workflow){ .run = request->run, .suite = request->suite,
				   .watch = { .notes = request->errors.line ? request->errors : request->notes } };
	if (w->suite == KB_SELECTIONS)
		w->suite = named ? KB_SELECT_NAMED : KB_SELECT_STANDARD;
	if (w->run.budget_ns == 0)
		w->run.budget_ns = budgets[w->suite];
	if (w->run.precision == 0)
		w->run.precision = w->run.method == KB_METHOD_KANATA ? KANATA_PRECISION : PRECISION;
	/* The document's criterion takes the place of the precision. */
	w->run.kanata.half_width = w->run.precision;
}

/* What the backend of a row adds to the readings: which kernel it was, for `compare` to tell two of them apart. */
static void note_backends(struct kb_workflow *w)
{
	bool sel4 = false;

	for (size_t i = 0; i < w->count; i++)
		sel4 |= !strcmp(kb_backend_of(&w->rows[i])->name, KB_SEL4) && !w->rows[i].collector->unavailable_reason[0];
	if (sel4)
		kb_note_sel4(w->env);
}

/* An address that cannot be used is told before anything is measured for it. */
static int check_store(const char *path, struct kb_failure *failure)
{
	struct kb_store *store;
	int error = path ? kb_store_open(&store, path, KB_STORE_NAME) : 0, code = error ? kb_refuse_store(failure, store, error) : 0;

	if (path)
		kb_store_close(store);
	return code;
}

static int prepare(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	const char *lacking = kb_descriptors_lack(DESCRIPTORS + DESCRIPTORS_EACH * w->run.copies);
	char why[KB_PLACE_WHY];

	/* In the middle of a run, what has none left could neither tell nor end. */
	if (lacking)
		return kb_refuse(failure, KB_EXIT_USAGE, "%s", lacking);
	if (kb_place_read(getenv, &w->place, why))
		return kb_refuse(failure, KB_EXIT_USAGE, "%s", why);
	if (check_store(request->store, failure) || kb_choose_cpus(request->cpus, &w->run.cpus, failure) ||
	    (!w->run.collector && kb_find_collector(w->collector, failure)) ||
	    kb_read_environment(request->strict, &request->notes, &w->env, &w->unfit, failure))
		return failure->code;
	if (!w->run.collector)
		w->run.collector = w->collector;
	note_backends(w);
	w->run.env = w->env;
	kb_floor_start(w->env, request->store, &w->run);
	if (kb_run_id(w->id))
		return kb_refuse(failure, KB_EXIT_USAGE, "no random numbers for the run's id");
	/* It goes to every process of the run, by which the guardian finds them. */
	memcpy(w->run.id, w->id, sizeof w->run.id);
	kb_date_now(w->started);
	w->watch.terminal = request->progress && kb_watch_terminal();
	w->watch.budget_ns = w->run.budget_ns;
	return 0;
}

int kb_workflow_prepare(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	begin(request, w);
	kb_catch_signals();
	return prepare(request, w, failure);
}

/* ---- what is kept ------------------------------------------------------------------------------------------ */

/* `kbench analyze` needs processes and precision from here, and the order of rows. */
static char *settings_text(const struct kb_workflow *w, json_t *more)
{
	const struct kb_run_options *run = &w->run;
	json_t *rows = json_array(), *settings;

	for (size_t i = 0; i < w->count; i++)
		json_array_append_new(rows, json_string(w->rows[i].key));
	settings = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:[o, o], s:s, s:s, s:s?, s:o, s:o}",
			     "tool", "kbench " KB_VERSION,
			     "seed", kb_json_whole(run->seed),
			     "precision", kb_json_real(run->precision),
			     "budget_ns", kb_json_whole(run->budget_ns),
			     "timeout_ns", kb_json_whole(run->timeout_ns),
			     "processes", kb_json_whole(run->processes),
			     "cpus", kb_json_whole(run->cpus.measure), kb_json_whole(run->cpus.other),
			     "clock", run->clock ? run->clock : "auto",
			     "method", run->method ? kb_methods[run->method].name : "auto",
			     "plugin", run->plugin,
			     "floor", kb_floor_to_json(&run->floor),
			     "rows", rows);
	json_object_update(settings, more);
	kb_place_to_settings(&w->place, json_string_value(json_object_get(json_object_get(more, "ab"), "side")), settings);
	json_decref(more);
	return kb_json_take_text(settings);
}

int kb_workflow_keep(const struct kb_workflow_request *request, struct kb_workflow *w, json_t *settings, struct kb_failure *failure)
{
	w->settings = settings_text(w, settings);
	w->env_text = kb_json_text(w->env);
	w->command_line = kb_command_line(request->program ?: "kbench", request->argc, request->argv);
	if (!w->settings || !w->env_text || !w->command_line)
		return kb_refuse(failure, KB_EXIT_USAGE, "out of memory, or a path that is not UTF-8");
	snprintf(w->label, sizeof w->label, "%s", request->label ? request->label : "");
	w->stored = (struct kb_stored_run){
		.id = w->id, .started = w->started, .finished = "", .label = w->label,
		.command = w->command_line, .env = w->env_text, .settings = w->settings,
		.env_class = kb_json_env_id(w->env),
	};
	w->watch.run_id = w->id;
	w->watch.listener = request->listener;
	if (!request->no_store)
		kb_watch_open(&w->watch, request->store, &w->stored);
	return 0;
}

void kb_settle_result(struct kb_result *result, const char *key, unsigned planned)
{
	size_t length = strcspn(key, " ");

	if (result->benchmark[0])
		return;
	snprintf(result->benchmark, sizeof result->benchmark, "%.*s", (int)length, key);
	snprintf(result->params, sizeof result->params, "%s", key[length] ? key + length + 1 : "");
	result->processes_planned = planned;
	if (result->verdict.count == 0)
		kb_verdict_add(&result->verdict, KB_CODE_not_reached, planned ? "of %u" : "", planned);
}

/* The store has each result from the moment it was made; it is saved once more, with what the end added. */
int kb_workflow_finish(struct kb_workflow *w, int result, const char *error, struct kb_failure *failure)
{
	for (size_t i = 0; i < w->count; i++) {
		kb_settle_result(&w->rows[i].result, w->rows[i].key, w->run.processes);
		if (!result)
			kb_watch_save(&w->watch, &w->rows[i], i);
	}
	if (!result)
		kb_watch_floor(&w->watch, w->env, w->outcome.k);
	kb_date_now(w->finished);
	w->stored.finished = w->finished;
	kb_watch_close(&w->watch, w->finished);
	return result ? kb_refuse(failure, w->watch.lost ? KB_EXIT_USAGE : KB_EXIT_FAILED, "%s", error[0] ? error : strerror(-result)) : 0;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

int kb_workflow_plan(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	begin(request, w);
	if (check_together(request, failure) || choose_rows(request, w, failure) || prepare(request, w, failure))
		return failure->code;
	return expand_rows(request, w, failure);
}

int kb_workflow_execute(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	struct kb_run_observer observer;
	char error[256] = "";
	int result;

	if (kb_workflow_keep(request, w, NULL, failure))
		return failure->code;
	w->watch.results = w->count;
	observer = kb_watch_observer(&w->watch);
	kb_catch_signals();
	result = kb_run_rows(w->rows, w->count, &w->run, &observer, &w->outcome, error);
	return kb_workflow_finish(w, result, error, failure);
}

int kb_workflow_measure(const struct kb_workflow_request *request, struct kb_workflow *w, struct kb_failure *failure)
{
	return kb_workflow_plan(request, w, failure) ?: kb_workflow_execute(request, w, failure);
}

bool kb_workflow_kept(const struct kb_workflow *w)
{
	return w->watch.place[0] && !w->watch.lost;
}

int kb_workflow_rows_code(const struct kb_workflow *w)
{
	for (size_t i = 0; i < w->count; i++) {
		if (w->rows[i].result.verdict.status == KB_INVALID)
			return KB_EXIT_FAILED;
	}
	return KB_EXIT_DONE;
}

int kb_workflow_code(const struct kb_workflow *w, int code)
{
	if (w->unfit)
		code = kb_worse_exit(code, KB_EXIT_UNFIT);
	if (w->outcome.interrupted)
		code = kb_worse_exit(code, KB_EXIT_SIGNAL + w->outcome.signal);
	return w->watch.lost || w->watch.moved ? KB_EXIT_USAGE : code;
}

void kb_workflow_release(struct kb_workflow *w)
{
	for (size_t i = 0; w->own_rows && i < w->count; i++)
		kb_row_release(&w->rows[i]);
	if (w->own_rows)
		free(w->rows);
	free(w->variants.text);
	free(w->copy_cpus);
	free(w->sets);
	free(w->settings);
	free(w->env_text);
	free(w->command_line);
	json_decref(w->env);
}
