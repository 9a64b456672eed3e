/*
 * See import.h. A run that names itself has an id that is made of that name, so that a file that was imported before adds only what is new
 * in it.
 */
#define _GNU_SOURCE
#include "workflow/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/crc32.h"
#include "result/json/json.h"
#include "workflow/floor.h"
#include "workflow/machine.h"
#include "workflow/workflow.h"

#define SUM "imported_sum"      /* in the settings of a run: what tells its files from others */
#define PRECISION 0.01  /* that results are judged by, as `kbench run` does by default */

/* ---- results ---------------------------------------------------------------------------------------- */

int kb_imported_summarise(struct kb_imported_run *run, const struct kb_import_run *from, const char *store)
{
	struct kb_records *records = &run->records;
	int result = 0;

	run->from = from;
	records->texts = calloc(from->count + 1, sizeof *records->texts);
	records->rows = calloc(from->count + 1, sizeof *records->rows);
	run->rows = calloc(from->count + 1, sizeof *run->rows);
	if (!records->texts || !records->rows || !run->rows)
		return -ENOMEM;
	for (; records->count < from->count; records->count++) {
		const struct kb_import_process *process = &from->processes[records->count];
		unsigned number = 1;

		for (size_t i = 0; i < records->count; i++)
			number += strcmp(records->rows[i], process->row) == 0;
		records->texts[records->count] = (struct kb_process_text){ number, "", process->record, process->length };
		records->rows[records->count] = (char *)(uintptr_t)process->row;
		if (number == 1)
			run->rows[run->count++] = process->row;
	}
	/* All records of a run are of one machine. */
	if (run->env) {
		kb_floor_of_records(run->env, records->texts, records->count, &run->floor, &run->k);
		kb_floor_of_model(run->env, store, &run->floor);
	}
	run->results = calloc(run->count + 1, sizeof *run->results);
	run->listed = calloc(run->count + 1, sizeof *run->listed);
	if (!run->results || !run->listed)
		return -ENOMEM;
	for (size_t i = 0; i < run->count && result == 0; i++) {
		run->listed[i] = &run->results[i];
		result = kb_records_summarise(records, run->rows[i], (struct kb_summary_rules){ .precision = PRECISION, .floor = &run->floor, .env = run->env },
					      &run->results[i]);
	}
	return result;
}

/* ---- the environment: what the records and the request say -------------------------------------------- */

/* Only what names the machine makes the ID: kernels and their configurations are what one wants to compare. */
static const char machine_facts[] =
	"arch,machine,board,cpu,cpu_vendor,cpu_family,cpu_model_number,cpu_stepping,microcode,qemu,accel,os";

/* Fields of `env` lines that belong to a process, not to where it ran. */
static const char process_facts[] = "bytes_per_op,checked,base,code,granule,first,copies,copy,log_index,log_room,log_circles,log_tests,"
	"log_calls,log_of,log_raw,name,util_tests,util_low,util_high,util_init,util_idle,util_kernel,util_total";

static int add_fact(struct kb_env *env, const char *key, const char *value, struct kb_failure *failure)
{
	if (kb_env_add(env, key, value[0] ? value : "unknown", kb_list_has(machine_facts, key)))
		return kb_refuse_memory(failure);
	return 0;
}

static int add_env_line(struct kb_env *env, struct kb_span rest, struct kb_failure *failure)
{
	int code = 0;

	for (struct kb_span word = kb_span_word(&rest), key, value; word.length > 0 && !code; word = kb_span_word(&rest)) {
		char name[64], text[256];
		const char *before;

		if (!kb_span_pair(word, &key, &value) || kb_span_unquote(value, text, sizeof text) < 0 || key.length >= sizeof name)
			continue;
		snprintf(name, sizeof name, "%.*s", (int)key.length, key.at);
		if (kb_list_has(process_facts, name) || strncmp(name, "reported_", 9) == 0)
			continue;
		/* Two processes of one run may differ in much, but not in the machine or the kernel. */
		before = kb_env_get(env, name);
		if (before && strcmp(before, text) != 0 && kb_list_has("kernel,config,machine", name))
			return kb_refuse(failure, KB_EXIT_USAGE, "processes of two runs: %s is %.64s in one and %.64s in another; import "
					 "them one by one", name, before, text);
		code = add_fact(env, name, text, failure);
	}
	return code;
}

