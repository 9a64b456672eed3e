/*
 * kbench-result/2: the text of fixed results never changes, comes back as it went out, and damage is refused; and what is read of
 * version 1. The golden file is also the example of doc/result.md, so neither can drift from the code.
 */
#include "result/json/json.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "store/document.h"
#include "unit/report/fixed.h"

static json_t *fixed_document(void)
{
	const struct kb_stored_run run = {
		.id = "01965e7a-0000-7000-8000-000000000001", .started = "2026-05-04T10:00:00Z",
		.finished = "2026-05-04T10:00:42Z", .label = "", .command = "kbench run --seed 7",
		.settings = "{\"tool\":\"kbench 0.1.0\",\"seed\":7,\"precision\":0.01,\"budget_ns\":60000000000,"
			    "\"timeout_ns\":30000000000,\"processes\":6,\"cpus\":[0,1],\"clock\":\"auto\","
			    "\"plugin\":null,\"rows\":[\"ipc.pipe_latency placement=same-cpu\","
			    "\"cpu.op_latency op=add\",\"plugin.broken\"]}",
	};
	const struct kb_result results[] = { fixed_pipe(), fixed_add(), fixed_crash() };
	json_t *array = json_array();
	json_t *env = json_pack("{s:s, s:{s:s, s:s}, s:{s:s}}", "id", "0123456789abcdef", "facts", "cpu_model",
				"Example CPU", "kernel", "6.1.0", "readings", "load1", "0.05");

	for (size_t i = 0; i < 3; i++)
		json_array_append_new(array, kb_result_to_json(&results[i]));
	return kb_result_document(kb_stored_run_to_json(&run), env, array);
}

static char *printed(json_t *json)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	assert_non_null(json);
	assert_int_equal(kb_json_print(out, json), 0);
	fclose(out);
	json_decref(json);
	return text;
}

/* A file of the sources; the test is skipped where they are not known. */
static char *source(const char *name)
{
	const char *directory = getenv("KB_SRC");
	char path[4096];
	char *text;
	long length;

	if (!directory)
		skip();
	snprintf(path, sizeof path, "%s/%s", directory, name);
	FILE *in = fopen(path, "r");

	assert_non_null(in);
	fseek(in, 0, SEEK_END);
	length = ftell(in);
	rewind(in);
	text = calloc((size_t)length + 1, 1);
	assert_int_equal(fread(text, 1, (size_t)length, in), length);
	fclose(in);
	return text;
}

static void golden(void **state)
{
	char *expected = source("test/golden/result-2.json");
	char *text = printed(fixed_document());

	(void)state;
	assert_string_equal(text, expected);
	free(text);
	free(expected);
}

static void example_of_the_document(void **state)
{
	char *document = source("doc/result.md");
	char *example = strstr(document, "```json\n");
	char *text = printed(fixed_document());

	(void)state;
	assert_non_null(example);
	example += strlen("```json\n");
	assert_non_null(strstr(example, "```"));
	*strstr(example, "```") = '\0';
	assert_string_equal(example, text);
	free(text);
	free(document);
}

/* Keys that are data, not schema. */
static bool is_data(const char *parent)
{
	static const char *const parents[] = { "facts", "readings", "params", "flags" };

	for (size_t i = 0; i < sizeof parents / sizeof parents[0]; i++) {
		if (strcmp(parent, parents[i]) == 0)
			return true;
	}
	return false;
}

static void look_up(const char *document, const char *parent, const json_t *json)
{
	const char *key;
	json_t *value;
	size_t i;

	json_array_foreach(json, i, value)
		look_up(document, parent, value);
	if (!json_is_object(json) || is_data(parent))
		return;
	json_object_foreach((json_t *)(uintptr_t)json, key, value) {
		char quoted[64];

		snprintf(quoted, sizeof quoted, "`%s`", key);
		if (!strstr(document, quoted))
			fail_msg("doc/result.md does not describe %s", key);
		look_up(document, key, value);
	}
}

static void every_key_is_described(void **state)
{
	char *document = source("doc/result.md");
	json_t *json = fixed_document();

	(void)state;
	look_up(document, "", json);
	json_decref(json);
	free(document);
}

/* ---- there and back --------------------------------------------------------------------------------- */

