/* See keep.h. What changes several runs is one transaction: a kill in the middle, or a full disk, leaves all of them. */
#include "workflow/runs/keep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "grown.h"
#include "result/json/json.h"
#include "run/process/live.h"
#include "store/document.h"

/* ---- lists ------------------------------------------------------------------------------------------------- */

static int add_entry(void *context, const struct kb_stored_run *run)
{
	struct kb_run_list *list = context;
	struct kb_run_entry *entry;

	if (!KB_GROW(list->runs, list->count))
		return -ENOMEM;
	entry = &list->runs[list->count++];
	*entry = (struct kb_run_entry){ .finished = run->finished[0] != '\0', .json = kb_stored_run_to_json(run) };
	snprintf(entry->id, sizeof entry->id, "%s", run->id);
	snprintf(entry->started, sizeof entry->started, "%s", run->started);
	kb_visible_copy(entry->label, sizeof entry->label, run->label);
	kb_place_line(json_object_get(entry->json, "settings"), true, entry->place);
	entry->live = !entry->finished && kb_live_is_marked(run->id);
	return entry->json ? 0 : -ENOMEM;
}

static int measure_extents(struct kb_store *store, struct kb_run_list *list)
{
	int error = 0;

	for (size_t i = 0; i < list->count && !error; i++) {
		error = kb_store_run_extent(store, list->runs[i].id, &list->runs[i].extent);
		/* Removed by another process since it was listed. */
		if (error == -ENOENT)
			error = 0;
	}
	return error;
}

int kb_runs_list(struct kb_store *store, uint64_t limit, struct kb_run_list *list, struct kb_failure *failure)
{
	uint64_t others = 0;
	int error, code;

	*list = (struct kb_run_list){ .count = 0 };
	error = kb_store_newest_runs(store, limit, &others, add_entry, list);
	list->others = others;
	code = kb_refuse_store(failure, store, error);
	/* A damaged run keeps nobody from seeing the others. */
	if (error && error != -EUCLEAN)
		return code;
	error = measure_extents(store, list);
	return error ? kb_refuse_store(failure, store, error) : code;
}

void kb_runs_release(struct kb_run_list *list)
{
	while (list->count > 0)
		json_decref(list->runs[--list->count].json);
	free(list->runs);
}

json_t *kb_run_entry_to_json(const struct kb_run_entry *entry)
{
	json_t *json = json_copy(entry->json), *verdicts = json_object();

	for (unsigned i = 0; i < KB_STATUSES; i++)
		json_object_set_new(verdicts, kb_status_name(i), kb_json_whole(entry->extent.verdicts[i]));
	json_object_set_new(json, "state", json_string(entry->finished ? "finished" : entry->live ? "running" : "unfinished"));
	json_object_set_new(json, "results", kb_json_whole(entry->extent.results));
	json_object_set_new(json, "verdicts", verdicts);
	json_object_set_new(json, "bytes", kb_json_whole((uint64_t)entry->extent.bytes));
	return json;
}

/* ---- removing ----------------------------------------------------------------------------------------------- */

static bool has(const struct kb_run_list *list, const char *id)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->runs[i].id, id) == 0)
			return true;
	}
	return false;
}

/* Of a run that is damaged itself nothing else is to be told, but it can go. */
static int add_damaged(struct kb_run_list *list, const char *id)
{
	return add_entry(list, &(struct kb_stored_run){ .id = id, .started = "", .finished = "", .label = "", .command = "", .env_class = "", .env = "null",
						     .settings = "null" });
}

static int find_runs(struct kb_store *store, char *const *names, size_t count, struct kb_run_list *list)
{
	char id[37];
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		error = kb_store_find_run(store, names[i], id);
		if (!error && !has(list, id))
			error = kb_store_get_run(store, id, add_entry, list);
		if (error == -EUCLEAN)
			error = add_damaged(list, id);
	}
	return error ? error : measure_extents(store, list);
}

int kb_runs_list_these(struct kb_store *store, const char *const *ids, size_t count, struct kb_run_list *list)
{
	int error = 0;

	for (size_t i = 0; i < count && !error; i++) {
		error = kb_store_get_run(store, ids[i], add_entry, list);
		if (error == -ENOENT)
			error = 0;
	}
	return error ? error : measure_extents(store, list);
}

static int remove_all(struct kb_store *store, const struct kb_run_list *list)
{
	int error = 0;

	for (size_t i = 0; i < list->count && !error; i++)
		error = kb_store_remove_run(store, list->runs[i].id);
	return error;
}

int kb_runs_remove(struct kb_store *store, char *const *names, size_t count, struct kb_run_list *list, struct kb_failure *failure)
{
	int error = kb_store_begin(store);

	*list = (struct kb_run_list){ .count = 0 };
	if (error)
		return kb_refuse_store(failure, store, error);
	error = find_runs(store, names, count, list);
	for (size_t i = 0; i < list->count && !error; i++) {
		if (!list->runs[i].live)
			continue;
		kb_store_end(store, -EBUSY);
		return kb_refuse(failure, KB_EXIT_USAGE, "run %s is being measured: end it first; nothing was removed", list->runs[i].id);
	}
	if (!error)
		error = remove_all(store, list);
	return kb_refuse_store(failure, store, kb_store_end(store, error));
}