static int fill_env(struct kb_env *env, const struct kb_import_run *run, const char *machine, struct kb_failure *failure)
{
	size_t first;
	const struct kb_import_process *other = kb_import_other_clock(run, &first);
	int code = 0;

	/* A board's cycles and an emulator's instructions would make one number of one unit. */
	if (other)
		return kb_refuse(failure, KB_EXIT_USAGE, "processes of two runs: %.80s has clock %s in one and %s in another; import them "
				 "one by one", other->row, run->processes[first].clock, other->clock);
	/* What other programs measured on seL4 has no record of ours to say so. */
	if (run->count > 0 && strncmp(run->processes[0].row, "sel4", 4) == 0)
		code = add_fact(env, "os", "seL4", failure);
	for (size_t i = 0; i < run->count && !code; i++) {
		struct kb_record_reader reader;
		struct kb_line line;

		kb_record_open(&reader, run->processes[i].record, run->processes[i].length);
		while (!code && kb_record_next(&reader, &line) != KB_LINE_NONE) {
			if (line.kind == KB_LINE_HEADER && kb_span_is(line.word, "env"))
				code = add_env_line(env, line.rest, failure);
		}
	}
	return code || !machine ? code : add_fact(env, "machine", machine, failure);
}

/* ---- the run ---------------------------------------------------------------------------------------- */

/* A UUID of version 7, as all runs have, with a sum over the name instead of random bits. */
static void name_run(const struct kb_import_run *from, const char *started, const char *name, const char *machine, char id[37])
{
	struct tm fields = { 0 };
	char text[1024];

	strptime(started, "%Y-%m-%dT%H:%M:%SZ", &fields);
	snprintf(text, sizeof text, "%s %s %s", name, machine ? machine : "", from->count > 0 ? from->processes[0].row : "");

	unsigned long long ms = (unsigned long long)timegm(&fields) * 1000;
	uint32_t a = kb_crc32(0, text, strlen(text)), b = kb_crc32(a, text, strlen(text) / 2);

	snprintf(id, 37, "%08x-%04x-7%03x-8%03x-%08x%04x", (unsigned)(ms >> 16), (unsigned)ms & 0xffff, a & 0xfff,
		 a >> 12 & 0xfff, b, a >> 16 & 0xffff);
}

/* The bytes of the files, and what the request adds to them. */
static void name_sum(const struct kb_import_request *request, const struct kb_import *import, char sum[KB_IMPORT_SUM])
{
	const char *const more[] = { request->machine, request->started, request->options.params, request->options.bench };
	uint32_t crc = 0;

	for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
		crc = kb_crc32(crc, more[i] ? more[i] : "", more[i] ? strlen(more[i]) + 1 : 1);
	snprintf(sum, KB_IMPORT_SUM, "%016llx-%08x", (unsigned long long)import->sum, crc);
}

static char *settings_text(const struct kb_import_request *request, const struct kb_import *import, const struct kb_imported_run *run)
{
	json_t *rows = json_array(), *files = json_array(), *json;
	unsigned processes = 0;

	for (size_t i = 0; i < run->count; i++) {
		json_array_append_new(rows, kb_json_string(run->rows[i]));
		processes = run->results[i].processes_planned > processes ? run->results[i].processes_planned : processes;
	}
	/* Names only: directories of the user are private. */
	for (size_t i = 0; i < request->file_count; i++)
		json_array_append_new(files, kb_json_string(basename(request->files[i])));
	json = json_pack("{s:s, s:o, s:o, s:o, s:s, s:o, s:o}", "tool", "kbench " KB_VERSION, "precision", kb_json_real(PRECISION),
			 "processes", kb_json_whole(processes), "floor", kb_floor_to_json(&run->floor), "imported", import->kind->name, "files",
			 files, "rows", rows);
	if (import->kind->tool)
		json_object_set_new(json, SUM, kb_json_string(run->sum));
	return kb_json_take_text(json);
}

/* The kernel's name is what one looks for in a list of many runs. */
static const char *label_of(const struct kb_import_request *request, const struct kb_imported_run *run)
{
	const char *kernel = json_string_value(json_object_get(json_object_get(run->env, "readings"), "kernel"));

	if (request->label)
		return request->label;
	return run->from->started[0] && kernel ? kernel : "";
}

