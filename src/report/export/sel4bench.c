/*
 * The forms of the seL4 project: the JSON that sel4bench prints, with its column names, and the line of its history. Values are
 * those of kb_export_values: single operations, or one a process. Its readers take every number for cycles, so the JSON has a column
 * that says what it is, and in the line the names of times end with _ns. `kbench import` reads back what stands here.
 */
#include "report/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/json/json.h"
#include "stats/stats.h"

struct summary { double min, max, mean, sd, variance, mode, median, q1, q3; size_t count; };

/* Sorts x. */
static struct summary summarise(double *x, size_t count)
{
	struct summary s = { .count = count, .mean = kb_mean(x, count), .variance = kb_variance(x, count) };
	size_t most = 0;

	kb_sort(x, count);
	s.sd = sqrt(s.variance);
	s.min = x[0];
	s.max = x[count - 1];
	/* The value that occurs most often, the smallest of several. */
	for (size_t i = 0, same = 0; i < count; i++) {
		same = i > 0 && x[i] <= x[i - 1] ? same + 1 : 1;
		if (same > most) {
			most = same;
			s.mode = x[i];
		}
	}
	s.q1 = kb_quantile_sorted(x, count, .25);
	s.median = kb_quantile_sorted(x, count, .5);
	s.q3 = kb_quantile_sorted(x, count, .75);
	return s;
}

/* Statistics of another program have no values; as they came they go. */
static const char *refuses(const struct kb_exported *row)
{
	const char *why = kb_export_no_cost(row) ?: (kb_export_by_sample(row->result) ? kb_export_no_values(row) : NULL);

	return why ?: (row->result->method == KB_METHOD_REPORTED ? "statistics without values" : NULL);
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

/* NULL without memory. */
static json_t *row_json(const struct kb_exported *row)
{
	const struct kb_result *result = row->result;
	json_t *object = kb_json_params(result->params), *raw = json_array(), *numbers;
	size_t count;
	double *values = kb_export_values(row, &count);
	struct summary s;

	for (size_t i = 0; i < count; i++)
		json_array_append_new(raw, kb_json_real(values[i]));
	s = values ? summarise(values, count) : (struct summary){ 0 };
	numbers = json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "Unit", kb_time_unit(result),
			    "Per", kb_json_string(result->per), "Values", kb_export_by_sample(result) ? "operation" : "process", "Min", kb_json_real(s.min), "Max", kb_json_real(s.max),
			    "Mean", kb_json_real(s.mean), "Stddev", kb_json_real(s.sd), "Variance", kb_json_real(s.variance),
			    "Mode", kb_json_real(s.mode), "Median", kb_json_real(s.median), "1st quantile", kb_json_real(s.q1),
			    "3rd quantile", kb_json_real(s.q3), "Samples", kb_json_whole(s.count), "Raw results", raw);
	json_object_update(object, numbers);
	json_decref(numbers);
	if (!values) {
		json_decref(object);
		object = NULL;
	}
	free(values);
	return object;
}

static int write_json(FILE *out, const struct kb_export *all)
{
	json_t *array = json_array();
	int error = 0;

	for (size_t i = 0; i < all->count && !error; i++) {
		const char *name = all->rows[i].result->benchmark;
		json_t *row = row_json(&all->rows[i]), *bench = NULL;
		size_t k;

		json_array_foreach(array, k, bench) {
			if (strcmp(json_string_value(json_object_get(bench, "Benchmark")), name) == 0)
				break;
		}
		if (k == json_array_size(array)) {
			bench = json_pack("{s:o, s:[]}", "Benchmark", kb_json_string(name), "Results");
			json_array_append_new(array, bench);
		}
		if (!row || json_array_append_new(json_object_get(bench, "Results"), row))
			error = -ENOMEM;
	}
	fputs("JSON OUTPUT\n", out);
	if (!error && kb_json_write(out, array, JSON_INDENT(4)))
		error = ferror(out) ? 0 : -ENOMEM;
	fputs("END JSON OUTPUT\n", out);
	json_decref(array);
	return error;
}

const struct kb_export_format kb_export_sel4bench = {
	.name = "sel4bench", .records = true, .refuses = refuses, .end = write_json,
};

/* ---- the line -------------------------------------------------------------------------------------- */

/* Of this and the next results that were measured where it was, as a line names one kernel. */
static int write_line(FILE *out, const struct kb_export *all, size_t *at)
{
	const struct kb_result *of = all->rows[*at].result;
	const char *kernel = of->environment.id[0] ? of->environment.kernel : kb_export_fact(all, "kernel", "");
	json_t *line = json_pack("{s:s, s:o, s:o, s:s, s:o}", "ts", kb_export_run_text(all, "started"),
				 "sha", kb_json_string(kb_export_fact(all, "manifest", kernel)),
				 "sha_kernel", kb_json_string(kernel), "sha_bench", "kbench " KB_VERSION,
				 "run_id", kb_json_string(kb_export_run_text(all, "id")));
	int error = line ? 0 : -ENOMEM;

	for (; *at < all->count && !strcmp(all->rows[*at].result->environment.id, of->environment.id) && !error; ++*at) {
		const struct kb_result *result = all->rows[*at].result;
		char name[KB_EXPORT_NAME];
		size_t count;
		double *values = kb_export_values(&all->rows[*at], &count);

		if (!values) {
			error = -ENOMEM;
			break;
		}

		struct summary s = summarise(values, count);

		kb_export_name(name, result, '_');
		if (result->ticks_per_ns > 0)
			snprintf(name + strlen(name), sizeof name - strlen(name), "_ns");
		json_object_set_new(line, name,
				    json_pack("[o, o, o, o, o, o, o, o]", kb_json_real(s.min), kb_json_real(s.q1),
					      kb_json_real(s.median), kb_json_real(s.mean), kb_json_real(s.q3),
					      kb_json_real(s.max), kb_json_real(s.sd), kb_json_whole(s.count)));
		free(values);
	}
	if (!error && kb_json_write(out, line, JSON_COMPACT))
		error = ferror(out) ? 0 : -ENOMEM;
	fputc('\n', out);
	json_decref(line);
	return error;
}

static int write_lines(FILE *out, const struct kb_export *all)
{
	int error = 0;

	for (size_t i = 0; i < all->count && !error;)
		error = write_line(out, all, &i);
	return error;
}

const struct kb_export_format kb_export_sel4bench_results = {
	.name = "sel4bench-results", .records = true, .refuses = refuses, .end = write_lines,
};
