/* See google.h. What is not known of the machine is left out, not guessed: readers ask for `caches` only. */
#include "report/export/google.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "result/json/json.h"

/* An estimate with its interval, which rows have no place for; compare.py accepts foreign objects inside context. */
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

/* A fact that begins with a number, as a whole or as a real one. */
static void set_number(json_t *json, const char *key, const char *fact, bool whole)
{
	char *end;
	double value = strtod(fact, &end);

	if (end != fact && value > 0)
		json_object_set_new(json, key, whole ? kb_json_whole((uint64_t)value) : kb_json_real(value));
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
	json_object_set_new(context, "host_name", kb_json_string(kb_export_env_id(all)));
	json_object_set_new(context, "executable", json_string("kbench"));
	set_number(context, "num_cpus", kb_export_fact(all, "cpus", ""), true);
	set_number(context, "mhz_per_cpu", kb_export_fact(all, "mhz", ""), true);
	json_object_set_new(context, "caches", json_array());
	json_object_set_new(context, "load_avg", load);
	json_object_set_new(context, "json_schema_version", json_integer(1));
	json_object_set_new(context, "kbench", json_pack("{s:o, s:o}", "run", kb_json_string(kb_export_run_text(all, "id")),
							 "estimates", estimates));
	return context;
}

/* ---- rows ------------------------------------------------------------------------------------------- */

int kb_google_print(struct kb_google *google, json_t *json)
{
	char *text = kb_json_text(json);

	json_decref(json);
	if (!text)
		return -ENOMEM;
	fprintf(google->out, "%s\n%s", google->first ? "" : ",", text);
	google->first = false;
	free(text);
	return 0;
}

json_t *kb_google_row(const struct kb_google *google, const char *suffix, const char *type, size_t repetitions,
		      double operations)
{
	return json_pack("{s:s+, s:o, s:i, s:s, s:s, s:o, s:i, s:o}", "name", google->name, suffix, "family_index",
			 kb_json_whole(google->family), "per_family_instance_index", 0, "run_name", google->name, "run_type",
			 type, "repetitions", kb_json_whole(repetitions), "threads", 1, "iterations",
			 kb_json_whole((uint64_t)operations));
}

void kb_google_time(json_t *json, double ns)
{
	json_object_set_new(json, "real_time", kb_json_real(ns));
	json_object_set_new(json, "cpu_time", kb_json_real(ns));
	json_object_set_new(json, "time_unit", json_string("ns"));
}

void kb_google_counter(json_t *json, const char *name, double value, bool known)
{
	if (known)
		json_object_set_new(json, name, kb_json_real(value));
}

int kb_google_document(FILE *out, const struct kb_export *all, kb_google_writer *write)
{
	struct kb_google google = { .out = out, .first = true };
	int error;

	fputs("{\n\"context\":", out);
	error = kb_google_print(&google, context_of(all));
	fputs(",\n\"benchmarks\": [", out);
	google.first = true;
	for (size_t i = 0; i < all->count && !error; i++) {
		struct kb_export_blocks blocks;

		google.family = i;
		kb_export_name(google.name, all->rows[i].result, '/');
		error = kb_export_blocks(&all->rows[i], &blocks);
		if (!error)
			error = write(&google, all->rows[i].result, &blocks);
		free(blocks.at);
	}
	fputs("\n]\n}\n", out);
	return error;
}
