/*
 * page_store FILE: makes a store with two runs, before and after, of fifty results each: eight processes of 300 samples on a core that is contended
 * a third of the time. Labels and parameters are hostile to a page. A third run, broken, has text that is not UTF-8.
 */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/json/json.h"
#include "result/summary/summary.h"

#define RESULTS 50u
#define PROCESSES 8u
#define BLOCKS 100u
#define HOSTILE "</script><img src=x onerror=alert(1)>"
#define ENV "{\"id\": \"0123456789abcdef\", \"facts\": {\"cpu_model\": \"CPU <!--<script>\", \"arch\": \"x86_64\"}, \"readings\": {}}"
#define SETTINGS "{\"tool\": \"kbench 0.1+abc1234\", \"precision\": 0.01, \"processes\": 8, \"cpus\": [0, 1], \"floor\": {\"k\": 10, \"from\": \"shipped\"}}"

static struct kb_store *store;

static void must(int error)
{
	if (error)
		fprintf(stderr, "page_store: error %d: %s\n", error, store ? kb_store_error(store) : "");
	if (error)
		exit(1);
}

static int print(void *out, const char *bytes, size_t count)
{
	return fwrite(bytes, 1, count, out) == count ? 0 : -1;
}

/* The core is free, and the probe at its floor of 1000 ticks, for 20 samples of 30; an operation costs 100 ticks then and 150 else. */
static void write_samples(struct kb_record_writer *out, unsigned process)
{
	for (unsigned i = 0; i < 3 * BLOCKS; i++) {
		uint64_t n = UINT64_C(100) << i % 3, probe = i % 30 < 20 ? 1000 : 1500;
		struct kb_obs obs = {
			.role = KB_ROLE_OP, .n = n, .ticks = 40 + n * (probe / 10 + process) + i * 37 % 11, .block = i / 3, .t = 100000 * i, .around = { probe, probe },
			.flags = i == 77 ? KB_FLAG_IRQ : 0,
		};

		kb_record_obs(out, &obs);
		obs = (struct kb_obs){ .role = KB_ROLE_BASE, .n = n, .ticks = 40 + n, .block = i / 3, .t = obs.t + 50000, .around = obs.around };
		kb_record_obs(out, &obs);
		if (i % 3 < 2)
			kb_record_probe(out, &(struct kb_probe_line){ "clock", i % 3 ? 40000 : 2000, i % 3 ? 40000 : 2000, i / 3, .around = obs.around });
	}
}

static struct kb_process_text make_process(unsigned process, uint64_t started_ms)
{
	struct kb_process_text text = { .process = process, .outcome = "" };
	char *bytes, line[60];
	FILE *memory = open_memstream(&bytes, &text.length);
	struct kb_record_writer out;

	kb_record_begin(&out, (struct kb_sink){ print, memory });
	kb_record_line(&out, "bench", "sys.call");
	kb_record_line(&out, "per", "call");
	kb_record_line(&out, "bound", "kernel");
	kb_record_line(&out, "method", "slope seed=1 process=1 probe=100");
	kb_record_line(&out, "clock", "tsc hz=1000000000 quantum=1 cost=20 ordered=1 ladder=1");
	snprintf(line, sizeof line, "started_ms=%llu", (unsigned long long)(started_ms + 100 * process));
	kb_record_line(&out, "env", line);
	write_samples(&out, process);
	must(kb_record_end(&out));
	must(fclose(memory));
	text.record = bytes;
	return text;
}

static void put_run(const char *id, const char *label, const struct kb_process_text *texts, const struct kb_result *like)
{
	must(kb_store_add_run(store, &(struct kb_stored_run){
		.id = id, .started = "2026-05-04T10:00:00Z", .finished = "2026-05-04T10:00:42Z", .label = label, .command = "kbench run '" HOSTILE "'",
		.env_class = "0123456789abcdef", .env = ENV, .settings = SETTINGS,
	}));
	for (unsigned i = 0; i < RESULTS; i++) {
		struct kb_result result = *like;
		char row[KB_ROW_NAME];

		snprintf(result.params, sizeof result.params, "text=" HOSTILE " number=%u", i);
		kb_row_name(row, &result);
		for (unsigned k = 0; k < PROCESSES; k++)
			must(kb_store_add_process(store, &(struct kb_stored_process){
				id, row, texts[k].process, "", texts[k].record, texts[k].length,
			}));

		json_t *json = kb_result_to_json(&result);
		char *text = kb_json_text(json);

		must(kb_store_put_result(store, id, row, i, text));
		free(text);
		json_decref(json);
	}
}

int main(int argc, char **argv)
{
	struct kb_floor floor = { 10, KB_FLOOR_SHIPPED };
	struct kb_process_text texts[PROCESSES];
	struct kb_result result;

	if (argc != 2)
		return 2;
	for (unsigned i = 0; i < PROCESSES; i++)
		texts[i] = make_process(i + 1, 0x01965e7a0000);
	kb_summarise(texts, PROCESSES, &(struct kb_summary_rules){ .planned = PROCESSES, .precision = 0.01, .floor = &floor }, &result);
	must(kb_store_open(&store, argv[1], KB_STORE_WRITE));
	put_run("01965e7a-0000-7000-8000-000000000001", "before", texts, &result);
	result.estimate.value *= 1.1;
	for (unsigned i = 0; i < result.process_cost_count; i++)
		result.process_costs[i].cost *= 1.1;
	put_run("01965e7a-0000-7000-8000-000000000002", HOSTILE, texts, &result);
	put_run("01965e7a-0000-7000-8000-000000000003", "broken \xff\xfe \xe2\x80\xa8 \xe2\x80\xae", texts, &result);
	kb_store_close(store);
	return 0;
}
