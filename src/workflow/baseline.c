/* See baseline.h. The older run is read whole before anything is measured, so that a name that is none costs no time. */
#include "workflow/baseline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/occasions.h"
#include "result/json/environment.h"
#include "result/json/json.h"
#include "workflow/machine.h"
#include "workflow/records.h"

#define LEAST_PER_PROCESS 0.1   /* s: 25 ms of samples and more, and what a process takes to start and to warm up */
#define SECONDS_LEAST 10        /* of a run that tells what a process takes */
#define RECENT 20               /* runs that are looked at for one with the same results */

/* ---- the older run ----------------------------------------------------------------------------------------- */

static size_t index_of(const struct kb_workflow *w, const char *key)
{
	size_t i = 0;

	while (i < w->count && strcmp(w->rows[i].key, key) != 0)
		i++;
	return i;
}

/* How many results of this run the older one has. -errno. */
static long count_common(struct kb_store *store, const char *id, const struct kb_workflow *w)
{
	struct kb_stored_result row;
	struct kb_query *query;
	long common = 0;
	int found = kb_store_results(store, id, &query);

	if (found)
		return found;
	while ((found = kb_store_next(query, &row)) > 0)
		common += !row.damaged && index_of(w, row.row) < w->count;
	kb_store_done(query);
	return found ? found : common;
}

static int find_newest(struct kb_store *store, const struct kb_workflow *w, char id[37])
{
	char ids[RECENT][37];
	unsigned count;
	int error = kb_store_recent_runs(store, kb_json_env_id(w->env) ?: "", w->run.cpus.measure, ids, RECENT, &count);

	for (unsigned i = 0; i < count && !error; i++) {
		long common = count_common(store, ids[i], w);

		error = common < 0 ? (int)common : 0;
		if (common > 0 && 2 * (size_t)common >= w->count) {
			memcpy(id, ids[i], sizeof ids[i]);
			return 0;
		}
	}
	return error;
}

static double seconds_between(const char *from, const char *to)
{
	double start = kb_seconds_of_date(from), end = kb_seconds_of_date(to);

	return start > 0 && end > start ? end - start : 0;
}

static int take_run(void *context, const struct kb_stored_run *run)
{
	struct kb_baseline *baseline = context;

	snprintf(baseline->label, sizeof baseline->label, "%s", run->label);
	snprintf(baseline->started, sizeof baseline->started, "%s", run->started);
	baseline->env = json_loads(run->env, 0, NULL);
	/* Of the run, for now. Dates are whole seconds. */
	baseline->seconds_per_process = seconds_between(run->started, run->finished);
	if (baseline->seconds_per_process < SECONDS_LEAST)
		baseline->seconds_per_process = 0;
	return 0;
}

/* A result that cannot be read is none that could be compared; 'kbench show' tells of it. */
static int take_result(struct kb_store *store, const struct kb_stored_result *row, struct kb_baseline *baseline, size_t i)
{
	struct kb_result *result = malloc(sizeof *result);
	char *text = NULL;
	json_t *object;
	int error = result ? kb_store_json(store, row, &text) : -ENOMEM;

	if (error) {
		free(result);
		return error == -ENOMEM ? error : 0;
	}
	object = json_loads(text, 0, NULL);
	free(text);
	if (baseline->results[i] || kb_result_from_json(result, object)) {
		free(result);
	} else {
		kb_environment_settle(result, baseline->env);
		baseline->results[i] = result;
	}
	json_decref(object);
	return 0;
}

static int load(struct kb_store *store, const struct kb_workflow *w, struct kb_baseline *baseline)
{
	struct kb_stored_result row;
	struct kb_query *query;
	int64_t processes = 0;
	int error = kb_store_get_run(store, baseline->id, take_run, baseline), found = 0;

	if (error || (error = kb_store_results(store, baseline->id, &query)))
		return error;
	while (!error && (found = kb_store_next(query, &row)) > 0) {
		size_t i = index_of(w, row.row);

		processes += row.processes;
		if (i < w->count && !row.damaged && row.cpu == (int64_t)w->run.cpus.measure)
			error = take_result(store, &row, baseline, i);
	}
	kb_store_done(query);
	baseline->seconds_per_process = processes > 0 ? baseline->seconds_per_process / (double)processes : 0;
	return error ? error : found;
}

/* Why the run that was named cannot be compared; 0: it can. */
static int check_named(const struct kb_workflow *w, const char *name, const struct kb_baseline *baseline, struct kb_failure *failure)
{
	const char *here = kb_json_env_id(w->env) ?: "unknown", *there = kb_json_env_id(baseline->env) ?: "unknown";
	size_t common = 0;

	if (!kb_environment_same(here, there, KB_SAME_MACHINE))
		return kb_refuse(failure, KB_EXIT_USAGE, "--baseline %.100s: run %s is of environment ID %.40s, and this machine is %.40s: their costs "
				 "are of different things", name, baseline->id, there, here);
	for (size_t i = 0; i < baseline->count; i++)
		common += baseline->results[i] != NULL;
	if (common == 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "--baseline %.100s: run %s has none of these results on CPU %u (see 'kbench show %.13s')",
				 name, baseline->id, w->run.cpus.measure, baseline->id);
	return 0;
}

int kb_baseline_find(const struct kb_workflow_request *request, const struct kb_workflow *w, const char *name, struct kb_baseline *baseline,
		     struct kb_failure *failure)
{
	struct kb_store *store;
	int error;

