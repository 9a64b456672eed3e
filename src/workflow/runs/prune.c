/* See prune.h. The runs are read once, without their JSON, and what decides on each is kept as numbers: a fleet's store has millions. */
#include "workflow/runs/prune.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grown.h"
#include "run/process/live.h"
#include "workflow/machine.h"
#include "workflow/runs/series.h"

struct pruned_run {
	char id[37], started[24];
	size_t series;                  /* number of what it is alike to */
	size_t fleet;                   /* number of its fleet; 0: of none */
	bool labelled, live, finished;
	bool stays;
};

struct pruning {
	const struct kb_prune_request *request;
	struct pruned_run *runs;
	size_t count;
	struct kb_names series, fleets;
};

/* ---- what there is ------------------------------------------------------------------------------------------------ */

static bool is_labelled(const char *label)
{
	return label[0] && strcmp(label, "ab-a") != 0 && strcmp(label, "ab-b") != 0;
}

static int add_run(void *context, const struct kb_run_brief *run)
{
	struct pruning *pruning = context;
	struct pruned_run *added;
	int error;

	if (!KB_GROW(pruning->runs, pruning->count))
		return -ENOMEM;
	added = &pruning->runs[pruning->count++];
	*added = (struct pruned_run){ .labelled = is_labelled(run->label), .finished = run->finished };
	snprintf(added->id, sizeof added->id, "%s", run->id);
	snprintf(added->started, sizeof added->started, "%s", run->started);
	added->live = !run->finished && kb_live_is_marked(run->id);
	error = pruning->request->thin_s ? kb_series_number(&pruning->series, run, &added->series) : 0;
	return error || !run->fleet[0] ? error : kb_name_number(&pruning->fleets, run->fleet, &added->fleet);
}

/* ---- what stays --------------------------------------------------------------------------------------------------- */

static bool has_reason(const struct kb_prune_request *request, const struct pruned_run *run, size_t newer)
{
	if (run->live || (!request->labelled && run->labelled))
		return true;
	return (request->keep != UINT64_MAX && newer < request->keep) || (request->before && strcmp(run->started, request->before) > 0);
}

/* A reason of one of its runs is one of all. */
static int keep_fleets_whole(struct pruning *pruning)
{
	bool *stay = calloc(pruning->fleets.count + 1, sizeof *stay);

	if (!stay)
		return -ENOMEM;
	for (size_t i = 0; i < pruning->count; i++)
		stay[pruning->runs[i].fleet] |= pruning->runs[i].stays;
	for (size_t i = 0; i < pruning->count; i++)
		pruning->runs[i].stays |= pruning->runs[i].fleet && stay[pruning->runs[i].fleet];
	free(stay);
	return 0;
}

/* The span in which a run, or the first of its fleet, began. */
static int64_t span_of(const struct pruning *pruning, const struct pruned_run *run)
{
	double seconds = kb_seconds_of_date(run->started);

	return seconds < 0 ? -1 : (int64_t)(seconds / (double)pruning->request->thin_s);
}

/* Oldest first, so that the run of each series that stays is the first one in its span, whatever came later. last[]: the span, from 1, in which a
   series had its last run that stays. A fleet is looked at when its first run comes, and all its runs together. */
static void thin_unit(struct pruning *pruning, int64_t *last, const size_t *of_fleet, const size_t *next, size_t first)
{
	int64_t span = span_of(pruning, &pruning->runs[first]) + 2;
	size_t fleet = pruning->runs[first].fleet;
	bool stays = false;

	for (size_t i = fleet ? of_fleet[fleet] : first; i != SIZE_MAX; i = fleet ? next[i] : SIZE_MAX)
		stays |= last[pruning->runs[i].series] != span;
	for (size_t i = fleet ? of_fleet[fleet] : first; stays && i != SIZE_MAX; i = fleet ? next[i] : SIZE_MAX) {
		pruning->runs[i].stays = true;
		last[pruning->runs[i].series] = span;
	}
}

