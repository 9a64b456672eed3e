/*
 * store_make STORE RUNS RESULTS [WRITER [NAME=N...]]: makes a store of so many runs with so many results each, an hour apart, of one machine: a tenth
 * as many benchmarks with ten parameters. Each result has the JSON of a real one; costs differ by a percent, and by two more in the newest half.
 * Runs of several writers, by a number, have different ids. A run that is there stays: a store that was not finished is completed.
 *   hours=N   they are so far apart
 *   bytes=N   each result has a record that is packed into about so many
 *   nodes=N   a writer has so many machines, all measured once a day: the machines of all writers are the day's fleet. The first one of the first
 *             writer is 5 % dearer in the newest.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/rng.h"
#include "result/json/json.h"
#include "run/run.h"

#define PROCESSES 6

static struct kb_store *store;
static unsigned writer, nodes, hours = 1;
static size_t record_bytes;
static struct kb_rng rng;

static void must(int error)
{
	if (error) {
		fprintf(stderr, "store_make: error %d: %s\n", error, kb_store_error(store));
		exit(1);
	}
}

/* Even in a small interval round 1. */
static double about_one(double width)
{
	return 1 + width * ((double)kb_rng_below(&rng, 1000001) / 1e6 - .5);
}

static char *json_of(unsigned benchmark, unsigned parameter)
{
	struct kb_result result = {
		.per = "call", .method = KB_METHOD_SLOPE, .clock = "tsc", .bound = KB_KERNEL, .ticks_per_ns = 1, .clean_share = .9, .processes = PROCESSES,
		.processes_planned = PROCESSES, .process_cost_count = PROCESSES, .observations = 6000, .n_min = 1, .n_max = 256, .n_eff = 5000,
		.headline = KB_HEADLINE_UNCONTENDED, .estimate = { 1, 1, 1, true, true }, .observed = { 100, 99, 101, true, true },
	};
	json_t *json;
	char *text;

	snprintf(result.benchmark, sizeof result.benchmark, "made.bench_%u", benchmark);
	snprintf(result.params, sizeof result.params, "size=%u", parameter);
	for (unsigned i = 0; i < PROCESSES; i++)
		result.process_costs[i] = (struct kb_process_cost){
			.process = i + 1, .cost = 100 * about_one(.004), .observed = 100, .uncontended = 100, .clean_share = .9, .used = 1000,
		};
	json = kb_result_to_json(&result);
	text = kb_json_text(json);
	json_decref(json);
	return text;
}

/* The same with another estimate. */
static const char *with_cost(const char *json, double cost)
{
	static char text[16384];
	static const char place[] = "\"estimate\":{\"value\":1.0,\"low\":1.0,\"high\":1.0";
	const char *at = strstr(json, place);

	must(!at);
	snprintf(text, sizeof text, "%.*s\"estimate\":{\"value\":%.12g,\"low\":%.12g,\"high\":%.12g%s", (int)(at - json), json, cost,
		 cost * .995, cost * 1.005, at + sizeof place - 1);
	return text;
}

static time_t begin_of(unsigned run)
{
	return 1700000000 + (nodes ? 86400 * (time_t)(run / nodes) + run % nodes : 3600 * (time_t)hours * (time_t)run);
}

/* A whole fleet is. */
static bool is_old(unsigned run, unsigned runs)
{
	return nodes ? run / nodes < runs / nodes / 2 : run < runs / 2;
}

static bool is_sick(unsigned run, unsigned runs)
{
	return nodes && writer == 1 && run % nodes == 0 && run + nodes >= runs;
}

/* As `kbench fleet run` has them. */
static void put_settings(unsigned run, char *settings, size_t room)
{
	int used = snprintf(settings, room, "{\"tool\":\"kbench 0.1.0+abc1234\",\"precision\":0.01,\"cpus\":[0,1]");

	if (nodes)
		used += snprintf(settings + used, room - (size_t)used, ",\"fleet\":{\"id\":\"day-%u\",\"node\":\"node-%u-%u\",\"rank\":%u,\"of\":%u,\"via\":\"ssh\"}",
				 run / nodes, writer, run % nodes, run % nodes, nodes);
	snprintf(settings + used, room - (size_t)used, "}");
}

/* Hexadecimal digits, which pack into half of their number. */
static void add_record(const char *id, const char *row)
{
	static const char digits[] = "0123456789abcdef";
	char *record = malloc(2 * record_bytes + 1);

	if (!record)
		exit(1);
	for (size_t i = 0; i < 2 * record_bytes; i++)
		record[i] = digits[kb_rng_next(&rng) >> 60];
	must(kb_store_add_process(store, &(struct kb_stored_process){ id, row, 1, "", record, 2 * record_bytes }));
	free(record);
}

static void add_run(unsigned run, unsigned runs, unsigned results, char **json)
{
	time_t started = begin_of(run);
	double factor = (is_old(run, runs) ? 1 : 1.02) * (is_sick(run, runs) ? 1.05 : 1);
	char id[37], time[24], label[32], row[64], settings[400];
	struct tm fields;
	int error;

	put_settings(run, settings, sizeof settings);

	strftime(time, sizeof time, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&started, &fields));
	snprintf(id, sizeof id, "%08x-%04x-7000-8%03x-%012x", (unsigned)(started >> 16), (unsigned)started & 0xffff, writer, run);
	snprintf(label, sizeof label, "run-%u", run);
	/* By itself, so that a server makes the partitions of its month. */
	error = kb_store_add_run(store, &(struct kb_stored_run){
		.id = id, .started = time, .finished = time, .label = label, .command = "kbench run", .env_class = "0123456789abcdef",
		.env = "{\"id\":\"0123456789abcdef\",\"facts\":{\"arch\":\"x86_64\"},\"readings\":{}}",
		.settings = settings,
	});
	if (error == -EEXIST)
		return;
	must(error);
	must(kb_store_begin(store));
	for (unsigned i = 0; i < results; i++) {
		snprintf(row, sizeof row, "made.bench_%u size=%u", i / 10, i % 10);
		if (record_bytes)
			add_record(id, row);
		must(kb_store_put_result(store, id, row, i, with_cost(json[i], (100 + i) * about_one(.01) * factor)));
	}
	must(kb_store_end(store, 0));
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	writer = argc > 4 ? (unsigned)strtoul(argv[4], NULL, 10) & 0xfff : 0;
	for (int i = 5; i < argc; i++) {
		if (sscanf(argv[i], "nodes=%u", &nodes) != 1 && sscanf(argv[i], "bytes=%zu", &record_bytes) != 1 && sscanf(argv[i], "hours=%u", &hours) != 1)
			return 2;
	}

	unsigned runs = (unsigned)strtoul(argv[2], NULL, 10), results = (unsigned)strtoul(argv[3], NULL, 10);

	char **json = calloc(results + 1, sizeof *json);

	kb_rng_seed(&rng, 1 + writer);
	for (unsigned i = 0; json && i < results; i++)
		json[i] = json_of(i / 10, i % 10);
	must(kb_store_open(&store, argv[1], KB_STORE_WRITE));
	for (unsigned run = 0; run < runs; run++)
		add_run(run, runs, results, json);
	kb_store_close(store);
	return 0;
}
