/* See baseline.h. The older run is found before anything is measured, so that a name that is none costs no time. */
#include "workflow/runs/baseline.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/json/environment.h"
#include "result/json/json.h"
#include "workflow/machine.h"
#include "workflow/runs/compare.h"

#define LEAST_PER_PROCESS 0.1   /* s: 25 ms of samples and more, and what a process takes to start and to warm up */
#define FIRST_PROCESSES 3       /* a result's first process comes behind its proof and the search for n, which take as long */
#define SECONDS_LEAST 10        /* of a run that tells what a process takes: dates are whole seconds */
#define RECENT 20               /* runs that are looked at for one with the same results */

/* ---- the older run ----------------------------------------------------------------------------------------- */

/* The result of that name; count: there is none. */
static size_t index_of(const struct kb_workflow *w, const char *key)
{
	size_t i = 0;

	while (i < w->count && strcmp(w->rows[i].key, key) != 0)
		i++;
	return i;
}

/* Results that this run has too, and processes of all. 0 or an error of the store. */
static int count_results(struct kb_store *store, const char *id, const struct kb_workflow *w, size_t *common, int64_t *processes)
{
	struct kb_stored_result row;
	struct kb_query *query;
	int found = kb_store_results(store, id, &query);

	*common = 0;
	*processes = 0;
	if (found)
		return found;
	while ((found = kb_store_next(query, &row)) > 0) {
		*common += !row.damaged && row.cpu == (int64_t)w->run.cpus.measure && index_of(w, row.row) < w->count;
		*processes += row.processes;
	}
	kb_store_done(query);
	return found;
}

static int find_newest(struct kb_store *store, const struct kb_workflow *w, char id[37])
{
	char ids[RECENT][37];
	unsigned count;
	int error = kb_store_recent_runs(store, kb_json_env_id(w->env) ?: "", w->run.cpus.measure, ids, RECENT, &count);

	for (unsigned i = 0; i < count && !error; i++) {
		int64_t processes;
		size_t common;

		error = count_results(store, ids[i], w, &common, &processes);
		if (!error && common > 0 && 2 * common >= w->count) {
			memcpy(id, ids[i], sizeof ids[i]);
			return 0;
		}
	}
	return error;
}

/* What is to be known of the older run. */
struct older { struct kb_baseline *baseline; char environment[64]; double seconds; };

static int take_run(void *context, const struct kb_stored_run *run)
{
	struct older *older = context;
	double from = kb_seconds_of_date(run->started), to = kb_seconds_of_date(run->finished);

	snprintf(older->baseline->label, sizeof older->baseline->label, "%s", run->label);
	snprintf(older->baseline->started, sizeof older->baseline->started, "%s", run->started);
	snprintf(older->environment, sizeof older->environment, "%s", run->env_class);
	older->seconds = from > 0 && to >= from + SECONDS_LEAST ? to - from : 0;
	return 0;
}

/* name NULL: it was found by what it has. */
static int load(struct kb_store *store, const struct kb_workflow *w, const char *name, struct kb_baseline *baseline, struct kb_failure *failure)
{
	const char *here = kb_json_env_id(w->env) ?: "unknown";
	struct older older = { .baseline = baseline };
	int64_t processes = 0;
	size_t common = 0;
	int error = kb_store_get_run(store, baseline->id, take_run, &older) ?: count_results(store, baseline->id, w, &common, &processes);

	if (error)
		return error;
	baseline->seconds_per_process = processes > 0 ? older.seconds / (double)processes : 0;
	if (name && !kb_environment_same(here, older.environment, KB_SAME_MACHINE))
		return kb_refuse(failure, KB_EXIT_USAGE, "--baseline %.100s: run %s is of environment ID %.40s, and this machine is %.40s: their costs "
				 "are of different things", name, baseline->id, older.environment, here);
	if (name && common == 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "--baseline %.100s: run %s has none of these results on CPU %u (see 'kbench show %.13s')",
				 name, baseline->id, w->run.cpus.measure, baseline->id);
	return 0;
}

int kb_baseline_find(const struct kb_workflow_request *request, const struct kb_workflow *w, const char *name, struct kb_baseline *baseline,
		     struct kb_failure *failure)
{
	struct kb_store *store;
	int error;

	*baseline = (struct kb_baseline){ .count = w->count };
	error = kb_store_open(&store, request->store, KB_STORE_READ);
	if (!error)
		error = name ? kb_store_find_run(store, name, baseline->id) : find_newest(store, w, baseline->id);
	if (error && name)
		kb_refuse(failure, KB_EXIT_USAGE, "--baseline %.100s: %s", name, error == -ENOMEM ? "out of memory" : kb_store_error(store));
	if (!error && baseline->id[0])
		error = load(store, w, name, baseline, failure);
	/* A store that cannot be read is told of where the run is to be kept. */
	if (error)
		baseline->id[0] = '\0';
	kb_store_close(store);
	return error && name ? failure->code : 0;
}

struct kb_forecast kb_baseline_forecast(const struct kb_baseline *baseline, const struct kb_workflow *w)
{
	struct kb_forecast forecast = { .measured = baseline->seconds_per_process > 0 };

	for (size_t i = 0; i < w->count; i++) {
		const struct kb_collector *collector = w->rows[i].collector;

		if (!collector || !collector->unavailable_reason[0])
			forecast.processes += kb_backend_processes(&w->rows[i], &w->run);
	}
	forecast.per_process = forecast.measured ? baseline->seconds_per_process : LEAST_PER_PROCESS;
	forecast.seconds = (double)forecast.processes * forecast.per_process;

	double first = (forecast.measured ? 1 : FIRST_PROCESSES) * forecast.per_process;

	forecast.reached = (size_t)fmin((double)w->run.budget_ns / 1e9 / first, (double)w->count);
	return forecast;
}

void kb_baseline_release(struct kb_baseline *baseline)
{
	free(baseline->rows);
}

/* ---- comparing --------------------------------------------------------------------------------------------- */

static int take_rows(const struct kb_workflow *w, const struct kb_compared *compared, struct kb_baseline *baseline)
{
	baseline->rows = calloc(w->count + 1, sizeof *baseline->rows);
	if (!baseline->rows)
		return -ENOMEM;
	for (size_t k = 0; k < compared->count; k++) {
		size_t i = index_of(w, compared->rows[k].key);

		if (i < w->count)
			baseline->rows[i] = compared->rows[k];
	}
	memcpy(baseline->kernels, compared->kernels, sizeof baseline->kernels);
	return 0;
}

int kb_baseline_compare(const struct kb_workflow_request *request, const struct kb_workflow *w, double margin, struct kb_baseline *baseline,
			struct kb_failure *failure)
{
	const struct kb_compare_request wanted = { .runs = { baseline->id, w->id }, .margin = margin, .any_env = true };
	struct kb_compared compared = { .count = 0 };
	struct kb_failure why;
	struct kb_store *store;
	int error = kb_store_open(&store, request->store, KB_STORE_READ), code;

	code = kb_refuse_store(&why, store, error) ?: kb_compare_runs(store, &wanted, &compared, &why);
	if (!code && take_rows(w, &compared, baseline))
		code = kb_refuse_memory(&why);
	if (code)
		kb_refuse(failure, code, "not compared with run %.13s: %.1900s", baseline->id, why.text);
	kb_compared_release(&compared);
	kb_store_close(store);
	return code;
}

enum kb_decision kb_baseline_decision(const struct kb_comparison *row)
{
	return row->decision == KB_SLOWER && !row->regression ? KB_INCONCLUSIVE : row->decision;
}