static int thin(struct pruning *pruning)
{
	int64_t *last = calloc(pruning->series.count + 1, sizeof *last);
	size_t *of_fleet = malloc((pruning->fleets.count + 1) * sizeof *of_fleet), *next = malloc((pruning->count + 1) * sizeof *next);
	int error = last && of_fleet && next ? 0 : -ENOMEM;

	for (size_t i = 0; i <= pruning->fleets.count && !error; i++)
		of_fleet[i] = SIZE_MAX;
	for (size_t i = pruning->count; i-- > 0 && !error;) {
		next[i] = of_fleet[pruning->runs[i].fleet];
		of_fleet[pruning->runs[i].fleet] = i;
	}
	for (size_t i = 0; i < pruning->count && !error; i++) {
		const struct pruned_run *run = &pruning->runs[i];

		/* What stays for another reason does not count: it may lose that one. */
		if (!run->stays && (!run->fleet || of_fleet[run->fleet] == i))
			thin_unit(pruning, last, of_fleet, next, i);
	}
	free(last);
	free(of_fleet);
	free(next);
	return error;
}

static int decide(struct pruning *pruning)
{
	int error;

	for (size_t i = 0; i < pruning->count; i++)
		pruning->runs[i].stays = has_reason(pruning->request, &pruning->runs[i], pruning->count - 1 - i);
	error = keep_fleets_whole(pruning);
	return error || !pruning->request->thin_s ? error : thin(pruning);
}

/* ---- what goes ---------------------------------------------------------------------------------------------------- */

static int remove_others(struct kb_store *store, const struct pruning *pruning, struct kb_pruned *pruned)
{
	const char **ids = malloc((pruning->count + 1) * sizeof *ids);
	int error = ids ? 0 : -ENOMEM;

	for (size_t i = 0; i < pruning->count && !error; i++) {
		if (pruning->runs[i].stays)
			continue;
		ids[pruned->count++] = pruning->runs[i].id;
		memcpy(pruned->count == 1 ? pruned->first : pruned->last, pruning->runs[i].started, sizeof pruned->last);
	}
	pruned->others = pruning->count - pruned->count;
	if (!error && pruned->count <= KB_PRUNED_LISTED)
		error = kb_runs_list_these(store, ids, pruned->count, &pruned->list);
	if (!error && !pruning->request->dry)
		error = kb_store_remove_runs(store, ids, pruned->count);
	free(ids);
	return error;
}

int kb_runs_prune(struct kb_store *store, const struct kb_prune_request *request, struct kb_pruned *pruned, struct kb_failure *failure)
{
	struct pruning pruning = { .request = request };
	/* A list alone waits for nobody. */
	int error = request->dry ? 0 : kb_store_begin(store);

	*pruned = (struct kb_pruned){ .count = 0 };
	if (error)
		return kb_refuse_store(failure, store, error);
	error = kb_store_brief_runs(store, add_run, &pruning) ?: decide(&pruning) ?: remove_others(store, &pruning, pruned);
	free(pruning.runs);
	kb_names_release(&pruning.series);
	kb_names_release(&pruning.fleets);
	return kb_refuse_store(failure, store, request->dry ? error : kb_store_end(store, error));
}

/* ---- records ------------------------------------------------------------------------------------------------------- */

static int drop_unfinished(struct kb_store *store, const char *id, bool dry, struct kb_old_records *old)
{
	struct kb_run_extent extent;
	int error = kb_store_run_extent(store, id, &extent);

	if (error || extent.processes == 0 || extent.results == 0)
		return error == -ENOENT ? 0 : error;
	old->runs++;
	old->bytes += extent.record_bytes;
	return dry ? 0 : kb_store_drop_records(store, id);
}

/* Whether an unfinished run is being measured, the store does not know. They are few. */
static int drop_all_unfinished(struct kb_store *store, const char *before, bool dry, struct kb_old_records *old)
{
	struct pruning pruning = { .request = &(struct kb_prune_request){ .dry = dry } };
	int error = kb_store_brief_runs(store, add_run, &pruning);

	for (size_t i = 0; i < pruning.count && !error; i++) {
		const struct pruned_run *run = &pruning.runs[i];

		if (!run->finished && !run->live && strcmp(run->started, before) <= 0)
			error = drop_unfinished(store, run->id, dry, old);
	}
	free(pruning.runs);
	kb_names_release(&pruning.fleets);
	return error;
}

int kb_runs_drop_records(struct kb_store *store, const char *before, bool dry, struct kb_old_records *old, struct kb_failure *failure)
{
	int error = dry ? 0 : kb_store_begin(store);

	*old = (struct kb_old_records){ 0 };
	if (error)
		return kb_refuse_store(failure, store, error);
	error = kb_store_records_until(store, before, old);
	if (!error && !dry)
		error = kb_store_drop_records_until(store, before);
	error = error ?: drop_all_unfinished(store, before, dry, old);
	return kb_refuse_store(failure, store, dry ? error : kb_store_end(store, error));
}
