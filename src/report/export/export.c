/* See export.h: the table of formats, and what they share. */
#include "report/export/export.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/json/json.h"

const struct kb_export_format *const kb_export_formats[KB_EXPORT_FORMATS] = {
	&kb_export_google, &kb_export_google_rows, &kb_export_bencher, &kb_export_benchfmt, &kb_export_openmetrics,
	&kb_export_action, &kb_export_junit, &kb_export_csv, &kb_export_hdr, &kb_export_sel4bench,
	&kb_export_sel4bench_results,
};

static int write_rows(FILE *out, const struct kb_export_format *format, const struct kb_export *all)
{
	int error = 0;

	if (format->document) {
		json_t *document = format->document(all);

		error = document ? 0 : -ENOMEM;
		kb_json_print(out, document);
		json_decref(document);
	}
	if (format->begin)
		format->begin(out, all);
	for (size_t i = 0; format->row && i < all->count && !error; i++)
		error = format->row(out, all, &all->rows[i]);
	return !error && format->end ? format->end(out, all) : error;
}

int kb_export_write(FILE *out, const struct kb_export_format *format, const struct kb_export *all)
{
	struct kb_exported *rows = calloc(all->count + 1, sizeof *rows);
	struct kb_export some = { .run = all->run, .env = all->env, .rows = rows };
	int error = -ENOMEM;

	for (size_t i = 0; rows && i < all->count; i++) {
		if (!format->refuses(&all->rows[i]))
			rows[some.count++] = all->rows[i];
	}
	if (rows)
		error = some.count > 0 ? write_rows(out, format, &some) : -ENODATA;
	free(rows);
	return error;
}

const char *kb_export_no_number(const struct kb_exported *row)
{
	enum kb_status status = row->result->verdict.status;

	if (status == KB_INVALID || status == KB_SKIPPED)
		return kb_status_name(status);
	return row->result->estimate.known ? NULL : "no number";
}

const char *kb_export_no_time(const struct kb_exported *row)
{
	return kb_export_no_number(row) ?: (row->result->ticks_per_ns > 0 ? NULL : "clock without a known rate");
}

const char *kb_export_no_values(const struct kb_exported *row)
{
	return kb_export_no_number(row)
		       ?: (row->text_count == 0 ? "no records" : row->result->observations == 0 ? "no undisturbed sample" : NULL);
}

const char *kb_export_name(char text[KB_EXPORT_NAME], const struct kb_result *result, char separator)
{
	kb_row_name(text, result);
	for (char *at = text; *at; at++) {
		if (*at == ' ')
			*at = separator;
	}
	return text;
}

const char *kb_export_word(char text[KB_EXPORT_NAME], const struct kb_result *result, const char *also)
{
	kb_export_name(text, result, '/');
	for (char *at = text; *at; at++) {
		if (isspace((unsigned char)*at) || iscntrl((unsigned char)*at) || strchr(also, *at))
			*at = '_';
	}
	return text;
}

const char *kb_export_number(char text[KB_EXPORT_NUMBER], double value)
{
	const char *point = localeconv()->decimal_point;
	bool whole = value == floor(value) && fabs(value) <= (double)KB_JSON_WHOLE_MAX;
	char *found;

	snprintf(text, KB_EXPORT_NUMBER, whole ? "%.0f" : "%.12g", value);
	found = point[0] ? strstr(text, point) : NULL;
	/* Some locales have a point of several bytes. */
	if (found) {
		memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
		*found = '.';
	}
	return text;
}

int kb_export_each_process(const struct kb_exported *row, kb_export_process_done *done, void *context)
{
	int error = 0;

	for (size_t i = 0; i < row->text_count && !error; i++) {
		const struct kb_process_cost *cost = row->result->process_costs, *end = cost + row->result->process_cost_count;
		struct kb_samples samples;

		while (cost < end && cost->process != row->texts[i].process)
			cost++;
		/* It does not count, or it is the proof, which never does. */
		if (cost == end || row->texts[i].process == 0)
			continue;
		error = kb_samples_load(&samples, &row->texts[i]);
		if (!error)
			error = done(context, &samples, cost);
		kb_samples_free(&samples);
	}
	return error;
}

const char *kb_export_fact(const struct kb_export *all, const char *key, const char *otherwise)
{
	const json_t *value = json_object_get(json_object_get(all->env, "facts"), key);

	if (!value)
		value = json_object_get(json_object_get(all->env, "readings"), key);
	if (!value)
		value = json_object_get(all->env, key);
	return json_is_string(value) ? json_string_value(value) : otherwise;
}

const char *kb_export_env_id(const struct kb_export *all, const struct kb_result *result)
{
	return result->environment.id[0] ? result->environment.id : kb_json_env_id(all->env) ?: "unknown";
}

const char *kb_export_run_text(const struct kb_export *all, const char *key)
{
	return json_string_value(json_object_get(all->run, key)) ?: "";
}
