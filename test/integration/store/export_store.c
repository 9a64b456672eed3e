/*
 * export_store FILE: makes a store with fixed runs to export. `fixed` has a row of each sort: a slope on a clock with a
 * rate and on one without, single operations, one with awkward characters, one that crashed, one that was skipped.
 * `a21-1` and `a21-2` are two published runs (Table A.2.1 of the KBench document) as if cycles were ns and each test a process; `slower` is half
 * as slow again.
 * `hostile` has texts that are markup, formulas, quotes or no text at all somewhere.
 */
#include "store/store.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "result/json/json.h"
#include "result/summary/summary.h"
#include "run/run.h"
#include "study/published.h"

#define PROCESSES 3
#define BLOCKS 60

static struct kb_store *store;
static const char *run_id;
static unsigned row_count;

static void must(int error)
{
	if (error) {
		fprintf(stderr, "export_store: error %d: %s\n", error, store ? kb_store_error(store) : "");
		exit(1);
	}
}

struct text { char bytes[1 << 16]; size_t used; };

static int take(void *context, const char *bytes, size_t count)
{
	struct text *text = context;

	if (text->used + count > sizeof text->bytes)
		return -1;
	memcpy(text->bytes + text->used, bytes, count);
	text->used += count;
	return 0;
}

static void begin_run(const char *id, const char *label)
{
	run_id = id;
	row_count = 0;
	must(kb_store_add_run(store, &(struct kb_stored_run){
		.id = id, .started = "2026-05-04T10:00:00Z", .finished = "2026-05-04T10:00:42Z", .label = label,
		.command = "kbench run", .env_class = "0123456789abcdef",
		.env = "{\"id\": \"0123456789abcdef\", \"facts\": {\"cpu_model\": \"Example <&> CPU\", \"cpus\": \"2\", "
		       "\"arch\": \"x86_64\"}, \"readings\": {\"load1\": \"0.05\", \"mhz\": \"2596.130\"}}",
		.settings = "{\"tool\": \"kbench\", \"precision\": 0.01}",
	}));
	must(kb_store_finish_run(store, id, "2026-05-04T10:00:42Z"));
}

static void put_result(const char *row, const struct kb_result *result)
{
	json_t *json = kb_result_to_json(result);
	char *text = kb_json_text(json);

	must(!text || kb_store_put_result(store, run_id, row, row_count++, text));
	free(text);
	json_decref(json);
}

static void begin_record(struct kb_record_writer *out, struct text *text, const char *bench, const char *method,
			 const char *clock)
{
	text->used = 0;
	kb_record_begin(out, (struct kb_sink){ take, text });
	kb_record_line(out, "bench", bench);
	kb_record_line(out, "per", "call");
	kb_record_line(out, "bound", "kernel");
	kb_record_line(out, "method", method);
	kb_record_line(out, "clock", clock);
	kb_record_line(out, "env", "checked=1");
}

static void put_processes(const char *row, const struct text *texts, unsigned count)
{
	struct kb_process_text processes[PROCESSES];
	struct kb_result result;

	for (unsigned i = 0; i < count; i++) {
		processes[i] = (struct kb_process_text){ i + 1, "", texts[i].bytes, texts[i].used };
		must(kb_store_add_process(store, &(struct kb_stored_process){
			.run_id = run_id, .row = row, .process = i + 1, .outcome = "", .record = texts[i].bytes,
			.record_length = texts[i].used,
		}));
	}
	kb_summarise(processes, count, &(struct kb_summary_rules){ .planned = count, .precision = 0.01 }, &result);
	put_result(row, &result);
}

/* An operation costs 200 ticks with a little noise, the empty circle 20 of them, an interval 5000 more; the first interval
   of each process is wild. */
