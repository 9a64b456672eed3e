/* What `kbench import` prints: one run as `kbench show` does, of many runs how to go on. */
#include "cli/import.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "result/json/json.h"
#include "result/samples.h"
#include "store/document.h"

/* Statistics that the other program made of the same values, beside ours. */
static void print_theirs(const struct kb_log_run *log, const char *key)
{
	unsigned launch = 0;

	for (size_t i = 0; i < log->count; i++) {
		const struct kb_log_launch *from = &log->launches[i];
		struct kb_launch_text text = { .launch = 1, .outcome = "", .record = from->record, .length = from->length };
		struct kb_samples samples;

		if (strcmp(from->row, key) != 0)
			continue;
		launch++;
		if (kb_samples_load(&samples, &text) == 0 && samples.reported.mean > 0) {
			printf("%s process %u, as reported: mean %.6g", key, launch, samples.reported.mean);
			if (samples.reported.sd > 0)
				printf(", sd %.4g", samples.reported.sd);
			if (samples.reported.median > 0)
				printf(", median %.6g", samples.reported.median);
			printf(", of %.0f\n", samples.reported.samples);
		}
		kb_samples_free(&samples);
	}
}

static void print_one(const struct kb_import_request *request, const struct kb_import_run *run, const char *path)
{
	const struct kb_result **results = calloc(run->count + 1, sizeof *results);

	if (!results)
		kb_no_memory(request->command);
	for (size_t i = 0; i < run->count; i++)
		results[i] = &run->results[i];
	struct kb_heading heading = kb_heading_of("imported", run->env, NULL, NULL);

	kb_print_results(&heading, results, run->count, &(struct kb_print_how){ .detail = request->verbose || run->count == 1 });
	for (size_t i = 0; i < run->count; i++)
		print_theirs(run->log, run->keys[i]);
	printf("run %s in %s; 'kbench show' prints it again\n", run->id, path);
	free(results);
}

static void print_many(const struct kb_import_run *runs, size_t count, const char *path)
{
	size_t known = 0, launches = 0;

	for (size_t i = 0; i < count; i++) {
		known += runs[i].known;
		launches += runs[i].added;
	}
	printf("%zu runs with %zu processes stored in %s", count - known, launches, path);
	if (known > 0)
		printf(", %zu were there", known);
	printf("\n'kbench history %s' shows a row over time\n", runs[0].count > 0 ? runs[0].keys[0] : "BENCH");
}

static void print_document(const struct kb_import_request *request, const struct kb_import_run *run)
{
	struct kb_stored_run stored = {
		.id = run->id, .started = run->started, .finished = run->started, .label = request->label ? request->label : "",
		.command = request->command_line ? request->command_line : "", .settings = run->settings,
	};
	json_t *results = json_array();

	for (size_t i = 0; i < run->count; i++)
		json_array_append_new(results, kb_result_to_json(&run->results[i]));
	kb_print_json(kb_result_document(kb_stored_run_to_json(&stored), json_incref(run->env), results));
}

static void print_list(const struct kb_import_run *runs, size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:b}", "id", runs[i].id, "started", runs[i].started,
						      "rows", kb_json_whole(runs[i].count), "new", !runs[i].known));
	kb_print_json(json_pack("{s:s, s:o}", "schema", "kbench-import/1", "runs", list));
}

/* Where a launch was cut off, only the log's lines tell. */
static void complain(const struct kb_import_request *request, const struct kb_import_run *run)
{
	for (size_t i = 0; i < run->log->count; i++) {
		const struct kb_log_launch *launch = &run->log->launches[i];

		if (launch->trouble[0])
			kb_complain(request->command, "%s: %s; stored as invalid", launch->row, launch->trouble);
	}
}

void kb_import_print(const struct kb_import_request *request, const struct kb_log *log, const struct kb_import_run *runs,
		     size_t count, const char *path)
{
	for (size_t i = 0; i < count; i++)
		complain(request, &runs[i]);
	if (request->json && log->kind != KB_LOG_RESULTS)
		print_document(request, &runs[0]);
	else if (request->json)
		print_list(runs, count);
	else if (log->kind != KB_LOG_RESULTS)
		print_one(request, &runs[0], path);
	else
		print_many(runs, count, path);
}