	*baseline = (struct kb_baseline){ .count = w->count, .results = calloc(w->count + 1, sizeof *baseline->results) };
	if (!baseline->results)
		return kb_refuse_memory(failure);
	error = kb_store_open(&store, request->store, KB_STORE_READ);
	if (!error)
		error = name ? kb_store_find_run(store, name, baseline->id) : find_newest(store, w, baseline->id);
	if (!error && baseline->id[0])
		error = load(store, w, baseline);
	/* A store that cannot be read is told of where the run is to be kept. */
	if (error && name)
		kb_refuse(failure, KB_EXIT_USAGE, "--baseline %.100s: %s", name, error == -ENOMEM ? "out of memory" : kb_store_error(store));
	if (error)
		baseline->id[0] = '\0';
	kb_store_close(store);
	return error && name ? failure->code : name ? check_named(w, name, baseline, failure) : 0;
}

struct kb_forecast kb_baseline_forecast(const struct kb_baseline *baseline, const struct kb_workflow *w)
{
	struct kb_forecast forecast = { .measured = baseline->seconds_per_process > 0 };

	for (size_t i = 0; i < w->count; i++) {
		const struct kb_collector *collector = w->rows[i].collector;

		if (!collector || !collector->unavailable_reason[0])
			forecast.processes += kb_backend_processes(&w->rows[i], w->run.processes);
	}
	forecast.per_process = forecast.measured ? baseline->seconds_per_process : LEAST_PER_PROCESS;
	forecast.seconds = (double)forecast.processes * forecast.per_process;
	return forecast;
}

void kb_baseline_release(struct kb_baseline *baseline)
{
	for (size_t i = 0; baseline->results && i < baseline->count; i++)
		free(baseline->results[i]);
	free(baseline->results);
	free(baseline->rows);
	json_decref(baseline->env);
}

/* ---- comparing --------------------------------------------------------------------------------------------- */

/* Both measured one thing. Results of versions without costs of processes are not made again for this. */
static bool is_comparable(const struct kb_result *then, const struct kb_result *now)
{
	return then->process_cost_count > 0 && now->process_cost_count > 0 && then->environment.id[0] &&
	       kb_environment_same(then->environment.id, now->environment.id, KB_SAME_MACHINE) &&
	       strcmp(then->environment.config, now->environment.config) == 0;
}

/* An uncontended cost and an observed one have no ratio, and both have observed ones. */
static bool make_observed(struct kb_store *store, const char *then_id, struct kb_result *then, const char *now_id, struct kb_result *now)
{
	return store && !kb_records_observed(store, then_id, then) && !kb_records_observed(store, now_id, now);
}

static void compare_one(struct kb_store *store, const struct kb_workflow *w, struct kb_baseline *baseline, size_t i,
			struct kb_compare_rules rules)
{
	struct kb_result now = w->rows[i].result, *then = baseline->results[i];
	bool mixed = then->headline != now.headline;

	if (mixed && !make_observed(store, baseline->id, then, w->id, &now))
		return;
	kb_compare_results(then, &now, &rules, &baseline->rows[i]);
	if (mixed)
		baseline->rows[i].compared = "observed";
	if (then->environment.kernel[0] && now.environment.kernel[0] && strcmp(then->environment.kernel, now.environment.kernel) != 0) {
		baseline->kernel = w->rows[i].result.environment.kernel;
		baseline->kernel_then = then->environment.kernel;
	}
}

/* What the store knows of how occasions differ. */
static int load_occasions(struct kb_store *store, const struct kb_workflow *w, const struct kb_baseline *baseline,
			  struct kb_stored_result *like, struct kb_occasion_line *lines)
{
	for (size_t i = 0; i < w->count; i++) {
		kb_stored_result_of(&like[i], &w->rows[i].result);
		snprintf(like[i].row, sizeof like[i].row, "%s", w->rows[i].key);
		snprintf(like[i].environment, sizeof like[i].environment, "%s", w->rows[i].result.environment.id);
		lines[i] = (struct kb_occasion_line){
			.like = &like[i], .ratios = baseline->results[i] && kb_compared_by_ratio(baseline->results[i], &w->rows[i].result),
		};
	}
	return kb_occasions_load(store, kb_json_env_id(w->env) ?: "", w->run.cpus.measure, lines, w->count);
}

int kb_baseline_compare(const struct kb_workflow_request *request, const struct kb_workflow *w, double margin, struct kb_baseline *baseline,
			struct kb_failure *failure)
{
	struct kb_occasion_line *lines = calloc(w->count + 1, sizeof *lines);
	struct kb_stored_result *like = calloc(w->count + 1, sizeof *like);
	struct kb_store *store;
	int error = kb_store_open(&store, request->store, KB_STORE_READ);

	baseline->rows = calloc(w->count + 1, sizeof *baseline->rows);
	if (!lines || !like || !baseline->rows)
		error = -ENOMEM;
	if (!error)
		error = load_occasions(store, w, baseline, like, lines);
	for (size_t i = 0; i < w->count && !error; i++) {
		struct kb_compare_rules rules = { .margin = kb_margin_ln(margin), .occasion = kb_occasion_of(&lines[i]) };

		if (baseline->results[i] && is_comparable(baseline->results[i], &w->rows[i].result))
			compare_one(store, w, baseline, i, rules);
	}
	if (!error)
		error = kb_compare_family(baseline->rows, w->count);
	if (error) {
		kb_refuse(failure, KB_EXIT_USAGE, "the baseline: %s", error == -ENOMEM ? "out of memory" : kb_store_error(store));
		free(baseline->rows);
		baseline->rows = NULL;
	}
	kb_store_close(store);
	for (size_t i = 0; lines && i < w->count; i++)
		kb_occasion_free(&lines[i]);
	free(lines);
	free(like);
	return error ? failure->code : 0;
}

enum kb_decision kb_baseline_decision(const struct kb_comparison *row)
{
	return row->decision == KB_SLOWER && !row->regression ? KB_INCONCLUSIVE : row->decision;
}
