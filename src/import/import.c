/* See import.h: which kind it is, and series of its records. */
#include "import/import.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/reader.h"
#include "result/samples.h"

/* Records before tables: our own application prints both, and the record knows more. Any text may be CSV. */
const struct kb_import_kind *const kb_import_kinds[] = {
	&kb_import_record, &kb_import_kanata, &kb_import_hyperfine, &kb_import_google, &kb_import_criterion, &kb_import_perf,
	&kb_import_lmbench, &kb_import_sel4bench, &kb_import_sel4bench_results, &kb_import_csv, NULL,
};

const char *const kb_import_form_names[KB_IMPORT_FORMS] = {
	[KB_IMPORT_GROUPS] = "table of groups",
	[KB_IMPORT_POINTS] = "observations",
	[KB_IMPORT_LIST] = "list of values",
	[KB_IMPORT_LINES] = "points of lines",
	[KB_IMPORT_PRINTED] = "printed regressions",
	[KB_IMPORT_RECORDS] = "record",
};

static const struct kb_import_kind *kind_of(const struct kb_import_options *options, struct kb_span text)
{
	for (const struct kb_import_kind *const *kind = kb_import_kinds; *kind; kind++) {
		bool wanted = options->kind ? options->kind == *kind : (*kind)->records || !options->records;

		if (wanted && (options->kind || !(*kind)->recognise || (*kind)->recognise(text)))
			return *kind;
	}
	return NULL;
}

/* FNV-1a, 64 bits, with the length behind it: two files are not one that holds both. */
static uint64_t sum_of(uint64_t sum, const char *text, size_t length)
{
	sum = sum ? sum : 14695981039346656037u;
	for (size_t i = 0; i < length; i++)
		sum = (sum ^ (unsigned char)text[i]) * 1099511628211u;
	return (sum ^ length) * 1099511628211u;
}

int kb_import_text(struct kb_import *import, const struct kb_import_options *options, const char *name, char *text, size_t length,
		   char error[KB_IMPORT_ERROR])
{
	struct kb_span clean;
	struct kb_import_reader reader = { .import = import, .options = options, .name = name, .error = error };
	const struct kb_import_kind *kind;

	error[0] = '\0';
	import->sum = sum_of(import->sum, text, length);
	clean = (struct kb_span){ text, kb_import_clean(text, length) };
	/* The byte order mark that spreadsheets put before UTF-8. */
	if (kb_span_starts(clean, "\xef\xbb\xbf"))
		clean = (struct kb_span){ text + 3, clean.length - 3 };
	reader.text = reader.rest = clean;
	kind = kind_of(options, clean);
	if (!kind)
		return kb_import_refuse_at(&reader, 0, "no table, no record and no results of a tool that is known here in it");
	if (import->kind && import->kind != kind)
		return kb_import_refuse_at(&reader, 0, "is %s, and the files before it are %s", kind->name, import->kind->name);
	import->kind = kind;
	import->form = KB_IMPORT_RECORDS;
	import->unit = "ticks";
	return kind->read(&reader);
}

/* ---- series of records ------------------------------------------------------------------------------ */

int kb_import_groups(struct kb_import *import, const struct kb_points *op)
{
	struct kb_import_series *series = NULL;

	for (size_t i = 0; i < op->count; i++) {
		if (i == 0 || op->block[i] != op->block[i - 1])
			series = kb_import_add_series(import, op->n[i]);
		if (!series || kb_samples_append(&series->y, &series->count, op->ticks[i]))
			return -ENOMEM;
	}
	return 0;
}

static int add_points(struct kb_import *import, const struct kb_import_process *process, struct kb_points *op)
{
	struct kb_import_series *series = kb_import_add_series(import, 0);

	if (!series)
		return -ENOMEM;
	memcpy(series->label, process->row, sizeof series->label);
	series->x = op->n;
	series->y = op->ticks;
	series->block = op->block;
	series->count = op->count;
	/* They have a new owner. */
	op->n = op->ticks = NULL;
	op->block = NULL;
	return 0;
}

static int add_samples(struct kb_import *import, const struct kb_import_process *process)
{
	struct kb_process_text text = { .process = 1, .outcome = "", .record = process->record, .length = process->length };
	struct kb_samples samples;
	int result = kb_samples_load(&samples, &text);

	if (result == 0)
		result = import->form == KB_IMPORT_GROUPS ? kb_import_groups(import, &samples.op) : add_points(import, process, &samples.op);
	if (import->form == KB_IMPORT_RECORDS)
		import->unit = kb_tick_unit(samples.clock);
	kb_samples_free(&samples);
	return result;
}

int kb_import_samples(struct kb_import *import, const char *name, char error[KB_IMPORT_ERROR])
{
	struct kb_import_reader reader = { .name = name, .error = error };
	int result = 0;

	for (size_t r = 0; r < import->run_count; r++) {
		const struct kb_import_run *run = &import->runs[r];
		const struct kb_import_process *other;
		size_t first;

		for (size_t i = 0; i < run->count && result == 0; i++) {
			const struct kb_import_process *process = &run->processes[i];

			if (process->cut[0] && !process->sampled)
				return kb_import_refuse_at(&reader, process->cut_line, "%s", process->cut);
			result = add_samples(import, process);
		}
		other = kb_import_other_clock(run, &first);
		if (result == 0 && other)
			return kb_import_refuse_at(&reader, other->line, "the clock is %s, and that of record %zu of the same result %s",
						   other->clock, first + 1, run->processes[first].clock);
	}
	return result;
}

const struct kb_import_process *kb_import_other_clock(const struct kb_import_run *run, size_t *first)
{
	for (size_t i = 0; i < run->count; i++) {
		const struct kb_import_process *process = &run->processes[i], *before = run->processes;

		while (strcmp(before->row, process->row) != 0)
			before++;
		*first = (size_t)(before - run->processes);
		if (before->clock[0] && process->clock[0] && strcmp(before->clock, process->clock) != 0)
			return process;
	}
	return NULL;
}

void kb_import_free(struct kb_import *import)
{
	for (size_t i = 0; i < import->count; i++) {
		free(import->series[i].x);
		free(import->series[i].y);
		free(import->series[i].block);
	}
	free(import->series);
	for (size_t i = 0; i < import->run_count; i++) {
		for (size_t k = 0; k < import->runs[i].count; k++)
			free(import->runs[i].processes[k].record);
		free(import->runs[i].processes);
	}
	free(import->runs);
	*import = (struct kb_import){ .unit = "" };
}