static void add_slope(const char *bench, const char *clock)
{
	static struct text texts[PROCESSES];

	for (unsigned process = 0; process < PROCESSES; process++) {
		struct kb_record_writer out;
		struct kb_rng rng;

		kb_rng_seed(&rng, process + 1);
		begin_record(&out, &texts[process], bench, "slope seed=1 process=1", clock);
		for (uint64_t i = 0; i < 4 * BLOCKS; i++) {
			uint64_t n = UINT64_C(100) << (i % 4);

			kb_record_obs(&out, &(struct kb_obs){
				.role = KB_ROLE_OP, .n = n, .ticks = i ? 5000 + n * 200 + kb_rng_next(&rng) % n : 9999999,
				.block = i / 4, .t = i * 1000000, .flags = i ? 0 : KB_FLAG_GAP,
			});
			kb_record_obs(&out, &(struct kb_obs){
				.role = KB_ROLE_BASE, .n = n, .ticks = 30 + n * 20, .block = i / 4, .t = i * 1000000 + 500000,
			});
		}
		must(kb_record_end(&out));
	}
	put_processes(bench, texts, PROCESSES);
}

/* 1000, 1100, 1200 ... ticks in a shuffled order; the last one has no neighbour for long. */
static void add_single(const char *bench)
{
	static struct text texts[PROCESSES];

	for (unsigned process = 0; process < PROCESSES; process++) {
		struct kb_record_writer out;

		begin_record(&out, &texts[process], bench, "single seed=1 process=1",
			     "ns hz=1000000000 quantum=1 cost=20 ordered=1 ladder=1");
		for (uint64_t i = 0; i < 200; i++)
			kb_record_obs(&out, &(struct kb_obs){
				.role = KB_ROLE_OP, .n = 1, .ticks = i == 150 ? 123456789 : 1000 + 100 * (i * 77 % 200),
				.block = i, .t = i * 100000,
			});
		must(kb_record_end(&out));
	}
	put_processes(bench, texts, PROCESSES);
}

/* Awkward for each form: quotes, commas, a backslash, a colon, an end that looks like a number of threads. */
static void add_awkward(void)
{
	struct kb_result result = {
		.benchmark = "odd.row-8", .params = "what=\"a,b\\c<&>\" size=-16", .per = "call", .method = KB_METHOD_SLOPE,
		.clock = "tsc", .ticks_per_ns = 1, .estimate = { 1e15, 9e14, 1.5e15, true, true }, .quiet = { 0.125, 0, 0, true, false },
		.processes = 1, .observations = 12345678901,
	};

	put_result("odd.row-8 what=\"a,b\\c<&>\" size=-16", &result);
}

static void add_failures(void)
{
	struct kb_result crashed = {
		.benchmark = "bad.crash", .per = "call", .method = KB_METHOD_SLOPE, .clock = "tsc", .ticks_per_ns = 1,
	};
	struct kb_result skipped = { .benchmark = "bad.need", .per = "call", .clock = "tsc", .ticks_per_ns = 1 };
	struct kb_result refuted = crashed;

	kb_verdict_add(&crashed.verdict, KB_CODE_crashed, "signal 11 <in> \"op\" & \001\033[1m");
	put_result("bad.crash", &crashed);
	kb_verdict_add(&skipped.verdict, KB_CODE_need_unmet, "needs a second CPU");
	put_result("bad.need", &skipped);
	/* Invalid in spite of a number: that number must not come out. */
	snprintf(refuted.benchmark, sizeof refuted.benchmark, "bad.claim");
	refuted.estimate = (struct kb_estimate){ 424242, 424241, 424243, true, true };
	refuted.quantile[KB_P50] = refuted.estimate;
	kb_verdict_add(&refuted.verdict, KB_CODE_expect_failed, "2 of 1");
	put_result("bad.claim", &refuted);
}

