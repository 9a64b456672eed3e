/*
 * kbench analyze --rebuild: results are a cache; this makes them again from the records, with the statistics of this
 * version. All results of a run are made before the old ones go, so that an error leaves the run as it was.
 */
#include "cli/analyze.h"

#include <stdlib.h>
#include <string.h>

#include "base/interference.h"
#include "cli/print.h"
#include "cli/store/records.h"
#include "cli/store/saved.h"
#include "result/json/json.h"
#include "result/summary/summary.h"
#include "workflow/floor.h"
#include "workflow/workflow.h"

struct rebuild {
	const struct kb_command *command;
	struct kb_store *store;
	struct kb_records records;              /* of all rows, in order of time */
	char **rows;                            /* of each record */
	struct kb_launch_text *launches;        /* as many as records: those of the row at hand */
	unsigned planned;
	struct kb_floor floor;                  /* of the contention probe */
	bool imported;                          /* its rows have as many launches as there are */
	double precision;
	json_t *results;                        /* row: result as text */
};

static int take_launch(void *context, const struct kb_stored_launch *launch)
{
	struct rebuild *rebuild = context;
	size_t at = rebuild->records.count;
	int error = kb_records_keep(&rebuild->records, launch);

	rebuild->rows = reallocarray(rebuild->rows, at + 1, sizeof *rebuild->rows);
	if (error || !rebuild->rows || !(rebuild->rows[at] = strdup(launch->row)))
		kb_no_memory(rebuild->command);
	return 0;
}

/* The same function as at the end of a launch, so a rebuilt result equals the one that was printed. */
static void make_row(struct rebuild *rebuild, const char *key)
{
	struct kb_result result = { 0 };
	size_t count = 0;

	if (json_object_get(rebuild->results, key))
		return;
	for (size_t i = 0; i < rebuild->records.count; i++) {
		if (strcmp(rebuild->rows[i], key) == 0)
			rebuild->launches[count++] = rebuild->records.texts[i];
	}

	struct kb_summary_rules rules = {
		.planned = rebuild->imported ? (unsigned)count : rebuild->planned, .precision = rebuild->precision, .floor = &rebuild->floor,
	};

	if (count > 0)
		kb_summarise(rebuild->launches, count, &rules, &result);
	kb_settle_result(&result, key, rules.planned);

	json_t *json = kb_result_to_json(&result);
	char *text = kb_json_text(json);

	if (!text || json_object_set_new(rebuild->results, key, json_string(text)))
		kb_no_memory(rebuild->command);
	free(text);
	json_decref(json);
}

/* As it was known before the run, else what all its records together say. */
static void find_floor(struct rebuild *rebuild, const json_t *settings, const json_t *env)
{
	const json_t *floor = json_object_get(settings, "floor");
	const char *from = json_string_value(json_object_get(floor, "from"));
	double k;

	rebuild->floor = (struct kb_floor){ json_number_value(json_object_get(floor, "k")), kb_floor_from_find(from ? from : "") };
	if (rebuild->floor.k > 0)
		return;
	kb_floor_of_records(env, rebuild->records.texts, rebuild->records.count, &rebuild->floor, &k);
}

/* First the rows that the run set out to measure, in its order; then what else has records. */
static void make_rows(struct rebuild *rebuild, const json_t *settings)
{
	const json_t *key;
	size_t i;

	json_array_foreach(json_object_get(settings, "rows"), i, key) {
		char name[KB_ROW_NAME + KB_INTERFERENCE_GROWS];
		struct kb_text text = kb_text_in(name, sizeof name);

		if (!json_is_string(key))
			continue;
		kb_interference_rename(&text, json_string_value(key));
		make_row(rebuild, name);
	}
	for (i = 0; i < rebuild->records.count; i++)
		make_row(rebuild, rebuild->rows[i]);
}

