/* Descriptions of benchmarks: what was written is read, of all that we have, and any other text is refused or harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "description.h"
#include "run/backend/backend.h"
#include "run/process/describe.h"
#include "suite/select.h"

static char written[KB_DESCRIPTION_MAX], again[KB_DESCRIPTION_MAX];

static struct kb_span write_to(char *buffer, const struct kb_bench *bench)
{
	struct kb_text text = kb_text_in(buffer, KB_DESCRIPTION_MAX);

	kb_description_write(&text, bench);
	assert_false(text.cut);
	return (struct kb_span){ buffer, text.used };
}

static void same_text(const char *a, const char *b)
{
	assert_true(!a == !b);
	if (a)
		assert_string_equal(a, b);
}

static void same(const struct kb_bench *a, const struct kb_bench *b)
{
	assert_string_equal(a->name, b->name);
	same_text(a->summary, b->summary);
	same_text(a->assumes, b->assumes);
	assert_int_equal(a->suite, b->suite);
	assert_int_equal(a->half_base, b->half_base);
	assert_int_equal(a->huge, b->huge);
	assert_int_equal(a->max_n, b->max_n);
	assert_int_equal(a->bytes_per_op, b->bytes_per_op);
	assert_true(!a->base == !b->base && !a->op == !b->op && !a->observe == !b->observe && !a->before == !b->before && !a->check == !b->check);
	for (int i = 0; i < KB_PARAM_MAX; i++) {
		same_text(a->params[i].name, b->params[i].name);
		same_text(a->params[i].values, b->params[i].values);
		same_text(a->params[i].choices, b->params[i].choices);
		assert_int_equal(a->params[i].max, b->params[i].max);
	}
	for (int i = 0; i < KB_EXPECT_MAX; i++) {
		assert_int_equal(a->expect[i].counter, b->expect[i].counter);
		assert_memory_equal(&a->expect[i].per_op, &b->expect[i].per_op, 3 * sizeof(double));
		same_text(a->expect[i].when, b->expect[i].when);
	}
}

static void check_round(const struct kb_bench *bench)
{
	struct kb_described read;
	char error[256];
	struct kb_span text = write_to(written, bench), second;

	assert_int_equal(kb_description_read(text, &read, error), 0);
	same(bench, &read.bench);
	second = write_to(again, &read.bench);
	assert_int_equal(text.length, second.length);
	assert_memory_equal(text.at, second.at, text.length);
	free(read.words);
}

static void what_is_written_is_read(void **state)
{
	unsigned foreigners = 0;

	(void)state;
	for (unsigned i = 0; i < kb_bench_count; i++)
		check_round(kb_benches[i]);
	for (; kb_cross_benches()[foreigners].bench; foreigners++)
		check_round(kb_cross_benches()[foreigners].bench);
	assert_true(kb_bench_count > 100 && foreigners > 20);
}

static int nothing(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	return 0;
}

static void texts_keep_every_byte(void **state)
{
	const struct kb_bench bench = {
		.abi = KB_ABI, .size = sizeof bench, .name = "a b=c\n\"\\", .summary = "end\nbench name=other", .per = "", .op = nothing,
		.params = { { " ", "\t=\"", KB_TEXT, "\001\377", 0, UINT64_MAX, "" } },
		.expect = { { KB_SEEN, .per_op = -0.1, .tolerance = 1e300, .when = "\"" } },
	};

	(void)state;
	check_round(&bench);
}

static void refusals_are_told(void **state)
{
	struct kb_text text = kb_text_in(written, sizeof written);
	struct kb_described read;
	char error[256];

	(void)state;
	kb_description_refuse(&text, "mine.so: \"this\" is wrong");
	assert_int_equal(kb_description_read((struct kb_span){ written, text.used }, &read, error), -22);
	assert_string_equal(error, "mine.so: \"this\" is wrong");
}

static void other_texts_are_refused(void **state)
{
	static const char *const texts[] = { "", "kbench-description 3\n", "kbench-description 2\nbench name=x\nend\n", "kbench-description 3\nbench name=x\nend",
		"ELF", "kbench-description 3x\nend\n", "\nkbench-description 3\nend\n" };
	struct kb_described read;
	char error[256];

	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
		assert_true(kb_description_read((struct kb_span){ texts[i], strlen(texts[i]) }, &read, error) < 0);
}

/* Bytes exchanged at random: it is refused, or what comes out of it is safe to use, which the check shows by using all of it. */
static void damaged_ones_are_harmless(void **state)
{
	struct kb_rng random;
	unsigned taken = 0, refused = 0;

	(void)state;
	kb_rng_seed(&random, 1);
	for (unsigned round = 0; round < 4000; round++) {
		struct kb_span text = write_to(written, kb_benches[kb_rng_below(&random, kb_bench_count)]);
		struct kb_described read;
		char error[256];

		for (unsigned i = 0; i < 1 + round % 8; i++)
			written[kb_rng_below(&random, text.length)] = (char)kb_rng_below(&random, 256);
		if (kb_describe_read(text, &read, error)) {
			refused++;
		} else {
			write_to(again, &read.bench);
			free(read.words);
			taken++;
		}
	}
	assert_true(taken > 100 && refused > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read), cmocka_unit_test(texts_keep_every_byte), cmocka_unit_test(refusals_are_told),
		cmocka_unit_test(other_texts_are_refused), cmocka_unit_test(damaged_ones_are_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
