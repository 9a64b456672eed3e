/* Comparisons as text and JSON: what is not known is null or a dash, what is below zero stays so. */
#include "report/text/comparison.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "result/json/comparison.h"
#include "result/json/json.h"

static struct kb_comparison slower(void)
{
	struct kb_comparison row = {
		.key = "sys.null", .key_b = "sys.null", .unit = "ns", .a = { 100, 99, 101, true, true },
		.b = { 105, 104, 106, true, true }, .delta = .9, .margin = log1p(.01), .p_holm = .001,
		.q = .002, .p_rank = 1, .paired = true, .processes = 5, .decision = KB_SLOWER, .regression = true, .counts = true,
		.status = { KB_OK, KB_NOISY }, .split = true,
	};

	row.difference = (struct kb_difference){
		.ln = { log(1.05), log(1.04), log(1.06), 5, true, KB_CODE_COUNT }, .sure_low = log(1.03), .sure_high = log(1.07),
		.detectable = log1p(.0123), .p_slower = 1e-4, .p_faster = 1,
	};
	row.levels = (struct kb_levels){ .count = 2, .repeats = { 150, 5 }, .t2 = { 4e-4, -2.5e-6 } };
	return row;
}

static struct kb_comparison unknown(void)
{
	struct kb_comparison row = {
		.key = "ipc.a_name_that_is_longer_than_the_column_of_names_can_ever_be size=1", .unit = "ns", .p_holm = 1, .q = 1,
		.decision = KB_INCONCLUSIVE, .status = { KB_OK, KB_INVALID }, .margin = log1p(.01), .occasion = { .004, 8, 0 },
		.difference = { .detectable = NAN },
	};

	kb_verdict_add(&row.verdict, KB_CODE_env_mismatch, "clocks tsc and ns");
	return row;
}

/* Ratios 3/2 and 2/3: their arithmetic mean would call B slower, the geometric one is 1. A row that is not comparable
   stays out of mean and totals. */
static void mean(void **state)
{
	struct kb_comparison rows[] = { slower(), slower(), unknown() };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	(void)state;
	rows[0].difference.ln.value = log(1.5);
	rows[0].b.value = 150;
	rows[1].difference.ln.value = -log(1.5);
	rows[1].a.value = 3000;
	rows[1].b.value = 2000;
	kb_comparison_count(out, rows, 3);
	fclose(out);
	if (!strstr(text, "geometric mean of 2 ratios 1.0000, spread over results [") || !strstr(text, "takes 3.1 (base) and 2.15 us (new) together"))
		fail_msg("%s", text);
	free(text);
}

static char *printed(bool notes)
{
	const struct kb_comparison rows[] = { slower(), unknown() };
	const struct kb_style look = { .notes = notes, .width = 200 };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	kb_comparison_print(out, rows, 2, &look);
	kb_comparison_count(out, rows, 2);
	fclose(out);
	return text;
}

static void has(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("'%s' is not in:\n%s", words, text);
}

static void table(void **state)
{
	char *text = printed(false);

	(void)state;
	has(text, "sys.null");
	has(text, "1.0500  1.0400..1.0600  1.2 %  +0.90  slower !      ok, noisy\n");
	has(text, "can_ever_be size=1\n");
	has(text, "noisy: environments differ (clocks tsc and ns)");
	has(text, "2 results: 1 slower (1 after Holm, marked !), 1 inconclusive\n");
	assert_null(strstr(text, "margin"));
	assert_null(strstr(text, "nan"));
	free(text);
	text = printed(true);
	has(text, "margin 1 %, 5 processes in pairs");
	has(text, "occasions differ by 0.4 % (sd, as is usual)");
	has(text, "T2^2 -2.5e-06 of processes (they add nothing)");
	free(text);
}

/* T-AB-5: a variance below zero survives to the file. */
static void json(void **state)
{
	struct kb_comparison rows[] = { slower(), unknown() };
	json_t *first = kb_comparison_to_json(&rows[0]), *second = kb_comparison_to_json(&rows[1]);
	const json_t *t2;

	(void)state;
	assert_non_null(first);
	assert_non_null(second);
	t2 = json_object_get(json_object_get(first, "levels"), "t2");
	assert_true(json_real_value(json_array_get(t2, 1)) == -2.5e-6);
	assert_true(fabs(json_real_value(json_object_get(json_object_get(first, "ratio"), "low")) - 1.04) < 1e-12);
	assert_true(fabs(json_real_value(json_object_get(first, "detectable")) - .0123) < 1e-12);
	assert_true(json_is_true(json_object_get(first, "regression")));
	assert_true(json_is_null(json_object_get(first, "p_rank")));
	assert_true(json_is_null(json_object_get(json_object_get(second, "ratio"), "value")));
	assert_true(json_is_null(json_object_get(second, "p")));
	assert_true(json_is_null(json_object_get(second, "cliffs_delta")));
	assert_true(json_is_null(json_object_get(second, "detectable")));
	assert_int_equal(json_array_size(json_object_get(json_object_get(second, "levels"), "t2")), 0);
	assert_string_equal(json_string_value(json_object_get(json_array_get(json_object_get(second, "reasons"), 0), "code")),
	                    "env_mismatch");
	json_decref(first);
	json_decref(second);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(mean), cmocka_unit_test(table), cmocka_unit_test(json) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