static void same_estimate(const struct kb_estimate *a, const struct kb_estimate *b)
{
	assert_int_equal(a->known, b->known);
	assert_int_equal(a->bounded, b->bounded);
	assert_true(!a->known || fabs(a->value - b->value) <= 1e-11 * fabs(a->value));
	assert_true(!a->bounded || fabs(a->low - b->low) <= 1e-11 * fabs(a->low));
	assert_true(!a->bounded || fabs(a->high - b->high) <= 1e-11 * fabs(a->high));
}

static void same_estimates(const struct kb_result *a, const struct kb_result *b)
{
	same_estimate(&a->estimate, &b->estimate);
	same_estimate(&a->observed, &b->observed);
	same_estimate(&a->mean, &b->mean);
	same_estimate(&a->fixed, &b->fixed);
	same_estimate(&a->estimate_cycles, &b->estimate_cycles);
	same_estimate(&a->observed_cycles, &b->observed_cycles);
	same_estimate(&a->core_mhz, &b->core_mhz);
	for (int i = 0; i < KB_QUANTILES; i++)
		same_estimate(&a->quantile[i], &b->quantile[i]);
}

static void same_counts(const struct kb_result *a, const struct kb_result *b)
{
	assert_int_equal(a->bound, b->bound);
	assert_int_equal(a->bytes_per_op, b->bytes_per_op);
	assert_int_equal(a->headline, b->headline);
	assert_int_equal(a->processes, b->processes);
	assert_int_equal(a->processes_planned, b->processes_planned);
	assert_int_equal(a->processes_contended, b->processes_contended);
	assert_int_equal(a->processes_failed, b->processes_failed);
	assert_int_equal(a->observations, b->observations);
	assert_int_equal(a->disturbed, b->disturbed);
	assert_memory_equal(a->flags, b->flags, sizeof a->flags);
	assert_int_equal(a->n_min, b->n_min);
	assert_int_equal(a->n_max, b->n_max);
	assert_true(fabs(a->n_eff - b->n_eff) < 1e-9);
	assert_true(fabs(a->ticks_per_ns - b->ticks_per_ns) < 1e-9);
}

static void same_verdict(const struct kb_result *a, const struct kb_result *b)
{
	assert_int_equal(a->verdict.status, b->verdict.status);
	assert_int_equal(a->verdict.count, b->verdict.count);
	for (unsigned i = 0; i < a->verdict.count; i++) {
		assert_int_equal(a->verdict.reasons[i].code, b->verdict.reasons[i].code);
		assert_string_equal(a->verdict.reasons[i].detail, b->verdict.reasons[i].detail);
	}
	assert_int_equal(a->evidence_count, b->evidence_count);
	for (unsigned i = 0; i < a->evidence_count; i++) {
		assert_string_equal(a->evidence[i].counter, b->evidence[i].counter);
		assert_string_equal(a->evidence[i].who, b->evidence[i].who);
		assert_int_equal(a->evidence[i].known, b->evidence[i].known);
		assert_int_equal(a->evidence[i].ok, b->evidence[i].ok);
		assert_int_equal(a->evidence[i].asked, b->evidence[i].asked);
		assert_true(a->evidence[i].per_op == b->evidence[i].per_op);
		assert_true(a->evidence[i].expected == b->evidence[i].expected);
		assert_true(a->evidence[i].tolerance == b->evidence[i].tolerance);
	}
}

static void there_and_back(const struct kb_result *result)
{
	struct kb_result back;
	json_t *json = kb_result_to_json(result);
	char *text = kb_json_text(json), *again;

	assert_int_equal(kb_result_from_json(&back, json), 0);
	assert_string_equal(result->benchmark, back.benchmark);
	assert_string_equal(result->params, back.params);
	assert_string_equal(result->per, back.per);
	assert_int_equal(result->method, back.method);
	assert_string_equal(result->clock, back.clock);
	assert_string_equal(result->code, back.code);
	same_estimates(result, &back);
	same_counts(result, &back);
	same_verdict(result, &back);
	json_decref(json);
	json = kb_result_to_json(&back);
	again = kb_json_text(json);
	assert_string_equal(text, again);
	json_decref(json);
	free(again);
	free(text);
}