static void add_published(const struct kb_published_group *group, double scale)
{
	struct kb_result result = {
		.benchmark = "doc.table", .per = "call", .method = KB_METHOD_SLOPE, .clock = "tsc", .ticks_per_ns = 1,
		.processes = KB_PUBLISHED_TESTS, .process_cost_count = KB_PUBLISHED_TESTS, .observations = KB_PUBLISHED_TESTS,
		.clean_share = NAN,
	};

	for (unsigned i = 0; i < KB_PUBLISHED_TESTS; i++) {
		result.process_costs[i] = (struct kb_process_cost){
			.process = i + 1, .cost = scale * group->a[i] / group->n, .observed = NAN, .uncontended = NAN, .clean_share = NAN, .ratio = NAN,
			.used = 1,
		};
		result.estimate.value += result.process_costs[i].cost / KB_PUBLISHED_TESTS;
	}
	result.estimate.known = true;
	put_result("doc.table", &result);
}

/* Two results of one benchmark, so that tables print the parameters; and one that failed. Values of parameters have no blanks. */
static void add_hostile(const char *benchmark, const char *params, bool failed)
{
	struct kb_result result = {
		.per = "@<b>`|_x_", .method = KB_METHOD_SLOPE, .clock = "tsc", .ticks_per_ns = 1, .bytes_per_op = 64,
		.estimate = { 16, 15, 17, true, true }, .observed = { 16, 15, 17, true, true }, .processes = 2, .process_cost_count = 2,
		.observations = 20, .clean_share = NAN,
	};
	char row[KB_ROW_NAME];

	for (unsigned i = 0; i < 2; i++)
		result.process_costs[i] = (struct kb_process_cost){ .process = i + 1, .cost = 15.5 + i, .observed = NAN, .uncontended = NAN,
								    .clean_share = NAN, .ratio = NAN, .used = 10 };
	snprintf(result.benchmark, sizeof result.benchmark, "%s", benchmark);
	snprintf(result.params, sizeof result.params, "%s", params);
	kb_verdict_add(&result.verdict, failed ? KB_CODE_crashed : KB_CODE_multimodal, "=1 <in> \"op\" | `x` & \001\033[1m @me [a](b) 'q'");
	put_result(kb_row_name(row, &result), &result);
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return 2;
	must(kb_store_open(&store, argv[1], KB_STORE_WRITE));
	begin_run("01965e7a-0000-7000-8000-000000000001", "a21-1");
	add_published(&kb_published_groups[KB_PUBLISHED_GROUPS - 3], 1);
	begin_run("01965e7a-0000-7000-8000-000000000002", "a21-2");
	add_published(&kb_published_groups[KB_PUBLISHED_GROUPS - 2], 1);
	begin_run("01965e7a-0000-7000-8000-000000000012", "slower");
	add_published(&kb_published_groups[KB_PUBLISHED_GROUPS - 2], 1.5);
	begin_run("01965e7a-0000-7000-8000-000000000003", "bad");
	add_failures();
	begin_run("01965e7a-0000-7000-8000-000000000004", "fixed");
	add_slope("sys.call", "tsc hz=2000000000 quantum=2 cost=20 ordered=1 ladder=1");
	add_slope("bare.call", "rdcycle quantum=1 cost=20 ordered=1 ladder=1");
	add_single("disk.sync");
	add_awkward();
	add_failures();
	begin_run("01965e7a-0000-7000-8000-000000000005", "=HYPERLINK(\"x\") | <b>&`_a_`\xff\n@me");
	add_hostile("=cmd|'/C", "a=@SUM(1+1)*cmd|'calc'!A0 b=-2+3 cost=\"q\"uo,te unit=back\\slash|\\ q=`x`|y", false);
	add_hostile("=cmd|'/C", "a=<img/onerror=alert(1)> b=\t\033[1mnl\nnl cost='it unit=\xe2\x80\xae\xd1\x80\xd1\x83\xd1\x81\xc2\xa0\xc3\xa9 q=_*~#&amp;[x](http://x)", false);
	add_hostile("+x.<!--", "\xf0\x9f\x92\xa5=1 b-c=2 b_c=3", true);
	add_slope("-1.<b>|`y`", "tsc hz=2000000000 quantum=2 cost=20 ordered=1 ladder=1");
	add_single("@s.'\"|\\");
	kb_store_close(store);
	return 0;
}
