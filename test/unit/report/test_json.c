/*
 * kbench-result/1: the text of fixed results never changes, comes back as it went out, and damage is refused.
 * The golden file is also the example of doc/result.md, so neither can drift from the code.
 */
#include "report/json.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/report/fixed.h"

static json_t *fixed_document(void)
{
	const struct kb_stored_run run = {
		.id = "01965e7a-0000-7000-8000-000000000001", .started = "2026-05-04T10:00:00Z",
		.finished = "2026-05-04T10:00:42Z", .label = "", .command = "kbench run --seed 7",
		.settings = "{\"tool\":\"kbench 0.1.0\",\"seed\":7,\"precision\":0.01,\"budget_ns\":60000000000,"
			    "\"timeout_ns\":30000000000,\"launches\":5,\"cpus\":[0,1],\"clock\":\"auto\","
			    "\"plugin\":null,\"rows\":[\"ipc.pipe_latency placement=same-cpu\","
			    "\"cpu.op_latency op=add\",\"plugin.broken\"]}",
	};
	const struct kb_result results[] = { fixed_pipe(), fixed_add(), fixed_crash() };
	json_t *array = json_array();
	json_t *env = json_pack("{s:s, s:{s:s, s:s}, s:{s:s}}", "class", "0123456789abcdef", "facts", "cpu_model",
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
	const char *folder = getenv("KB_SRC");
	char path[4096];
	char *text;
	long length;

	if (!folder)
		skip();
	snprintf(path, sizeof path, "%s/%s", folder, name);
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
	char *expected = source("test/golden/result-1.json");
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
	same_estimate(&a->typical, &b->typical);
	same_estimate(&a->quiet, &b->quiet);
	same_estimate(&a->mean, &b->mean);
	same_estimate(&a->fixed, &b->fixed);
	same_estimate(&a->typical_cycles, &b->typical_cycles);
	same_estimate(&a->quiet_cycles, &b->quiet_cycles);
	same_estimate(&a->core_mhz, &b->core_mhz);
	for (int i = 0; i < KB_QUANTILES; i++)
		same_estimate(&a->quantile[i], &b->quantile[i]);
}

static void same_counts(const struct kb_result *a, const struct kb_result *b)
{
	assert_int_equal(a->bound, b->bound);
	assert_int_equal(a->bytes_per_op, b->bytes_per_op);
	assert_int_equal(a->launches, b->launches);
	assert_int_equal(a->launches_planned, b->launches_planned);
	assert_int_equal(a->launches_left_out, b->launches_left_out);
	assert_int_equal(a->launches_failed, b->launches_failed);
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
	assert_string_equal(result->method, back.method);
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
	results[0].typical.value = 1.0 / 3;
	results[0].quiet.bounded = false;
	snprintf(results[1].params, sizeof results[1].params, "a=1 b=x=y c=64K");
	results[0].evidence[results[0].evidence_count++] = (struct kb_finding_evidence){
		.counter = "perf:a-long-name-of-an-event:with_its_mask:u", .who = "self", .per_op = 0.25, .known = true, .asked = true,
	};
	results[0].covariates[results[0].covariate_count++] = (struct kb_result_covariate){ "pages", 1.0 / 4, -3, 1e300, 7 };
	results[0].flags[8] = 3;
	for (size_t i = 0; i < 3; i++)
		there_and_back(&results[i]);
}

static void no_number_is_null(void **state)
{
	struct kb_result result = fixed_pipe();

	(void)state;
	result.typical.value = NAN;
	result.quiet.high = INFINITY;
	result.observations = KB_JSON_WHOLE_MAX + 1;

	json_t *json = kb_result_to_json(&result);
	json_t *estimate = json_object_get(json, "estimate"), *quiet = json_object_get(json, "quiet");

	assert_true(json_is_null(json_object_get(estimate, "value")));
	assert_true(json_is_null(json_object_get(quiet, "high")));
	assert_true(json_is_real(json_object_get(quiet, "low")));
	assert_true(json_is_null(json_object_get(json, "observations")));
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
		cmocka_unit_test(round_trip), cmocka_unit_test(no_number_is_null), cmocka_unit_test(broken_text),
		cmocka_unit_test(damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
