/* See export.h: the table of formats, and what they share. */
#define _GNU_SOURCE
#include "report/export/export.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "result/json/json.h"

const struct kb_export_format *const kb_export_formats[KB_EXPORT_FORMATS] = {
	&kb_export_google, &kb_export_google_rows, &kb_export_bencher, &kb_export_benchfmt, &kb_export_openmetrics,
	&kb_export_action, &kb_export_junit, &kb_export_csv, &kb_export_csv_wide, &kb_export_markdown,
	&kb_export_hdr, &kb_export_chrome, &kb_export_sel4bench, &kb_export_sel4bench_results,
	&kb_export_lmbench,
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
	struct kb_export some = *all;
	int error = -ENOMEM;

	some.rows = rows;
	some.count = 0;
	for (size_t i = 0; rows && i < all->count; i++) {
		if (!format->refuses || !format->refuses(&all->rows[i]))
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

const char *kb_export_no_cost(const struct kb_exported *row)
{
	return kb_export_no_number(row) ?: (strncmp(row->result->benchmark, "self.", 5) == 0 ? "a self-test, whose number is no cost" : NULL);
}

const char *kb_export_no_time(const struct kb_exported *row)
{
	return kb_export_no_number(row) ?: (row->result->ticks_per_ns > 0 ? NULL : "clock without a known rate");
}

const char *kb_export_no_values(const struct kb_exported *row)
{
	return kb_export_no_number(row)
		       ?: (row->text_count == 0 ? "no records" : row->result->observations == 0 ? "no samples, or none undisturbed" : NULL);
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

/* Blanks of Unicode, which split a line as well. */
static bool is_blank(uint32_t code)
{
	return code == ' ' || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f ||
	       code == 0x3000;
}

const char *kb_export_word(char text[KB_EXPORT_NAME], const struct kb_result *result, const char *also)
{
	struct kb_span rest = kb_span_of(kb_export_name(text, result, '/'));
	char *to = text;

	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);
		bool kept = c.visible && !is_blank(c.code) && (c.code >= 128 || !strchr(also, (int)c.code));

		for (unsigned i = 0; i < c.length && kept; i++)
			*to++ = rest.at[i];
		if (!kept)
			*to++ = '_';
		rest = (struct kb_span){ rest.at + c.length, rest.length - c.length };
	}
	*to = '\0';
	return text;
}

/* Some locales have a point of several bytes. */
static const char *with_point(char *text)
{
	const char *point = localeconv()->decimal_point;
	char *found = point[0] ? strstr(text, point) : NULL;

	if (found) {
		memmove(found + 1, found + strlen(point), strlen(found + strlen(point)) + 1);
		*found = '.';
	}
	return text;
}

const char *kb_export_number(char text[KB_EXPORT_NUMBER], double value)
{
	bool whole = value == floor(value) && fabs(value) <= (double)KB_JSON_WHOLE_MAX;

	snprintf(text, KB_EXPORT_NUMBER, whole ? "%.0f" : "%.12g", value);
	return with_point(text);
}

double kb_export_rounded(double value, int digits)
{
	char text[KB_EXPORT_NUMBER];

	snprintf(text, sizeof text, "%.*e", digits - 1, value);
	return strtod(text, NULL);
}

const struct kb_process_cost *kb_export_processes(const struct kb_result *result, struct kb_process_cost *whole, unsigned *count)
{
	*whole = (struct kb_process_cost){
		.process = 1, .cost = result->estimate.value, .used = result->observations,
		.cycles = result->estimate_cycles.known ? result->estimate_cycles.value : 0,
		.mhz = result->core_mhz.known ? result->core_mhz.value : 0,
	};
	*count = result->process_cost_count > 0 ? result->process_cost_count : 1;
	return result->process_cost_count > 0 ? result->process_costs : whole;
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
		error = kb_samples_load(&samples, &row->texts[i]) ?: done(context, &samples, cost);
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
	return kb_json_string_of(all->run, key);
}

double kb_export_time(const struct kb_export *all, const char *key)
{
	struct tm tm = { 0 };

	return strptime(kb_export_run_text(all, key), "%Y-%m-%dT%H:%M:%SZ", &tm) ? (double)timegm(&tm) : 0;
}