static int make_run(const struct kb_import_request *request, struct kb_imported *imported, const struct kb_import_run *from,
		    struct kb_imported_run *run, struct kb_failure *failure)
{
	const char *machine = request->machine ? request->machine : from->machine[0] ? from->machine : NULL;
	const char *started = request->started ? request->started : from->started;
	struct kb_env env = { 0 };
	int code, error = 0;

	name_sum(request, &imported->import, run->sum);
	if (started[0]) {
		snprintf(run->started, sizeof run->started, "%s", started);
		name_run(from, started, imported->import.kind->tool ? run->sum : from->id, machine, run->id);
	} else {
		error = kb_run_id(run->id);
		kb_date_now(run->started);
	}
	if (error)
		return kb_refuse(failure, KB_EXIT_USAGE, "no random numbers for the run's id: %s", strerror(-error));
	code = fill_env(&env, from, machine, failure);
	run->env = kb_env_to_json(&env);
	kb_env_free(&env);
	if (code)
		return code;
	run->there = calloc(from->count + 1, sizeof *run->there);
	if (!run->env || !run->there || kb_imported_summarise(run, from, request->store))
		return kb_refuse_memory(failure);
	run->env_text = kb_json_text(run->env);
	run->settings = settings_text(request, &imported->import, run);
	if (!run->env_text || !run->settings)
		return kb_refuse_memory(failure);
	run->stored = (struct kb_stored_run){
		.id = run->id, .started = run->started, .finished = "", .label = label_of(request, run),
		.command = request->command ? request->command : "", .env = run->env_text, .settings = run->settings,
		.env_class = kb_json_env_id(run->env),
	};
	return 0;
}

/* ---- the store -------------------------------------------------------------------------------------- */

static int mark_stored(void *context, const struct kb_stored_process *process)
{
	struct kb_imported_run *run = context;

	for (size_t i = 0; i < run->from->count; i++)
		run->there[i] |= process->process == run->records.texts[i].process && strcmp(process->row, run->from->processes[i].row) == 0;
	return 0;
}

/* Processes that are new, and the result if there are any. */
static int keep_row(struct kb_store *store, struct kb_imported_run *run, size_t row)
{
	size_t before = run->added;
	int result = 0;

	for (size_t i = 0; i < run->from->count && result == 0; i++) {
		const struct kb_import_process *process = &run->from->processes[i];
		struct kb_stored_process stored = {
			.run_id = run->id, .row = process->row, .process = run->records.texts[i].process, .outcome = "", .record = process->record,
			.record_length = process->length,
		};

		if (run->there[i] || strcmp(process->row, run->rows[row]) != 0)
			continue;
		result = kb_store_add_process(store, &stored);
		run->added++;
	}
	if (result || run->added == before)
		return result;

	char *text = kb_json_take_text(kb_result_to_json(&run->results[row]));

	result = text ? kb_store_put_result(store, run->id, run->rows[row], (unsigned)row, text) : -ENOMEM;
	free(text);
	return result;
}

/* 1: it is the one, whose files have the same sum. */
static int match_sum(void *context, const struct kb_stored_run *stored)
{
	struct kb_imported_run *run = context;

	if (!strstr(stored->settings, SUM) || !strstr(stored->settings, run->sum))
		return 0;
	snprintf(run->id, sizeof run->id, "%s", stored->id);
	return 1;
}

static int keep_run(struct kb_store *store, struct kb_imported_run *run, bool tool)
{
	char id[37];
	int result = tool ? kb_store_each_run(store, match_sum, run) : 0;

	if (result < 0)
		return result;
	run->known = result > 0 || (!tool && run->from->started[0] && kb_store_find_run(store, run->id, id) == 0);
	if (run->known && tool)
		return 0;
	result = run->known ? kb_store_all_processes(store, run->id, mark_stored, run) : kb_store_add_run(store, &run->stored);
	for (size_t i = 0; i < run->count && result == 0; i++)
		result = keep_row(store, run, i);
	run->stored.finished = run->started;
	return result ?: kb_floor_keep(store, run->env, run->id, run->k) ?: kb_store_finish_run(store, run->id, run->started);
}

/* A run is there whole or not at all, also after Ctrl-C. */
static int keep_whole(struct kb_store *store, struct kb_imported_run *run, bool tool)
{
	int error = kb_store_begin(store);

	run->added = 0;
	return error ? error : kb_store_end(store, keep_run(store, run, tool));
}