static void round_trip(void **state)
{
	struct kb_result results[] = { fixed_pipe(), fixed_add(), fixed_crash() };

	(void)state;
	results[0].bytes_per_op = 65536;
	results[0].estimate.value = 1.0 / 3;
	results[0].observed.bounded = false;
	snprintf(results[1].params, sizeof results[1].params, "a=1 b=x=y c=64K d=\"a \\\"b\\\" c\"");
	results[0].evidence[results[0].evidence_count++] = (struct kb_finding_evidence){
		.counter = "perf:a-long-name-of-an-event:with_its_mask:u", .who = "self", .per_op = 0.25, .known = true, .asked = true,
	};
	results[0].covariates[results[0].covariate_count++] = (struct kb_result_covariate){ "pages", 1.0 / 4, -3, 1e300, 7 };
	results[0].flags[8] = 3;
	for (size_t i = 0; i < 3; i++)
		there_and_back(&results[i]);
}

/* What only rows of memory have, and others leave out. */
static void rows_of_memory(void **state)
{
	struct kb_result result = fixed_pipe(), back;
	json_t *json = kb_result_to_json(&result);

	(void)state;
	assert_null(json_object_get(json, "ratio"));
	assert_null(json_object_get(json, "found"));
	assert_null(json_object_get(json, "range"));
	json_decref(json);
	result.bound = KB_MEMORY;
	result.ratio = (struct kb_estimate){ 1.25, 1.24, 1.26, true, true };
	strcpy(result.twin, "an equal ring");
	result.found = (struct kb_result_found){ 1000, 0.25, 5, 130 };
	assert_true(result.process_cost_count > 1);
	result.process_costs[0].ratio = 1.5;
	result.process_costs[1].ratio = NAN;
	there_and_back(&result);

	json = kb_result_to_json(&result);
	assert_int_equal(kb_result_from_json(&back, json), 0);
	same_estimate(&result.ratio, &back.ratio);
	assert_string_equal(back.twin, "an equal ring");
	assert_true(back.process_costs[0].ratio == 1.5 && isnan(back.process_costs[1].ratio));
	assert_true(back.found.loads == 1000 && back.found.share == 0.25 && back.found.cache == 5 && back.found.memory == 130);
	assert_string_equal(json_string_value(json_object_get(json_object_get(json, "found"), "level")), "mixed");
	double low = json_number_value(json_object_get(json_object_get(json, "range"), "low"));

	assert_true(low <= result.process_costs[0].cost && low <= result.process_costs[1].cost);
	json_decref(json);
}

/* Of an empty loop: a cost of 0, or of less, is a cost. */
static void costs_of_nothing(void **state)
{
	struct kb_result result = fixed_pipe(), back;
	json_t *json;

	(void)state;
	result.process_costs[0].cost = 0;
	result.process_costs[1].cost = -0.25;
	json = kb_result_to_json(&result);
	assert_int_equal(kb_result_from_json(&back, json), 0);
	assert_true(back.process_cost_count == 2 && back.process_costs[0].cost == 0 && back.process_costs[1].cost == -0.25);
	json_decref(json);
}

/* ---- version 1 --------------------------------------------------------------------------------------- */

/* Its keys, its headline, and its quiet, which no later estimate takes the place of. */
static void version_1_is_read(void **state)
{
	char *text = source("test/golden/result-1.json");
	json_t *document = json_loads(text, 0, NULL), *results = json_object_get(document, "results");
	struct kb_result result;

	(void)state;
	assert_int_equal(kb_result_from_json(&result, json_array_get(results, 1)), 0);
	assert_int_equal(result.headline, KB_HEADLINE_TYPICAL);
	assert_string_equal(kb_headline_name(result.headline), "typical");
	assert_true(result.estimate.value == 0.24378 && result.quiet.value == 0.2436 && result.quiet.low == 0.2435);
	assert_true(result.estimate_cycles.value == 1.0002 && result.quiet_cycles.value == 1);
	assert_false(result.observed.known);
	assert_true(isnan(result.clean_share));
	assert_int_equal(result.processes, 4);
	assert_int_equal(result.processes_planned, 5);
	assert_int_equal(result.processes_contended, 1);
	assert_int_equal(result.observations, 320);
	assert_int_equal(result.process_cost_count, 1);
	assert_int_equal(result.process_costs[0].process, 2);
	assert_int_equal(result.process_costs[0].used, 320);
	assert_int_equal(result.verdict.reasons[1].code, KB_CODE_sentinel_off);
	assert_string_equal(kb_json_env_id(json_object_get(document, "env")), "0123456789abcdef");
	json_decref(document);
	free(text);
}