/* In one transaction: two processes may rebuild at once, and a reader finds the old results or the new ones. */
static void replace(struct rebuild *rebuild, const char *id)
{
	struct kb_store *store = rebuild->store;
	int error = kb_store_begin(store);
	unsigned position = 0;
	const char *row;
	json_t *text;

	kb_saved_check(rebuild->command, store, error);
	error = kb_store_drop_results(store, id);
	json_object_foreach(rebuild->results, row, text) {
		if (!error)
			error = kb_store_put_result(store, id, row, position++, json_string_value(text));
	}
	kb_saved_check(rebuild->command, store, kb_store_end(store, error));
}

static void release(struct rebuild *rebuild)
{
	for (size_t i = 0; i < rebuild->records.count; i++)
		free(rebuild->rows[i]);
	free(rebuild->rows);
	kb_records_free(&rebuild->records);
	free(rebuild->launches);
	json_decref(rebuild->results);
}

/* Returns how many rows the run has. */
static size_t rebuild_run(const struct kb_command *command, struct kb_store *store, const char *id)
{
	struct rebuild rebuild = { .command = command, .store = store, .results = json_object() };
	struct kb_saved saved;

	kb_saved_load(command, store, id, &saved);

	const json_t *settings = json_object_get(saved.run, "settings");
	double precision = json_number_value(json_object_get(settings, "precision"));

	rebuild.planned = (unsigned)json_integer_value(json_object_get(settings, json_object_get(settings, "processes") ? "processes" : "launches"));
	rebuild.imported = json_object_get(settings, "imported") != NULL;
	/* A run of another program may have no settings of ours; then the usual precision judges it. */
	rebuild.precision = precision > 0 ? precision : 0.01;
	kb_saved_check(command, store, kb_store_each_launch(store, id, take_launch, &rebuild));
	rebuild.launches = calloc(rebuild.records.count + 1, sizeof *rebuild.launches);
	if (!rebuild.launches)
		kb_no_memory(command);
	find_floor(&rebuild, settings, saved.env);
	make_rows(&rebuild, settings);
	replace(&rebuild, id);

	size_t rows = json_object_size(rebuild.results);

	release(&rebuild);
	kb_saved_release(&saved);
	return rows;
}

static int take_id(void *context, const struct kb_stored_run *run)
{
	json_array_append_new(context, json_string(run->id));
	return 0;
}

/* Ids first, for rebuilding writes to the store that is being walked through. */
static json_t *ids_of(const struct kb_command *command, struct kb_store *store, const char *name)
{
	json_t *ids = json_array();
	char id[37];

	if (!name) {
		kb_saved_check(command, store, kb_store_each_run(store, take_id, ids));
		return ids;
	}
	kb_saved_check(command, store, kb_store_find_run(store, name, id));
	json_array_append_new(ids, json_string(id));
	return ids;
}

static void rebuild_runs(const struct kb_command *command, struct kb_store *store, const char *name, bool json)
{
	json_t *ids = ids_of(command, store, name), *done = json_array();
	json_t *id;
	size_t i;

	json_array_foreach(ids, i, id) {
		size_t rows = rebuild_run(command, store, json_string_value(id));

		json_array_append_new(done, json_pack("{s:O, s:o}", "id", id, "rows", kb_json_whole(rows)));
		if (!json)
			printf("run %s: %zu row%s\n", json_string_value(id), rows, rows == 1 ? "" : "s");
	}
	if (json)
		kb_print_json(json_pack("{s:s, s:O}", "schema", "kbench-analyze/1", "runs", done));
	json_decref(done);
	json_decref(ids);
}

int kb_analyze_rebuild(const struct kb_command *command, const char *path, const char *name, bool json)
{
	/* Opening to write would make a store where there is none. */
	kb_store_close(kb_saved_open(command, path, KB_STORE_READ));

	struct kb_store *store = kb_saved_open(command, path, KB_STORE_WRITE);

	rebuild_runs(command, store, name, json);
	kb_store_close(store);
	return KB_EXIT_DONE;
}
