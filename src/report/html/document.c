/* See document.h. */
#include "report/html/document.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/history.h"
#include "base/verdict.h"
#include "report/html/template.h"
#include "report/json/history.h"
#include "report/text/comparison.h"
#include "report/text/table_cells.h"
#include "result/json/json.h"
#include "workflow/records.h"

/* Samples and history take what is left of this size: fifty results fit into it. Of more, each has the least. */
#define PAGE_BYTES 590000u
#define PROCESS_BYTES 320u      /* of a process without samples, and on the time line */
#define SAMPLE_BYTES 28u        /* of a sample of the operation, with what stands for it of the empty loop and of single operations */
#define ROOM_MOST 600u          /* samples of a result */
#define ROOM_LEAST 32u
#define POINTS_ALL 400u         /* of all histories */
#define POINTS_MOST 60u         /* and of one */
#define POINTS_LEAST 6u

static size_t bounded(size_t value, size_t least, size_t most)
{
	return value < least ? least : value > most ? most : value;
}

/* ---- one run ------------------------------------------------------------------------------------------- */

/* The elements of `results` with what a page needs to name, to group and to count them. */
static json_t *results_json(const struct kb_page_run *run)
{
	static const char *const confirmed[KB_CONFIRMED_KINDS + 1] = { "counts", "check", "missing", "against" };
	json_t *array = json_array(), *element;
	char row[KB_ROW_NAME];
	size_t i;

	json_array_foreach(run->json, i, element) {
		json_t *copy = json_copy(element);
		const char *heading = kb_group_heading(kb_group_of(run->results[i]->benchmark));

		json_object_set_new(copy, "row", kb_json_string(kb_row_name(row, run->results[i])));
		json_object_set_new(copy, "domain", kb_json_string(heading[0] ? heading : "SELF-TESTS"));
		json_object_set_new(copy, "confirmed_by", json_pack("s?", confirmed[kb_confirmed_by(run->results[i])]));
		json_array_append_new(array, copy);
	}
	return array;
}

static json_t *run_json(const struct kb_page_run *run)
{
	json_t *json = json_pack("{s:O, s:O, s:o}", "run", run->run, "env", run->env, "results", results_json(run));

	if (json)
		kb_variants_add(json, run->results, run->count);
	return json;
}

/* ---- samples ------------------------------------------------------------------------------------------- */

/* A run's id begins with the time of its start, in ms; 0: it is no such id (UUID version 7). */
static uint64_t started_ms(const char *id)
{
	char digits[13];

	if (strlen(id) < 15 || id[14] != '7')
		return 0;
	snprintf(digits, sizeof digits, "%.8s%.4s", id, id + 9);
	return strtoull(digits, NULL, 16);
}

/* Without probes no floor decides anything, and nobody need read all records for it. */
static int find_floor(struct kb_store *store, const struct kb_page_run *run, struct kb_floor *floor)
{
	bool probed = false;

	*floor = (struct kb_floor){ .k = 0 };
	for (size_t i = 0; i < run->count; i++)
		probed |= !isnan(run->results[i]->clean_share);
	return probed ? kb_records_floor(store, run->id, json_object_get(run->run, "settings"), run->env, floor) : 0;
}

static int add_samples(struct kb_store *store, const struct kb_page_run *run, size_t room, json_t *json, struct kb_page_counts *counts)
{
	json_t *samples = json_array(), *timeline = json_array();
	struct kb_floor floor;
	int error = find_floor(store, run, &floor);

	for (size_t i = 0; i < run->count && !error; i++) {
		struct kb_records records;

		error = kb_records_load(&records, store, run->id, run->results[i]);
		if (!error)
			error = kb_page_add_samples(&(struct kb_page_source){
				.result = run->results[i], .position = i, .texts = records.texts, .text_count = records.count, .floor = &floor,
				.started_ms = started_ms(run->id), .room = room,
			}, samples, timeline, counts);
		kb_records_free(&records);
	}
	json_object_set_new(json, "timeline", timeline);
	json_object_set_new(json, "samples", samples);
	return error;
}

/* How many samples each result has room for, next to what is in the document already. */
static size_t room_for(const struct kb_page *page, const json_t *document)
{
	size_t used = page->taken + json_dumpb(document, NULL, 0, KB_PAGE_FORMAT), results = 0;

	for (unsigned i = 0; i < page->run_count; i++) {
		for (size_t k = 0; k < page->runs[i].count; k++) {
			const struct kb_result *result = page->runs[i].results[k];

			used += PROCESS_BYTES * (result->processes + result->processes_contended + result->processes_failed);
		}
		results += page->runs[i].count;
	}
	return bounded(used < PAGE_BYTES ? (PAGE_BYTES - used) / (SAMPLE_BYTES * results) : 0, ROOM_LEAST, ROOM_MOST);
}