/* As programs of then wrote them. */
static void results_of_version_1(void **state)
{
	static const char *const names[] = { "test/data/result-1/slope.json", "test/data/result-1/kanata.json" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		char *text = source(names[i]);
		json_t *document = json_loads(text, 0, NULL), *json;
		size_t k;

		assert_true(json_array_size(json_object_get(document, "results")) > 0);
		json_array_foreach(json_object_get(document, "results"), k, json) {
			struct kb_result result;

			assert_int_equal(kb_result_from_json(&result, json), 0);
			assert_int_equal(result.headline, KB_HEADLINE_TYPICAL);
			assert_int_equal(result.estimate.known, json_is_number(json_object_get(json_object_get(json, "estimate"), "value")));
			assert_int_equal(result.process_cost_count, json_array_size(json_object_get(json, "launch_costs")));
		}
		json_decref(document);
		free(text);
	}
}

static void interference_of_version_1(void **state)
{
	static const char text[] = "{\"benchmark\":\"a.b\",\"params\":{\"size\":\"4K\",\"beside\":\"spin\"},\"verdict\":{\"status\":\"ok\"}}";
	static const char own[] = "{\"benchmark\":\"a.b\",\"params\":{\"beside\":\"4K\"},\"verdict\":{\"status\":\"ok\"}}";
	json_t *old = json_loads(text, 0, NULL), *kept = json_loads(own, 0, NULL);
	struct kb_result result;

	(void)state;
	assert_int_equal(kb_result_from_json(&result, old), 0);
	assert_string_equal(result.params, "size=4K interference=spin");
	assert_int_equal(kb_result_from_json(&result, kept), 0);
	assert_string_equal(result.params, "beside=4K");
	json_decref(old);
	json_decref(kept);
}

/* Stored results of version 1 stay a document of version 1, to the last byte. Results of today that were made again from the records
   of such a run stand in a document of today. */
static void documents_of_stored_runs(void **state)
{
	char *text = source("test/golden/result-1.json");
	json_t *old = json_loads(text, 0, NULL), *run = json_object_get(old, "run"), *env = json_object_get(old, "env");
	struct kb_result result = fixed_pipe();
	char *again = printed(kb_result_document(json_incref(run), json_incref(env), json_incref(json_object_get(old, "results"))));
	json_t *made = kb_result_document(json_incref(run), json_incref(env), json_pack("[o]", kb_result_to_json(&result)));
	const json_t *settings = json_object_get(json_object_get(made, "run"), "settings");

	(void)state;
	assert_string_equal(again, text);
	assert_string_equal(json_string_value(json_object_get(made, "schema")), KB_RESULT_SCHEMA);
	assert_string_equal(json_string_value(json_object_get(json_object_get(made, "env"), "id")), "0123456789abcdef");
	assert_null(json_object_get(json_object_get(made, "env"), "class"));
	assert_int_equal(json_integer_value(json_object_get(settings, "processes")), 5);
	assert_null(json_object_get(settings, "launches"));
	assert_int_equal(json_integer_value(json_object_get(json_object_get(run, "settings"), "launches")), 5);
	json_decref(made);
	json_decref(old);
	free(again);
	free(text);
}

static void no_number_is_null(void **state)
{
	struct kb_result result = fixed_pipe();

	(void)state;
	result.estimate.value = NAN;
	result.observed.high = INFINITY;
	result.observations = KB_JSON_WHOLE_MAX + 1;

	json_t *json = kb_result_to_json(&result);
	json_t *estimate = json_object_get(json, "estimate"), *observed = json_object_get(json, "observed");

	assert_true(json_is_null(json_object_get(estimate, "value")));
	assert_true(json_is_null(json_object_get(observed, "high")));
	assert_true(json_is_real(json_object_get(observed, "low")));
	assert_true(json_is_null(json_object_get(json, "samples")));
	json_decref(json);
}

