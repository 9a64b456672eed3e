/* The table of copies: units, what is not known, and that rows of one copy without the question are not in it. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report/text/table.h"

static struct kb_result result;

static struct kb_estimate known(double value, double half)
{
	return (struct kb_estimate){ value, value - half, value + half, true, true };
}

static void two_copies(void)
{
	result = (struct kb_result){ .ticks_per_ns = 2, .estimate = known(101, 1) };
	snprintf(result.benchmark, sizeof result.benchmark, "mem.latency");
	snprintf(result.params, sizeof result.params, "size=8M copies=2");
	result.parallel = (struct kb_result_parallel){
		.copies = 2, .overlap = 0.987, .aggregate = known(19.8e6, 0.2e6), .copy = { known(100, 1), known(102, 1) },
	};
}

static char *print(const struct kb_result *const *results, size_t count)
{
	const struct kb_style look = { .utf8 = false };
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	kb_parallel_print(out, results, count, &look);
	fclose(out);
	return text;
}

static void expect(const char *part)
{
	char *text = print((const struct kb_result *const[]){ &result }, 1);

	if (!strstr(text, part))
		fail_msg("no '%s' in: %s", part, text);
	free(text);
}

static void a_row_in_words(void **state)
{
	(void)state;
	two_copies();
	expect("mem.latency size=8M copies=2\n");
	expect(" 19.80 +-0.20 M op/s ");
	expect("side by side 98.7 % ");
	expect("per copy 100.0 to 102.0 ns\n");
}

static void bytes_have_a_rate_of_their_own(void **state)
{
	(void)state;
	two_copies();
	result.bytes_per_op = 65536;
	result.parallel.aggregate = known(100e3, 1e3);
	expect(" 6.55 +-0.07 GB/s ");
}

static void what_is_not_known_is_a_dash(void **state)
{
	(void)state;
	two_copies();
	result.parallel = (struct kb_result_parallel){ .copies = 2, .overlap = NAN };
	expect(" -  ");
	expect("side by side - ");
	expect("per copy -\n");
}

static void other_rows_are_not_in_it(void **state)
{
	static const struct kb_result plain = { .benchmark = "sys.null" };
	char *text = print((const struct kb_result *const[]){ &plain }, 1);

	(void)state;
	assert_string_equal(text, "");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_row_in_words),
		cmocka_unit_test(bytes_have_a_rate_of_their_own),
		cmocka_unit_test(what_is_not_known_is_a_dash),
		cmocka_unit_test(other_rows_are_not_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
