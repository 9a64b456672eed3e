/*
 * Imported runs on their way into the store. A run that names itself has an id that is made of that name, so that a file that was
 * imported before adds only what is new in it.
 */
#define _GNU_SOURCE
#include "cli/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/crc32.h"
#include "cli/store/saved.h"
#include "result/json/json.h"
#include "result/summary/summary.h"
#include "run/run.h"
#include "workflow/floor.h"
#include "workflow/machine.h"
#include "workflow/workflow.h"

#define PRECISION 0.01  /* that results are judged by, as `kbench run` does by default */

/* ---- results --------------------------------------------------------------------------------------- */

static unsigned launches_of(const struct kb_log_run *log, const char *key, struct kb_launch_text *texts)
{
	unsigned count = 0;

	for (size_t i = 0; i < log->count; i++) {
		if (strcmp(log->launches[i].row, key) != 0)
			continue;
		texts[count] = (struct kb_launch_text){
			.launch = count + 1, .outcome = "", .record = log->launches[i].record, .length = log->launches[i].length,
		};
		count++;
	}
	return count;
}

static bool is_new(const struct kb_import_run *run, const char *key)
{
	for (size_t i = 0; i < run->count; i++) {
		if (strcmp(run->keys[i], key) == 0)
			return false;
	}
	return true;
}

/* All records of a run are of one machine. */
static void find_floor(const struct kb_import_request *request, struct kb_import_run *run, struct kb_launch_text *texts)
{
	for (size_t i = 0; i < run->log->count; i++)
		texts[i] = (struct kb_launch_text){ .launch = 1, .outcome = "", .record = run->log->launches[i].record,
						    .length = run->log->launches[i].length };
	kb_floor_of_records(run->env, texts, run->log->count, &run->floor, &run->k);
	kb_floor_of_model(run->env, request->store, &run->floor);
}

static void summarise(const struct kb_import_request *request, struct kb_import_run *run)
{
	const struct kb_log_run *log = run->log;
	struct kb_launch_text *texts = calloc(log->count + 1, sizeof *texts);

	run->keys = calloc(log->count + 1, sizeof *run->keys);
	for (size_t i = 0; run->keys && i < log->count; i++) {
		if (is_new(run, log->launches[i].row))
			run->keys[run->count++] = log->launches[i].row;
	}
	run->results = calloc(run->count + 1, sizeof *run->results);
	run->stored = calloc(run->count + 1, sizeof *run->stored);
	if (!texts || !run->keys || !run->results || !run->stored)
		kb_no_memory(request->command);
	find_floor(request, run, texts);
	for (size_t i = 0; i < run->count; i++) {
		unsigned count = launches_of(log, run->keys[i], texts);

		kb_summarise(texts, count, &(struct kb_summary_rules){ .planned = count, .precision = PRECISION, .floor = &run->floor },
			     &run->results[i]);
		kb_settle_result(&run->results[i], run->keys[i], count);
	}
	free(texts);
}

/* ---- the run --------------------------------------------------------------------------------------- */

/* A UUID of version 7, as all runs have, with a sum over the name instead of random bits. */
static void name_run(const struct kb_log_run *log, const char *machine, char id[37])
{
	struct tm fields = { 0 };
	char text[512];

	strptime(log->started, "%Y-%m-%dT%H:%M:%SZ", &fields);
	snprintf(text, sizeof text, "%s %s %s", log->id, machine ? machine : "", log->count > 0 ? log->launches[0].row : "");

	unsigned long long ms = (unsigned long long)timegm(&fields) * 1000;
	uint32_t a = kb_crc32(0, text, strlen(text)), b = kb_crc32(a, text, strlen(text) / 2);

	snprintf(id, 37, "%08x-%04x-7%03x-8%03x-%08x%04x", (unsigned)(ms >> 16), (unsigned)ms & 0xffff, a & 0xfff,
		 a >> 12 & 0xfff, b, a >> 16 & 0xffff);
}

static char *settings_text(const struct kb_import_request *request, const struct kb_log *log, const struct kb_import_run *run)
{
	json_t *rows = json_array(), *files = json_array(), *json;
	size_t launches = 0;
	char *text;

	for (size_t i = 0; i < run->count; i++) {
		json_array_append_new(rows, kb_json_string(run->keys[i]));
		launches = run->results[i].processes_planned > launches ? run->results[i].processes_planned : launches;
	}
	/* Names only: where somebody keeps files is nobody's business. */
	for (size_t i = 0; i < request->file_count; i++)
		json_array_append_new(files, kb_json_string(basename(request->files[i])));
	json = json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o}", "tool", "kbench " KB_VERSION, "precision", kb_json_real(PRECISION),
			 "processes", kb_json_whole(launches), "floor", kb_floor_to_json(&run->floor), "imported", kb_log_names[log->kind], "files", files, "rows", rows);
	text = kb_json_text(json);
	json_decref(json);
	return text;
}

