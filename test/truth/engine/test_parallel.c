/*
 * T-PARALLEL: records of copies whose costs and offsets are known. The overlap, the cost of each copy and what all do
 * together come back; copies that took turns have no sum; a copy that is missing spoils the process.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "result/json/json.h"
#include "result/summary/parallel.h"
#include "result/summary/summary.h"
#include "run/process/parallel.h"
#include "run/variants.h"

#define PROCESSES 4u
#define BLOCKS 40u
#define COPIES 2u
#define START 1000000000.0      /* ticks of the first line */
#define SPACE 400000.0          /* from line to line: longer than any interval */
#define FIXED 300.0

/* One tick is one ns. Copy i costs cost[i] and starts late[i] ticks behind each line. */
struct model {
	double cost[COPIES], late[COPIES];
	double noise;                   /* relative, of an interval */
	unsigned disturbed;             /* every so many intervals of copy 0 carry a flag and last ten times as long; 0: none */
	unsigned missing;               /* process that lacks copy 1; 0: none */
	double odd;                     /* costs of processes 1, 3 ... are so many times the others'; 0: they are the same */
};

static struct { char text[1 << 20]; size_t length; } made;

static int sink(void *context, const char *bytes, size_t count)
{
	(void)context;
	assert_true(made.length + count < sizeof made.text);
	memcpy(made.text + made.length, bytes, count);
	made.length += count;
	return 0;
}

static double uniform(struct kb_rng *rng)
{
	return (double)(kb_rng_next(rng) >> 11) * 0x1p-53;
}

static void line(struct kb_record_writer *out, const char *word, const char *rest)
{
	kb_record_line(out, word, rest);
}

static void header(struct kb_record_writer *out, unsigned process, unsigned copy)
{
	char text[80];

	line(out, "bench", "test.copies");
	line(out, "per", "call");
	snprintf(text, sizeof text, "slope seed=7 process=%u", process);
	line(out, "method", text);
	line(out, "param", "size=64K");
	line(out, "param", "copies=2");
	line(out, "clock", "ns hz=1000000000 quantum=1 cost=20 ordered=1 ladder=1");
	line(out, "env", "cpu=0 checked=1");
	snprintf(text, sizeof text, "copies=%u copy=%u", COPIES, copy);
	line(out, "env", text);
	line(out, "bound", "kernel");
}

static void record(const struct model *model, struct kb_rng *rng, unsigned process, unsigned copy)
{
	static struct kb_record_writer out;
	double layout = (1 + 0.002 * uniform(rng)) * (model->odd > 0 && process % 2 ? model->odd : 1), zero = START + model->late[copy];
	unsigned interval = 0;
	char text[64];

	kb_record_begin(&out, (struct kb_sink){ sink, NULL });
	header(&out, process, copy);
	for (unsigned block = 0; block < BLOCKS; block++) {
		for (uint64_t n = 300; n <= 2400; n *= 2, interval++) {
			bool disturbed = model->disturbed && copy == 0 && interval % model->disturbed == 0;
			double ticks = FIXED + (double)n * model->cost[copy] * layout * (1 + model->noise * (uniform(rng) - 0.5));

			kb_record_obs(&out, &(struct kb_obs){
				.role = KB_ROLE_OP, .n = n, .ticks = (uint64_t)(disturbed ? 10 * ticks : ticks), .t = (uint64_t)(interval * SPACE),
				.block = block, .cpu = copy, .flags = disturbed ? KB_FLAG_GAP : 0,
			});
		}
		snprintf(text, sizeof text, "%u steal=0 irq=0", block);
		line(&out, "k", text);
	}
	snprintf(text, sizeof text, "first=%llu", (unsigned long long)zero);
	line(&out, "env", text);
	assert_int_equal(kb_record_end(&out), 0);
}

static void summarise(const struct model *model, struct kb_result *result)
{
	struct kb_process_text processes[PROCESSES];
	size_t from[PROCESSES];
	struct kb_rng rng;

	kb_rng_seed(&rng, 11);
	made.length = 0;
	for (unsigned i = 0; i < PROCESSES; i++) {
		from[i] = made.length;
		for (unsigned copy = 0; copy < COPIES; copy++) {
			if (copy == 0 || model->missing != i + 1)
				record(model, &rng, i + 1, copy);
		}
	}
	for (unsigned i = 0; i < PROCESSES; i++)
		processes[i] = (struct kb_process_text){ i + 1, "", made.text + from[i],
		                                       (i + 1 < PROCESSES ? from[i + 1] : made.length) - from[i] };
	kb_summarise(processes, PROCESSES, &(struct kb_summary_rules){ .planned = PROCESSES, .precision = 0.05 }, result);
}

