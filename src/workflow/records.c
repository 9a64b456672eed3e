/* See records.h. */
#include "workflow/records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/interference.h"
#include "grown.h"
#include "result/json/json.h"
#include "workflow/floor.h"
#include "workflow/workflow.h"

/* Adds a copy of one process. */
static int keep(void *context, const struct kb_stored_process *process)
{
	struct kb_records *records = context;

	if (!KB_GROW(records->texts, records->count) || !KB_GROW(records->rows, records->count))
		return -ENOMEM;

	char *row = strdup(process->row), *outcome = strdup(process->outcome), *record = malloc(process->record_length + 1);

	records->rows[records->count] = row;
	records->texts[records->count++] = (struct kb_process_text){ process->process, outcome, record, process->record_length };
	if (!row || !outcome || !record)
		return -ENOMEM;
	/* Records may hold any bytes; with a null byte behind them they can be used as text, too. */
	memcpy(record, process->record, process->record_length);
	record[process->record_length] = '\0';
	return 0;
}

void kb_records_free(struct kb_records *records)
{
	for (size_t i = 0; i < records->count; i++) {
		free(records->rows[i]);
		free((void *)(uintptr_t)records->texts[i].outcome);
		free((void *)(uintptr_t)records->texts[i].record);
	}
	free(records->texts);
	free(records->rows);
}

int kb_records_load(struct kb_records *records, struct kb_store *store, const char *run_id, const struct kb_result *result)
{
	char row[KB_ROW_NAME];

	*records = (struct kb_records){ 0 };
	return kb_store_each_process(store, run_id, kb_row_name(row, result), keep, records);
}

int kb_records_observed(struct kb_store *store, const char *run_id, struct kb_result *result)
{
	/* The usual precision: it judges the verdict, and no number. */
	const struct kb_summary_rules rules = { .planned = result->processes_planned, .precision = 0.01 };
	struct kb_environment environment = result->environment;
	struct kb_records records;
	int error = kb_records_load(&records, store, run_id, result);

	if (!error && records.count == 0)
		error = -ENOENT;
	if (!error)
		kb_summarise(records.texts, records.count, &rules, result);
	result->environment = environment;
	kb_records_free(&records);
	return error;
}

int kb_records_summarise(const struct kb_records *records, const char *row, struct kb_summary_rules rules, struct kb_result *result)
{
	struct kb_process_text *same = calloc(records->count + 1, sizeof *same);
	unsigned count = 0;

	if (!same)
		return -ENOMEM;
	for (size_t i = 0; i < records->count; i++) {
		if (strcmp(records->rows[i], row) == 0)
			same[count++] = records->texts[i];
	}
	rules.planned = rules.planned ? rules.planned : count;
	*result = (struct kb_result){ .benchmark = "" };
	if (count > 0)
		kb_summarise(same, count, &rules, result);
	kb_settle_result(result, row, rules.planned);
	free(same);
	return 0;
}

/* ---- results made again ------------------------------------------------------------------------------------- */

struct rebuild {
	struct kb_store *store;
	const char *id;
	json_t *settings, *env;
	struct kb_records records;      /* of all rows: the store hands them out in order of time */
	struct kb_floor floor;          /* of the contention probe */
	bool kept;                      /* its results stay: it has no records to make them from */
	json_t *results;                /* row: text */
};

static int make_row(struct rebuild *rebuild, const char *row)
{
	const json_t *settings = rebuild->settings;
	const json_t *planned = json_object_get(settings, json_object_get(settings, "processes") ? "processes" : "launches");
	double precision = json_number_value(json_object_get(settings, "precision"));
	/* A run of another program may have no settings of ours; then the usual precision judges it. */
	struct kb_summary_rules rules = { .precision = precision > 0 ? precision : 0.01, .floor = &rebuild->floor, .env = rebuild->env };
	struct kb_result result;

	if (json_object_get(rebuild->results, row))
		return 0;
	/* Rows of an imported run have as many processes as there are. */
	if (!json_object_get(settings, "imported"))
		rules.planned = (unsigned)json_integer_value(planned);
	if (kb_records_summarise(&rebuild->records, row, rules, &result))
		return -ENOMEM;

	char *text = kb_json_take_text(kb_result_to_json(&result));
	int error = text ? json_object_set_new(rebuild->results, row, json_string(text)) : -1;

	free(text);
	return error ? -ENOMEM : 0;
}

/* First the rows that the run set out to measure, in its order; then what else has records. */
static int make_rows(struct rebuild *rebuild)
{
	const json_t *key;
	int result = 0;
	size_t i;

	json_array_foreach(json_object_get(rebuild->settings, "rows"), i, key) {
		char name[KB_ROW_NAME + KB_INTERFERENCE_GROWS];
		struct kb_text text = kb_text_in(name, sizeof name);

		if (!json_is_string(key) || result)
			continue;
		kb_interference_rename(&text, json_string_value(key));
		result = make_row(rebuild, name);
	}
	for (i = 0; i < rebuild->records.count && result == 0; i++)
		result = make_row(rebuild, rebuild->records.rows[i]);
	return result;
}

/* In one transaction: two processes may rebuild at once, and a reader finds the old results or the new ones. */
static int replace(struct rebuild *rebuild)
{
	int result = kb_store_begin(rebuild->store);
	unsigned position = 0;
	const char *row;
	json_t *text;

	if (result)
		return result;
	result = kb_store_drop_results(rebuild->store, rebuild->id);
	json_object_foreach(rebuild->results, row, text) {
		if (result == 0)
			result = kb_store_put_result(rebuild->store, rebuild->id, row, position++, json_string_value(text));
	}
	return kb_store_end(rebuild->store, result);
}