/* Text that is not UTF-8 must not cost the whole document. */
static void broken_text(void **state)
{
	struct kb_result result = fixed_crash();

	(void)state;
	result.verdict.reasons[0].detail[0] = (char)0xff;

	json_t *json = kb_result_to_json(&result);
	char *text = kb_json_text(json);

	assert_non_null(text);
	assert_non_null(strstr(text, "\"crashed\""));
	free(text);
	json_decref(json);
}

/* What is not visible is printed as an escape, and read back as what it was; what is read into a result is visible. */
static void hidden_text(void **state)
{
	static const char detail[] = "a\u202e\xc2\x9b\x1b\x7f\n\u65e5";
	struct kb_result result = fixed_crash(), back;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	snprintf(result.verdict.reasons[0].detail, sizeof result.verdict.reasons[0].detail, "%s", detail);

	json_t *json = kb_result_to_json(&result), *parsed;

	assert_int_equal(kb_json_print(out, json), 0);
	fclose(out);
	assert_non_null(strstr(text, "a\\u202E\\u009B\\u001B\\u007F\\n\u65e5"));
	parsed = json_loads(text, 0, NULL);
	assert_true(json_equal(json, parsed));
	assert_int_equal(kb_result_from_json(&back, parsed), 0);
	assert_string_equal(back.verdict.reasons[0].detail, "a?????\u65e5");
	json_decref(json);
	json_decref(parsed);
	free(text);
}

static void expect_refused(const char *text, int expected)
{
	struct kb_result result;
	json_t *json = json_loads(text, JSON_DECODE_ANY, NULL);
	int got = kb_result_from_json(&result, json);

	if (got != expected)
		fail_msg("%s: %d", text, got);
	json_decref(json);
}

static void damage(void **state)
{
	(void)state;
	expect_refused("[]", -EINVAL);
	expect_refused("not JSON", -EINVAL);
	expect_refused("{}", -EINVAL);
	expect_refused("{\"benchmark\":\"a.b\",\"verdict\":{\"status\":\"ok\"}}", 0);
	expect_refused("{\"benchmark\":7,\"verdict\":{\"status\":\"ok\"}}", -EINVAL);
	expect_refused("{\"benchmark\":\"a.b\",\"verdict\":{\"status\":\"splendid\"}}", -EINVAL);
	expect_refused("{\"benchmark\":\"a.b\",\"verdict\":{\"status\":\"ok\"},\"quiet\":3}", -EINVAL);
	expect_refused("{\"benchmark\":\"a.b\",\"verdict\":{\"status\":\"ok\"},\"launches\":-3}", -EINVAL);
	expect_refused("{\"benchmark\":\"a.b\",\"verdict\":{\"status\":\"ok\"},\"launches\":\"3\"}", -EINVAL);
	expect_refused("{\"benchmark\":\"a.b\",\"headline\":\"observed\",\"verdict\":{\"status\":\"ok\"},\"processes\":-3}", -EINVAL);
	expect_refused("{\"benchmark\":\"a.b\",\"headline\":\"observed\",\"verdict\":{\"status\":\"ok\"},\"samples\":\"3\"}", -EINVAL);
	expect_refused("{\"benchmark\":\"a.b\",\"verdict\":{\"status\":\"ok\"},\"params\":{\"a\":[]}}", -EINVAL);
	/* What a later version may add. */
	expect_refused("{\"benchmark\":\"a.b\",\"x_new\":[1],\"verdict\":{\"status\":\"noisy\",\"reasons\":"
		       "[{\"code\":\"from_the_future\"}]}}", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden), cmocka_unit_test(example_of_the_document),
		cmocka_unit_test(every_key_is_described),
		cmocka_unit_test(round_trip),
		cmocka_unit_test(rows_of_memory), cmocka_unit_test(no_number_is_null), cmocka_unit_test(broken_text), cmocka_unit_test(hidden_text),
		cmocka_unit_test(damage), cmocka_unit_test(costs_of_nothing), cmocka_unit_test(version_1_is_read), cmocka_unit_test(results_of_version_1), cmocka_unit_test(interference_of_version_1),
		cmocka_unit_test(documents_of_stored_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
