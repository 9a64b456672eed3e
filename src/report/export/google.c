/*
 * Google Benchmark's JSON, in two forms. In full it has an entry of type iteration for each process and aggregates of them, as its
 * compare.py wants them: its U test takes entries for independent, which processes are. The other has one entry a benchmark and no
 * aggregates, for readers that take every entry for a benchmark of its own: the time is our estimate, and most of them skip its
 * counters. Both hold times only, so cycles stand as a counter and results in ticks are refused. The CPU's time is not measured apart;
 * readers want the key, so it repeats the other. What is not known of the machine is left out, not guessed: readers ask for `caches` only.
 */
#include "report/export/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "result/json/json.h"
#include "stats/stats.h"

/* A document being written, an entry a line. */
struct google {
	FILE *out;
	bool first;                     /* no comma before the next entry */
	size_t family;
	char name[KB_EXPORT_NAME];      /* of the benchmark at hand */
};

typedef int row_writer(struct google *, const struct kb_result *);

/* An estimate with its interval, which entries have no place for; compare.py accepts foreign objects inside context. */
static json_t *estimate(const struct kb_result *result)
{
	const struct kb_estimate *headline = &result->estimate;
	char name[KB_EXPORT_NAME];

	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:s, s:o}", "name", kb_json_string(kb_export_name(name, result, '/')),
			 "verdict", kb_status_name(result->verdict.status), "headline", kb_headline_name(result->headline), "value", kb_json_real(headline->value), "low",
			 kb_json_real(headline->bounded ? headline->low : NAN), "high",
			 kb_json_real(headline->bounded ? headline->high : NAN), "unit", "ns", "per",
			 kb_json_string(result->per));
}

static void set_whole(json_t *json, const char *key, double value)
{
	if (value >= 1)
		json_object_set_new(json, key, kb_json_whole((uint64_t)llround(value)));
}

/* The core's clock while it measured, in the middle of the results; else what the system reported. */
static double core_mhz(const struct kb_export *all)
{
	double *x = malloc((all->count + 1) * sizeof *x), mhz = strtod(kb_export_fact(all, "mhz", ""), NULL);
	size_t count = 0;

	for (size_t i = 0; x && i < all->count; i++) {
		if (all->rows[i].result->core_mhz.known)
			x[count++] = all->rows[i].result->core_mhz.value;
	}
	if (count > 0) {
		kb_sort(x, count);
		mhz = kb_quantile_sorted(x, count, 0.5);
	}
	free(x);
	return mhz;
}

static json_t *context_of(const struct kb_export *all)
{
	json_t *context = json_object(), *estimates = json_array(), *load = json_array();
	const char *load1 = kb_export_fact(all, "load1", "");

	for (size_t i = 0; i < all->count; i++)
		json_array_append_new(estimates, estimate(all->rows[i].result));
	if (load1[0])
		json_array_append_new(load, kb_json_real(strtod(load1, NULL)));
	json_object_set_new(context, "date", kb_json_string(kb_export_run_text(all, "started")));
	json_object_set_new(context, "host_name", kb_json_string(kb_export_env_id(all, all->rows[0].result)));
	json_object_set_new(context, "executable", json_string("kbench"));
	set_whole(context, "num_cpus", strtod(kb_export_fact(all, "cpus", ""), NULL));
	set_whole(context, "mhz_per_cpu", core_mhz(all));
	json_object_set_new(context, "caches", json_array());
	json_object_set_new(context, "load_avg", load);
	json_object_set_new(context, "json_schema_version", json_integer(1));
	json_object_set_new(context, "kbench", json_pack("{s:o, s:o}", "run", kb_json_string(kb_export_run_text(all, "id")),
							 "estimates", estimates));
	return context;
}

/* ---- entries ---------------------------------------------------------------------------------------- */

/* Takes over the reference. 0 or -ENOMEM. */
static int print(struct google *google, json_t *json)
{
	char *text = kb_json_take_text(json);

	if (!text)
		return -ENOMEM;
	fprintf(google->out, "%s\n%s", google->first ? "" : ",", text);
	google->first = false;
	free(text);
	return 0;
}

/* As entries of both types begin. */
static json_t *entry(const struct google *google, const char *suffix, const char *type, size_t repetitions, uint64_t iterations)
{
	return json_pack("{s:s+, s:o, s:i, s:s, s:s, s:o, s:i, s:o}", "name", google->name, suffix, "family_index",
			 kb_json_whole(google->family), "per_family_instance_index", 0, "run_name", google->name, "run_type",
			 type, "repetitions", kb_json_whole(repetitions), "threads", 1, "iterations", kb_json_whole(iterations));
}

