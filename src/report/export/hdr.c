/*
 * HdrHistogram's log: a line a result, of single operations only; means over n operations have no place in it. Values are
 * whole ns, or ticks of a clock without a known rate, which the tag says. Nothing is corrected for coordinated omission:
 * the load is a closed loop, so there are no arrivals that waited.
 */
#include "report/export/hdr.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "result/samples.h"

static bool is_single(const struct kb_result *result)
{
	return result->method == KB_METHOD_SINGLE;
}

static const char *refuses(const struct kb_exported *row)
{
	bool has = is_single(row->result) || (row->result->quantile[KB_P50].known && row->result->method != KB_METHOD_PAIRED);

	return kb_export_no_values(row) ?: (has ? NULL : "no single operations");
}

struct histogram { struct kb_hdr hdr; const struct kb_result *result; };

/* Undisturbed ones, as quantiles are made of. */
static int add_process(void *context, const struct kb_samples *samples, const struct kb_process_cost *cost)
{
	struct histogram *histogram = context;
	const struct kb_points *points = is_single(histogram->result) ? &samples->op : &samples->single;
	double scale = histogram->result->ticks_per_ns > 0 ? 1 / histogram->result->ticks_per_ns : 1;
	int error = 0;

	(void)cost;
	for (size_t i = 0; i < points->count && !error; i++) {
		if (points->flags[i] == 0)
			error = kb_hdr_add(&histogram->hdr, (uint64_t)llround(points->ticks[i] * scale));
	}
	return error;
}

static int print_row(FILE *out, const struct kb_export *all, const struct kb_exported *row)
{
	struct histogram histogram = { .result = row->result };
	char name[KB_EXPORT_NAME];
	double seconds = fmax(kb_export_time(all, "finished") - kb_export_time(all, "started"), 0);
	int error = kb_export_each_process(row, add_process, &histogram);
	char *text = error ? NULL : kb_hdr_text(&histogram.hdr);

	if (text) {
		/* Commas and blanks end a tag. The form has the largest value in millionths: ms where values are ns. */
		fprintf(out, "Tag=%s[%s],0.000,%.3f,%.6f,%s\n", kb_export_word(name, row->result, ","), kb_time_unit(row->result), seconds, (double)histogram.hdr.largest / 1e6, text);
	} else if (!error) {
		error = -ENOMEM;
	}
	free(text);
	kb_hdr_free(&histogram.hdr);
	return error;
}

static void begin(FILE *out, const struct kb_export *all)
{
	fprintf(out, "#[kbench run %s; the unit of values stands in each tag; clock readings included]\n"
		"#[Histogram log format version 1.3]\n#[StartTime: %.3f (seconds since epoch), %s]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n",
		kb_export_run_text(all, "id"), kb_export_time(all, "started"), kb_export_run_text(all, "started"));
}

const struct kb_export_format kb_export_hdr = {
	.name = "hdr", .records = true, .refuses = refuses, .begin = begin, .row = print_row,
};