void kb_import_make(const struct kb_import_request *request, const struct kb_log *log, const struct kb_log_run *from,
		    struct kb_import_run *run)
{
	*run = (struct kb_import_run){ .log = from };
	if (from->started[0]) {
		memcpy(run->started, from->started, sizeof run->started);
		name_run(from, request->machine, run->id);
	} else if (kb_run_id(run->id)) {
		kb_die(request->command, KB_EXIT_USAGE, "no random numbers for the run's id: %s", strerror(errno));
	} else {
		kb_date_now(run->started);
	}
	run->env = kb_import_env(request, from);
	summarise(request, run);
	run->env_text = kb_json_text(run->env);
	run->settings = settings_text(request, log, run);
	if (!run->env_text || !run->settings)
		kb_no_memory(request->command);
}

void kb_import_release(struct kb_import_run *run)
{
	free(run->results);
	free(run->stored);
	free(run->keys);
	free(run->env_text);
	free(run->settings);
	json_decref(run->env);
}

/* ---- the store ------------------------------------------------------------------------------------- */

static int count_stored(void *context, const struct kb_stored_launch *launch)
{
	struct kb_import_run *run = context;

	for (size_t i = 0; i < run->count; i++)
		run->stored[i] += strcmp(launch->row, run->keys[i]) == 0;
	return 0;
}

/* Those behind the ones that are there. */
static int keep_launches(struct kb_store *store, struct kb_import_run *run, size_t row)
{
	unsigned launch = 0;
	int result = 0;

	for (size_t i = 0; i < run->log->count && result == 0; i++) {
		const struct kb_log_launch *from = &run->log->launches[i];
		struct kb_stored_launch stored = {
			.run_id = run->id, .row = from->row, .launch = launch + 1, .outcome = "", .record = from->record,
			.record_length = from->length,
		};

		if (strcmp(from->row, run->keys[row]) != 0)
			continue;
		if (++launch <= run->stored[row])
			continue;
		result = kb_store_add_launch(store, &stored);
		run->added++;
	}
	return result;
}

static void keep_row(const struct kb_import_request *request, struct kb_store *store, struct kb_import_run *run, size_t row)
{
	size_t added = run->added;

	kb_saved_check(request->command, store, keep_launches(store, run, row));
	if (run->added == added)
		return;

	json_t *json = kb_result_to_json(&run->results[row]);
	char *text = kb_json_text(json);

	if (!text)
		kb_no_memory(request->command);
	kb_saved_check(request->command, store, kb_store_put_result(store, run->id, run->keys[row], (unsigned)row, text));
	free(text);
	json_decref(json);
}

/* The kernel's name is what one looks for in a list of many runs. */
static const char *label_of(const struct kb_import_request *request, const struct kb_import_run *run)
{
	const char *kernel = json_string_value(json_object_get(json_object_get(run->env, "readings"), "kernel"));

	if (request->label)
		return request->label;
	return run->log->started[0] && kernel ? kernel : "";
}

static void keep_run(const struct kb_import_request *request, struct kb_store *store, struct kb_import_run *run)
{
	struct kb_stored_run stored = {
		.id = run->id, .started = run->started, .finished = "", .label = label_of(request, run),
		.command = request->command_line ? request->command_line : "", .env = run->env_text, .settings = run->settings,
		.env_class = kb_json_env_id(run->env),
	};
	char id[37];

	run->known = run->log->started[0] && kb_store_find_run(store, run->id, id) == 0;
	kb_saved_check(request->command, store, run->known ? kb_store_each_launch(store, run->id, count_stored, run) :
		       kb_store_add_run(store, &stored));
	for (size_t i = 0; i < run->count; i++)
		keep_row(request, store, run, i);
	kb_saved_check(request->command, store, kb_floor_keep(store, run->env, run->id, run->k));
	kb_saved_check(request->command, store, kb_store_finish_run(store, run->id, run->started));
}

void kb_import_keep(const struct kb_import_request *request, struct kb_import_run *runs, size_t count, char path[4096])
{
	struct kb_store *store = kb_saved_open(request->command, request->store, KB_STORE_WRITE);

	for (size_t i = 0; i < count; i++)
		keep_run(request, store, &runs[i]);
	snprintf(path, 4096, "%s", kb_store_path(store));
	kb_store_close(store);
}