/* ---- history ------------------------------------------------------------------------------------------- */

static bool is_in(const struct kb_page_run *run, const char *row, size_t *next)
{
	char name[KB_ROW_NAME];

	/* Both are in the order of the run. */
	if (*next == run->count || strcmp(kb_row_name(name, run->results[*next]), row) != 0)
		return false;
	++*next;
	return true;
}

/* One value alone is no history. */
static int add_history(json_t *all, struct kb_store *store, const struct kb_stored_result *row, uint64_t limit)
{
	const struct kb_history_wanted wanted = { .benchmark = row->row, .limit = limit };
	struct kb_history history = { .newest = *row };
	int error = kb_history_load(store, &wanted, &history);

	if (!error && history.count > 1 && json_array_append_new(all, kb_history_to_json(&history)))
		error = -ENOMEM;
	kb_history_free(&history);
	return error;
}

/* Of the first run. No query stays open while others are asked. */
static int add_histories(json_t *all, struct kb_store *store, const struct kb_page_run *run)
{
	struct kb_stored_result *rows = calloc(run->count, sizeof *rows), row;
	uint64_t limit = bounded(POINTS_ALL / run->count, POINTS_LEAST, POINTS_MOST);
	struct kb_query *query;
	int found = rows ? kb_store_results(store, run->id, &query) : -ENOMEM;
	size_t count = 0;

	if (!found) {
		while ((found = kb_store_next(query, &row)) > 0) {
			if (is_in(run, row.row, &count))
				rows[count - 1] = row;
		}
		kb_store_done(query);
	}
	for (size_t i = 0; i < count && !found; i++)
		found = add_history(all, store, &rows[i], limit);
	free(rows);
	return found;
}

/* ---- reasons ------------------------------------------------------------------------------------------- */

static const char *text_of(const char *code)
{
	for (const struct kb_page_reason *reason = kb_page_reasons; reason->code; reason++) {
		if (strcmp(reason->code, code) == 0)
			return reason->text;
	}
	return "";
}

/* As in the table's last column. */
static const char *tag_of(const char *code)
{
	enum kb_reason_code known = kb_code_find(code);

	return known < KB_CODE_COUNT ? kb_code_tag(known) : "";
}

/* `reasons` of a verdict or of a comparison. */
static void add_reasons(json_t *all, const json_t *reasons)
{
	json_t *reason;
	size_t i;

	json_array_foreach(reasons, i, reason) {
		const char *code = json_string_value(json_object_get(reason, "code"));

		if (!code || json_object_get(all, code))
			continue;
		json_object_set_new(all, code, json_pack("{s:O?, s:s, s:O?, s:O?, s:s}", "severity", json_object_get(reason, "severity"), "tag",
							 tag_of(code), "detail", json_object_get(reason, "detail"), "hint",
							 json_object_get(reason, "hint"), "text", text_of(code)));
	}
}

static json_t *reasons_of(const json_t *runs, const json_t *comparison)
{
	json_t *all = json_object(), *run, *result, *row;
	size_t i, k;

	json_array_foreach(runs, i, run) {
		json_array_foreach(json_object_get(run, "results"), k, result)
			add_reasons(all, json_object_get(json_object_get(result, "verdict"), "reasons"));
	}
	json_array_foreach(json_object_get(comparison, "rows"), i, row)
		add_reasons(all, json_object_get(row, "reasons"));
	return all;
}

/* ---- the document ---------------------------------------------------------------------------------------- */

int kb_page_document(struct kb_page *page, struct kb_store *store, json_t **document)
{
	json_t *runs = json_array(), *history = json_array();
	int error = add_histories(history, store, &page->runs[0]);

	for (unsigned i = 0; i < page->run_count; i++)
		json_array_append_new(runs, run_json(&page->runs[i]));
	*document = json_pack("{s:s, s:s, s:s, s:o, s:o?, s:o, s:o, s:o?, s:o}", "schema", KB_PAGE_SCHEMA, "tool", page->tool, "made", page->made,
			      "runs", runs, "comparison", page->comparison, "floor", kb_json_real(page->floor > 0 ? page->floor : NAN), "history", history,
			      "papers", page->papers, "reasons", reasons_of(runs, page->comparison));
	page->comparison = page->papers = NULL;
	if (!*document)
		return -ENOMEM;

	size_t room = room_for(page, *document);

	for (unsigned i = 0; i < page->run_count && !error; i++)
		error = add_samples(store, &page->runs[i], room, json_array_get(runs, i), &page->counts);
	if (error) {
		json_decref(*document);
		*document = NULL;
	}
	return error;
}
