/* Records of version 1, as a collector of then wrote them: read whole, under the names of today, and with an observed cost. */
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

#include "io.h"
#include "result/samples.h"
#include "result/summary/summary.h"
#include "run/run.h"

static char *source(const char *name, size_t *length)
{
	const char *directory = getenv("KB_SRC");
	char path[4096], *text;

	snprintf(path, sizeof path, "%s/test/%s", directory ? directory : ".", name);
	text = kb_read_whole(path, length);
	assert_non_null(text);
	return text;
}

static struct kb_samples load(char *text, size_t length)
{
	struct kb_process_text process = { 1, "", text, length };
	struct kb_samples samples;

	assert_int_equal(kb_samples_load(&samples, &process), 0);
	return samples;
}

static void slope(void **state)
{
	size_t length;
	char *text = source("data/record-1/slope.txt", &length);
	struct kb_samples samples = load(text, length);
	struct kb_result result;

	(void)state;
	assert_int_equal(samples.state, KB_RECORD_WHOLE);
	assert_int_equal(samples.version, 1);
	assert_int_equal(samples.foreign, 0);
	assert_int_equal(samples.method, KB_METHOD_SLOPE);
	assert_int_equal(samples.probe, 0);
	assert_int_equal(samples.probe_count, 0);
	assert_true(samples.op.count > 0 && samples.base.count > 0);
	/* s add lines are clock probes; s issue lines are passed over. */
	assert_true(samples.add_count > 0 && samples.add_count == samples.add_long_count);
	assert_true(samples.claims[0].per_op == 1 && samples.claims[0].per_sample == 0);
	kb_samples_free(&samples);
	kb_summarise(&(struct kb_process_text){ 1, "", text, length }, 1, &(struct kb_summary_rules){ .planned = 1, .precision = .01 }, &result);
	assert_string_equal(result.benchmark, "sys.null");
	assert_int_equal(result.headline, KB_HEADLINE_OBSERVED);
	assert_true(isnan(result.clean_share));
	free(text);
}

static void kanata_and_failure(void **state)
{
	size_t length;
	char *text = source("data/record-1/kanata.txt", &length);
	struct kb_samples samples = load(text, length);

	(void)state;
	assert_int_equal(samples.state, KB_RECORD_WHOLE);
	assert_int_equal(samples.method, KB_METHOD_KANATA);
	assert_true(samples.confidence > 0);
	kb_samples_free(&samples);
	free(text);
	text = source("data/record-1/fail.txt", &length);
	samples = load(text, length);
	assert_int_equal(samples.state, KB_RECORD_FAILED);
	assert_true(samples.fail_stage[0]);
	kb_samples_free(&samples);
	free(text);
}

static struct kb_samples with(const char *text)
{
	static char copy[200];

	snprintf(copy, sizeof copy, "%s", text);
	return load(copy, strlen(copy));
}

/* The names of each version are read in that version only. */
static void renamed(void **state)
{
	struct kb_samples samples = with("kbench-record 1\nparam size=4K\nparam beside=spin\nexpect nvcsw per_op=2 per_interval=3 tolerance=0\n");

	(void)state;
	assert_string_equal(samples.params, "size=4K interference=spin");
	assert_true(samples.claims[0].per_sample == 3);
	kb_samples_free(&samples);
	samples = with("kbench-record 1\nparam beside=4K\n");
	assert_string_equal(samples.params, "beside=4K");
	kb_samples_free(&samples);
	samples = with("kbench-record 2\nparam beside=spin\nexpect nvcsw per_op=2 per_sample=3 tolerance=0\n");
	assert_string_equal(samples.params, "beside=spin");
	assert_true(samples.claims[0].per_sample == 3);
	kb_samples_free(&samples);
	samples = with("kbench-record 3\nparam size=4K\n");
	assert_int_equal(samples.state, KB_RECORD_VERSION_UNKNOWN);
	assert_string_equal(samples.params, "");
	kb_samples_free(&samples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slope), cmocka_unit_test(kanata_and_failure), cmocka_unit_test(renamed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