/* A run that was killed before its first process has neither records nor results, and gets its rows. */
static int look_for_results(struct rebuild *rebuild, size_t *rows)
{
	struct kb_run_extent extent;
	int error = kb_store_run_extent(rebuild->store, rebuild->id, &extent);

	rebuild->kept = rebuild->records.count == 0 && extent.results > 0;
	*rows = extent.results;
	return error;
}

/* As it was known before the run; *known: it was. */
static struct kb_floor floor_before(const json_t *settings, bool *known)
{
	const json_t *floor = json_object_get(settings, "floor");
	double k = json_number_value(json_object_get(floor, "k"));

	*known = k > 0;
	return (struct kb_floor){ k, kb_floor_from_find(kb_json_string_of(floor, "from")) };
}

int kb_records_floor(struct kb_store *store, const char *run_id, const json_t *settings, const json_t *env, struct kb_floor *floor)
{
	struct kb_records records = { 0 };
	bool known;
	double k;
	int error = 0;

	*floor = floor_before(settings, &known);
	if (known)
		return 0;
	error = kb_store_all_processes(store, run_id, keep, &records);
	if (!error)
		kb_floor_of_records(env, records.texts, records.count, floor, &k);
	kb_records_free(&records);
	return error;
}

/* run: {"id", "settings", "env"}. 0 or -errno; *rows is how many it has. */
static int rebuild_run(struct kb_store *store, const json_t *run, const struct kb_notes *notes, size_t *rows, bool *kept)
{
	struct rebuild rebuild = {
		.store = store, .id = json_string_value(json_object_get(run, "id")), .settings = json_object_get(run, "settings"),
		.env = json_object_get(run, "env"), .results = json_object(),
	};
	struct kb_mended mended;
	int result = kb_store_mend_run(store, rebuild.id, &mended) ?: kb_store_all_processes(store, rebuild.id, keep, &rebuild.records);
	bool known;
	double k;

	if (mended.comparisons > 0)
		kb_note(notes, "run %s: %u comparison%s of 'kbench ab' damaged, and dropped", rebuild.id, mended.comparisons,
			mended.comparisons == 1 ? " was" : "s were");
	rebuild.floor = floor_before(rebuild.settings, &known);
	if (result == 0 && !known)
		kb_floor_of_records(rebuild.env, rebuild.records.texts, rebuild.records.count, &rebuild.floor, &k);
	if (result == 0 && mended.floor) {
		struct kb_floor seen;

		kb_floor_of_records(rebuild.env, rebuild.records.texts, rebuild.records.count, &seen, &k);
		result = kb_floor_keep(store, rebuild.env, rebuild.id, k);
	}
	if (result == 0)
		result = look_for_results(&rebuild, rows);
	if (result == 0 && !rebuild.kept)
		result = make_rows(&rebuild) ?: replace(&rebuild);
	if (!rebuild.kept)
		*rows = json_object_size(rebuild.results);
	*kept = rebuild.kept;
	kb_records_free(&rebuild.records);
	json_decref(rebuild.results);
	return result;
}

/* ---- which runs ------------------------------------------------------------------------------------- */

static json_t *visible_json(const char *text)
{
	json_t *json = json_loads(text, 0, NULL), *visible = json ? kb_json_visible(json) : json_null();

	json_decref(json);
	return visible;
}

static int take_run(void *runs, const struct kb_stored_run *run)
{
	return json_array_append_new(runs, json_pack("{s:s, s:o, s:o}", "id", run->id, "settings", visible_json(run->settings), "env",
						     visible_json(run->env))) ? -ENOMEM : 0;
}

/* Of all runs, damage in the file as a whole first: what an index hides would be taken for not there. */
static int list_runs(struct kb_store *store, const char *name, const struct kb_notes *notes, json_t *runs)
{
	bool indexes;
	char id[37];
	int result;

	if (name)
		return kb_store_find_run(store, name, id) ?: kb_store_get_run(store, id, take_run, runs);
	result = kb_store_mend(store, &indexes);
	if (indexes && !result)
		kb_note(notes, "indexes of the store %s did not fit its tables: they are made again", kb_store_path(store));
	return result ?: kb_store_each_run(store, take_run, runs);
}

int kb_rebuild_runs(const char *path, const char *name, json_t *done, const struct kb_notes *notes, struct kb_failure *failure)
{
	json_t *runs = json_array();
	struct kb_store *store = NULL;
	int result = kb_store_open(&store, path, KB_STORE_CHANGE);
	const json_t *run;
	size_t i, rows = 0;
	bool kept = false;

	/* The runs first, for rebuilding writes to the store that is being walked through. A damaged one does not keep the others as they are. */
	result = kb_refuse_store(failure, store, result ?: list_runs(store, name, notes, runs));
	json_array_foreach(runs, i, run) {
		struct kb_failure other;
		int stored = rebuild_run(store, run, notes, &rows, &kept), error = kb_refuse_store(result ? &other : failure, store, stored);

		if (!error)
			json_array_append_new(done, json_pack("{s:O, s:o, s:b}", "id", json_object_get(run, "id"), "rows", kb_json_whole(rows),
							      "kept", kept));
		else if (result)
			kb_note(notes, "%s", other.text);
		result = result ?: error;
		if (stored && stored != -EUCLEAN)       /* a full disk is so for all of them */
			break;
	}
	json_decref(runs);
	kb_store_close(store);
	return result;
}