static const struct model even = { .cost = { 100, 100 }, .noise = 0.01 };

static void costs_and_sum_come_back(void **state)
{
	static struct kb_result result;
	struct model model = { .cost = { 100, 104 }, .noise = 0.01 };

	(void)state;
	summarise(&model, &result);
	assert_string_equal(result.benchmark, "test.copies");
	assert_string_equal(result.params, "size=64K copies=2");
	assert_int_equal(result.parallel.copies, 2);
	assert_int_equal(result.processes, PROCESSES);
	assert_true(fabs(result.parallel.copy[0].value / 100.1 - 1) < 0.003);
	assert_true(fabs(result.parallel.copy[1].value / 104.1 - 1) < 0.003);
	assert_true(fabs(result.estimate.value / 102.1 - 1) < 0.003);
	assert_true(result.estimate.bounded && result.estimate.low < 102.1 && result.estimate.high > 102.1);
	assert_true(result.parallel.aggregate.bounded);
	assert_true(fabs(result.parallel.aggregate.value / (1e9 / 100.1 + 1e9 / 104.1) - 1) < 0.003);
	/* The shorter intervals lie wholly in the longer ones: (1 + 100/104) / 2, but for the fixed cost. */
	assert_true(fabs(result.parallel.overlap - 0.98) < 0.005);
	assert_false(kb_verdict_has(&result.verdict, KB_CODE_partial_overlap));
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_contention_asked)); /* by whoever asks for copies */
	assert_int_equal(result.headline, KB_HEADLINE_OBSERVED);
}

/* Half of the processes take three times as long. The total work over the total time is 2 / 200 ns; the mean of the processes' rates, 2 / 100
   and 2 / 300 ns, would be a third more. */
static void rates_of_processes_are_work_over_time(void **state)
{
	static struct kb_result result;
	struct model model = { .cost = { 100, 100 }, .noise = 0.01, .odd = 3 };

	(void)state;
	summarise(&model, &result);
	assert_int_equal(result.processes, PROCESSES);
	assert_true(result.parallel.aggregate.known);
	if (fabs(result.parallel.aggregate.value / (2e9 / 200.2) - 1) > 0.003)
		fail_msg("%g operations per second", result.parallel.aggregate.value);
}

/* Late by d in an interval of length T: 1 - d/T of it is shared; over the grid the mean of that. */
static void overlap_is_that_of_the_offset(void **state)
{
	static struct kb_result result;
	static const double late[] = { 0, 1000, 3000, 6000, 1e6 };

	(void)state;
	for (size_t i = 0; i < sizeof late / sizeof late[0]; i++) {
		struct model model = even;
		double expected = 0;

		model.noise = 0;
		model.late[1] = late[i];
		for (double n = 300; n <= 2400; n *= 2)
			expected += fmax(1 - late[i] / (FIXED + n * 100.1), 0) / 4;
		summarise(&model, &result);
		assert_true(fabs(result.parallel.overlap - expected) < 0.002);
		assert_int_equal(kb_verdict_has(&result.verdict, KB_CODE_partial_overlap), expected < 0.95);
		assert_int_equal(result.parallel.aggregate.known, expected >= 0.5);
	}
}

/* A neighbour that lasts too long is there all the time; only its own interval does not count. */
static void disturbed_intervals_do_not_count(void **state)
{
	static struct kb_result result;
	struct model model = even;

	(void)state;
	model.noise = 0;
	model.disturbed = 7;
	summarise(&model, &result);
	assert_true(result.parallel.overlap > 0.99);
}

static void a_missing_copy_spoils_the_process(void **state)
{
	static struct kb_result result;
	struct model model = even;

	(void)state;
	model.missing = 2;
	summarise(&model, &result);
	assert_int_equal(result.processes, PROCESSES - 1);
	assert_int_equal(result.verdict.status, KB_INVALID);
	assert_true(kb_verdict_has(&result.verdict, KB_CODE_record_truncated));
	for (unsigned i = 0; i < result.process_cost_count; i++)
		assert_int_not_equal(result.process_costs[i].process, 2);
}