static int keep(const struct kb_import_request *request, struct kb_imported *imported, struct kb_failure *failure)
{
	struct kb_store *store;
	int result = kb_store_open(&store, request->store, KB_STORE_WRITE);

	for (size_t i = 0; i < imported->count && result == 0; i++) {
		result = keep_whole(store, &imported->runs[i], imported->import.kind->tool);
		/* Another process imported the same at the same time: now it is known. */
		if (result == -EEXIST)
			result = keep_whole(store, &imported->runs[i], imported->import.kind->tool);
	}
	result = kb_refuse_store(failure, store, result);
	snprintf(imported->place, sizeof imported->place, "%s", kb_store_path(store));
	kb_store_close(store);
	return result;
}

/* ---- all of it -------------------------------------------------------------------------------------- */

/* A record says itself what it is. */
static int check_options(const struct kb_import_request *request, const struct kb_import *import, struct kb_failure *failure)
{
	const struct kb_import_options *options = &request->options;

	if (import->kind == &kb_import_record && (options->bench || options->clock || (options->params && options->params[0])))
		return kb_refuse_typed(failure, "--name, --clock and --param are for logs that do not say it: a record does");
	if (import->kind != &kb_import_kanata && import->kind != &kb_import_perf && options->bench)
		return kb_refuse_typed(failure, "--name is for Kanata tables and for what perf bench leaves unnamed: %s has names", import->kind->name);
	if (import->kind->tool && options->clock)
		return kb_refuse_typed(failure, "--clock is for logs that do not say it: times of %s are ns", import->kind->name);
	if (import->run_count == 0 || import->runs[0].count == 0)
		return kb_refuse(failure, KB_EXIT_USAGE, "%.200s: no measurement in it", request->files[0]);
	return 0;
}

bool kb_imported_names_machine(const struct kb_imported_run *run)
{
	return json_object_size(json_object_get(run->env, "facts")) > 0;
}

/* Files of one directory of criterion are one text. */
static bool is_read_already(const struct kb_import_request *request, size_t index)
{
	char directory[4096], before[4096];

	if (!kb_import_directory(request->files[index], directory))
		return false;
	for (size_t i = 0; i < index; i++) {
		if (kb_import_directory(request->files[i], before) && strcmp(directory, before) == 0)
			return true;
	}
	return false;
}

int kb_import_runs(const struct kb_import_request *request, struct kb_imported *imported, struct kb_failure *failure)
{
	struct kb_import_options options = request->options;
	struct kb_import *import = &imported->import;
	char error[KB_IMPORT_ERROR];

	*imported = (struct kb_imported){ .count = 0 };
	options.records = true;
	for (size_t i = 0; i < request->file_count; i++) {
		if (is_read_already(request, i))
			continue;
		int result = kb_import_file(import, &options, request->files[i], request->echo, error);

		if (result)
			return result == -ENOMEM ? kb_refuse_memory(failure) : kb_refuse(failure, KB_EXIT_USAGE, "%s", error);
	}
	if (check_options(request, import, failure))
		return failure->code;
	for (size_t i = 1; i < import->run_count && request->machine; i++) {
		if (strcmp(import->runs[i].machine, import->runs[0].machine) != 0)
			return kb_refuse(failure, KB_EXIT_USAGE, "--machine names one machine, and the files are of %s and %s: import them one by one",
					 import->runs[0].machine, import->runs[i].machine);
	}
	imported->runs = calloc(import->run_count, sizeof *imported->runs);
	if (!imported->runs)
		return kb_refuse_memory(failure);
	for (size_t i = 0; i < import->run_count; i++) {
		imported->count++;
		if (make_run(request, imported, &import->runs[i], &imported->runs[i], failure))
			return failure->code;
	}
	return keep(request, imported, failure);
}

void kb_imported_run_release(struct kb_imported_run *run)
{
	free(run->records.texts);
	free(run->records.rows);
	free(run->rows);
	free(run->results);
	free(run->listed);
	free(run->env_text);
	free(run->settings);
	free(run->there);
	json_decref(run->env);
}

void kb_imported_release(struct kb_imported *imported)
{
	for (size_t i = 0; i < imported->count; i++)
		kb_imported_run_release(&imported->runs[i]);
	free(imported->runs);
	kb_import_free(&imported->import);
}
