/*
 * HdrHistogram's log: a line a row, of single operations only; means over n operations have no place in it. Values are
 * whole ns, or ticks of a clock without a known rate, which the tag says. Nothing is corrected for coordinated omission:
 * the load is a closed loop, so there are no arrivals that waited.
 */
#define _GNU_SOURCE
#include "report/export/hdr.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "report/export/export.h"
#include "result/samples.h"

static bool is_single(const struct kb_result *result)
{
	return result->method == KB_METHOD_SINGLE;
}

static const char *refuses(const struct kb_export_row *row)
{
	const char *why = kb_export_no_records(row, kb_export_no_number(row));

	bool has = is_single(row->result) || (row->result->quantile[KB_P50].known && row->result->method != KB_METHOD_PAIRED);

	return why ? why : has ? NULL : "no single operations";
}

/* Undisturbed ones, as quantiles are made of. */
static int add_points(struct kb_hdr *hdr, const struct kb_points *points, double scale)
{
	int error = 0;

	for (size_t i = 0; i < points->count && !error; i++) {
		if (points->flags[i] == 0)
			error = kb_hdr_add(hdr, (uint64_t)llround(points->ticks[i] * scale));
	}
	return error;
}

static int add_row(struct kb_hdr *hdr, const struct kb_export_row *row)
{
	double scale = row->result->ticks_per_ns > 0 ? 1 / row->result->ticks_per_ns : 1;
	int error = 0;

	for (size_t i = 0; i < row->text_count && !error; i++) {
		struct kb_samples samples;

		if (!kb_export_launch(row->result, row->texts[i].launch))
			continue;
		error = kb_samples_load(&samples, &row->texts[i]);
		if (!error)
			error = add_points(hdr, is_single(row->result) ? &samples.op : &samples.single, scale);
		kb_samples_free(&samples);
	}
	return error;
}

/* Seconds since 1970; 0 where the run has no such time. */
static double time_of(const struct kb_export *all, const char *key)
{
	struct tm tm = { 0 };

	return strptime(kb_export_run_text(all, key), "%Y-%m-%dT%H:%M:%SZ", &tm) ? (double)timegm(&tm) : 0;
}

/* Commas and blanks end a tag. */
static void print_tag(FILE *out, const struct kb_result *result)
{
	char name[KB_EXPORT_NAME];

	kb_export_name(name, result, '/');
	for (char *at = name; *at; at++) {
		if (*at == ',' || isspace((unsigned char)*at) || iscntrl((unsigned char)*at))
			*at = '_';
	}
	fprintf(out, "Tag=%s[%s]", name, kb_time_unit(result));
}

static int print_row(FILE *out, const struct kb_export_row *row, double seconds)
{
	struct kb_hdr hdr = { 0 };
	int error = add_row(&hdr, row);
	char *text = error ? NULL : kb_hdr_text(&hdr);

	if (text) {
		print_tag(out, row->result);
		/* The form has the largest value in millionths: ms where values are ns. */
		fprintf(out, ",0.000,%.3f,%.6f,%s\n", seconds, (double)hdr.largest / 1e6, text);
	} else if (!error) {
		error = -ENOMEM;
	}
	free(text);
	kb_hdr_free(&hdr);
	return error;
}

static int write(FILE *out, const struct kb_export *all)
{
	double started = time_of(all, "started"), finished = time_of(all, "finished");
	int error = 0;

	fprintf(out, "#[kbench run %s; the unit of values stands in each tag; clock readings included]\n"
		"#[Histogram log format version 1.3]\n#[StartTime: %.3f (seconds since epoch), %s]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		kb_export_run_text(all, "id"), started, kb_export_run_text(all, "started"));
	for (size_t i = 0; i < all->count && !error; i++)
		error = print_row(out, &all->rows[i], finished > started ? finished - started : 0);
	return error;
}

const struct kb_export_format kb_export_hdr = {
	.name = "hdr", .records = true, .refuses = refuses, .write = write,
};