static void json_keeps_it(void **state)
{
	static struct kb_result result, back;
	struct model model = even;

	(void)state;
	summarise(&model, &result);
	json_t *json = kb_result_to_json(&result);

	assert_int_equal(kb_result_from_json(&back, json), 0);
	json_decref(json);
	assert_int_equal(back.parallel.copies, 2);
	assert_true(fabs(back.parallel.overlap - result.parallel.overlap) < 1e-9);
	assert_true(fabs(back.parallel.aggregate.high / result.parallel.aggregate.high - 1) < 1e-9);
	assert_true(fabs(back.parallel.copy[1].low / result.parallel.copy[1].low - 1) < 1e-9);
}

/* ---- variants ------------------------------------------------------------------------------------ */

static void fill(struct kb_result *result, const char *params, double cost)
{
	*result = (struct kb_result){ .ticks_per_ns = 1, .bound = KB_KERNEL, .process_cost_count = 5 };
	snprintf(result->benchmark, sizeof result->benchmark, "test.copies");
	snprintf(result->params, sizeof result->params, "%s", params);
	/* A drift of the machine that is ten times the difference: in turn it cancels. */
	for (unsigned i = 0; i < 5; i++)
		result->process_costs[i] = (struct kb_process_cost){
			.process = i + 1, .cost = cost * (1 + 0.2 * i) * (1 + 0.0005 * (i % 2)), .used = 10,
		};
}

static void variants_are_compared_in_turn(void **state)
{
	static struct kb_result results[4];
	static struct kb_comparison rows[4];
	const struct kb_result *at[] = { &results[0], &results[1], &results[2], &results[3] };

	(void)state;
	fill(&results[0], "size=1 interference=memory", 102);
	fill(&results[1], "size=1 interference=nothing", 100);
	fill(&results[2], "size=2 interference=memory", 50); /* has no base */
	fill(&results[3], "size=1", 100);
	assert_int_equal(kb_variants_compare(at, 4, KB_VARIANT_INTERFERENCE, "nothing", rows), 1);
	assert_string_equal(rows[0].key, "test.copies size=1 interference=memory");
	assert_true(fabs(exp(rows[0].difference.ln.value) - 1.02) < 0.001);
	assert_true(rows[0].difference.ln.known && exp(rows[0].difference.ln.high) < 1.025);
	assert_int_equal(rows[0].decision, KB_SLOWER);
	assert_int_equal(kb_variants_compare(at, 4, KB_VARIANT_COPIES, "1", rows), 0);
}

static void rows_become_variants(void **state)
{
	static const char *const values[] = { "nothing", "spin" };
	struct kb_row *rows = calloc(2, sizeof *rows);
	size_t count = 2;

	(void)state;
	snprintf(rows[0].key, sizeof rows[0].key, "sys.null");
	snprintf(rows[1].key, sizeof rows[1].key, "mem.latency size=1");
	assert_int_equal(kb_variants_rows(&rows, &count, "interference", values, 2), 0);
	assert_int_equal(count, 4);
	assert_string_equal(rows[0].key, "sys.null interference=nothing");
	assert_string_equal(rows[3].key, "mem.latency size=1 interference=spin");
	assert_true(rows[0].group > 0 && rows[0].group == rows[1].group && rows[2].group != rows[0].group);
	memset(rows[2].key, 'x', sizeof rows[2].key - 4);
	assert_int_equal(kb_variants_rows(&rows, &count, "interference", values, 2), -ENAMETOOLONG);
	assert_int_equal(count, 4);
	free(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(costs_and_sum_come_back), cmocka_unit_test(rates_of_processes_are_work_over_time),
		cmocka_unit_test(overlap_is_that_of_the_offset),
		cmocka_unit_test(disturbed_intervals_do_not_count),
		cmocka_unit_test(a_missing_copy_spoils_the_process),
		cmocka_unit_test(json_keeps_it),
		cmocka_unit_test(variants_are_compared_in_turn),
		cmocka_unit_test(rows_become_variants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