static void set_time(json_t *json, double ns)
{
	json_object_set_new(json, "real_time", kb_json_real(ns));
	json_object_set_new(json, "cpu_time", kb_json_real(ns));
	json_object_set_new(json, "time_unit", json_string("ns"));
}

static void set_counter(json_t *json, const char *name, double value, bool known)
{
	if (known)
		json_object_set_new(json, name, kb_json_real(value));
}

static int print_aggregate(struct google *google, size_t count, const char *name, double value)
{
	char suffix[16];
	bool ratio = name[0] == 'c';
	json_t *json;

	snprintf(suffix, sizeof suffix, "_%s", name);
	json = entry(google, suffix, "aggregate", count, count);
	json_object_set_new(json, "aggregate_name", json_string(name));
	json_object_set_new(json, "aggregate_unit", json_string(ratio ? "percentage" : "time"));
	set_time(json, value);
	return print(google, json);
}

/* Of the entries above, as that library makes them; our own estimate stands in context. Sorts x. */
static int print_aggregates(struct google *google, double *x, size_t count)
{
	double mean = kb_mean(x, count), deviation = sqrt(kb_variance(x, count));

	kb_sort(x, count);
	return print_aggregate(google, count, "mean", mean)
		       ?: print_aggregate(google, count, "median", kb_quantile_sorted(x, count, 0.5))
		       ?: print_aggregate(google, count, "stddev", deviation)
		       ?: (mean > 0 ? print_aggregate(google, count, "cv", deviation / mean) : 0);
}

static int print_processes(struct google *google, const struct kb_result *result)
{
	struct kb_process_cost whole;
	double x[KB_PROCESS_COSTS_MAX];
	unsigned count;
	const struct kb_process_cost *process = kb_export_processes(result, &whole, &count);
	int error = 0;

	for (unsigned i = 0; i < count && !error; i++, process++) {
		json_t *json = entry(google, "", "iteration", count, process->used);

		x[i] = process->cost;
		json_object_set_new(json, "repetition_index", kb_json_whole(i));
		set_time(json, process->cost);
		set_counter(json, "bytes_per_second", 1e9 * (double)result->bytes_per_op / process->cost, result->bytes_per_op > 0 && process->cost > 0);
		set_counter(json, "process", process->process, true);
		set_counter(json, "cycles", process->cycles, process->cycles > 0);
		set_counter(json, "core_mhz", process->mhz, process->mhz > 0);
		error = print(google, json);
	}
	return error || count < 2 ? error : print_aggregates(google, x, count);
}

static int print_estimate(struct google *google, const struct kb_result *result)
{
	struct kb_estimate rate = kb_rate_of(&result->estimate, 1e9 * (double)result->bytes_per_op);
	json_t *json = entry(google, "", "iteration", 1, result->observations);

	json_object_set_new(json, "repetition_index", json_integer(0));
	set_time(json, result->estimate.value);
	set_counter(json, "bytes_per_second", rate.value, result->bytes_per_op > 0 && rate.known);
	set_counter(json, "low", result->estimate.low, result->estimate.bounded);
	set_counter(json, "high", result->estimate.high, result->estimate.bounded);
	set_counter(json, "observed", result->observed.value, result->observed.known);
	set_counter(json, "quiet", result->quiet.value, result->quiet.known);
	set_counter(json, "cycles", result->estimate_cycles.value, result->estimate_cycles.known);
	set_counter(json, "core_mhz", result->core_mhz.value, result->core_mhz.known);
	return print(google, json);
}

/* ---- documents -------------------------------------------------------------------------------------- */

static int write(FILE *out, const struct kb_export *all, row_writer *writer)
{
	struct google google = { .out = out, .first = true };
	int error;

	fputs("{\n\"context\":", out);
	error = print(&google, context_of(all));
	fputs(",\n\"benchmarks\": [", out);
	google.first = true;
	for (size_t i = 0; i < all->count && !error; i++) {
		google.family = i;
		kb_export_name(google.name, all->rows[i].result, '/');
		error = writer(&google, all->rows[i].result);
	}
	fputs("\n]\n}\n", out);
	return error;
}

static int write_full(FILE *out, const struct kb_export *all)
{
	return write(out, all, print_processes);
}

static int write_rows(FILE *out, const struct kb_export *all)
{
	return write(out, all, print_estimate);
}

static const char *refuses(const struct kb_exported *row)
{
	return kb_export_no_cost(row) ?: kb_export_no_time(row);
}

const struct kb_export_format kb_export_google = {
	.name = "google-benchmark", .refuses = refuses, .end = write_full,
};

const struct kb_export_format kb_export_google_rows = {
	.name = "google-benchmark-rows", .refuses = refuses, .end = write_rows,
};
