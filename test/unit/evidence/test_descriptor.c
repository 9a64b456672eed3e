/* What descriptors are refused for, and that none of ours is. What is broken is one field of a good descriptor. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "evidence/evidence.h"
#include "run/backend/backend.h"
#include "run/backend/kernel.h"
#include "run/backend/sel4.h"
#include "suite/select.h"

static int nothing(struct kb_run *run, uint64_t n)
{
	(void)run;
	(void)n;
	return 0;
}

static struct kb_bench bench;

static int make_good(void **state)
{
	(void)state;
	bench = (struct kb_bench){
		.abi = KB_ABI, .size = sizeof bench, .name = "plugin.mine", .summary = "µs and ± are text", .per = "call", .op = nothing, .base = nothing,
		.granule = 8, .max_n = 1024,
		.params = {
			{ "size", "bytes", KB_SIZE, "4K,1M;16M", 4096, 1 << 30, NULL }, { "op", "which", KB_CHOICE, "add", 0, 0, "add,mul" },
			{ "file", "its path", KB_TEXT, "below", 0, 0, NULL }, { "host", "machine", KB_HOST, "", 0, 0, "op" },
		},
		.expect = { { KB_MINFLT, .per_op = 1, .tolerance = 0.1, .when = "size=64K op=mul" } },
		.events = { { "branches:u", .per_op = 2, .tolerance = 1, .when = "op=add" } },
	};
	return 0;
}

static void is_good(void **state)
{
	char text[256];
	struct kb_text error = kb_text_in(text, sizeof text);

	(void)state;
	assert_int_equal(kb_descriptor_check(&bench, &error), 0);
	assert_string_equal(text, "");
}

/* Each test breaks one thing, and another one does not come up. */
static void refuses(const char *words)
{
	char text[256];
	struct kb_text error = kb_text_in(text, sizeof text);

	assert_true(kb_descriptor_check(&bench, &error) < 0);
	if (!strstr(text, words))
		fail_msg("'%s' is not about '%s'", text, words);
	make_good(NULL);
	error = kb_text_in(text, sizeof text);
	assert_int_equal(kb_descriptor_check(&bench, &error), 0);
}

static void names(void **state)
{
	static const char *const bad[] = { "", "two words", "tab\there", "a=b", "ends.", "esc\033[31m", "pl\303\274s",
		"0123456789012345678901234567890123456789012345678901234567890123" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		bench.name = bad[i];
		refuses("is no name for a benchmark");
	}
	bench.name = NULL;
	refuses("is no name for a benchmark");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		bench.params[1].name = bad[i];
		bench.expect[0].when = bench.events[0].when = NULL;
		refuses("is no name");
	}
	bench.params[1].name = "with.dot";
	refuses("is no name");
	bench.params[1].name = "size";
	refuses("there are two of this name");
	bench.params[2].name = "interference";
	refuses("kbench gives results a parameter of this name");
}

static void texts(void **state)
{
	static const char *const bad[] = { "two\nlines", "\033]0;title\007", "\302\233" "31m", "\x9b", "\342\200\256back", "\377" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		bench.summary = bad[i];
		refuses("summary");
		bench.per = bad[i];
		refuses("per");
		bench.assumes = bad[i];
		refuses("assumes");
		bench.lmbench = bad[i];
		refuses("lmbench");
		bench.params[0].summary = bad[i];
		refuses("summary");
		bench.params[2].values = bad[i];
		refuses("values");
		bench.params[1].choices = bad[i];
		refuses("choices");
		bench.events[0].name = bad[i];
		refuses("event");
	}
}

static void numbers(void **state)
{
	(void)state;
	bench.suite = (enum kb_suite)4;
	refuses("suite");
	bench.bound = (enum kb_bound)-1;
	refuses("bound");
	bench.portability = (enum kb_class)3;
	refuses("portability");
	bench.method = (enum kb_bench_method)2;
	refuses("method");
	bench.method = KB_PAIRED;
	bench.base = NULL;
	refuses("KB_PAIRED needs a base");
	bench.half_base = true;
	bench.base = NULL;
	refuses("there is no base that could do half");
	bench.per = "an operation of many words";
	refuses("is too long");
	bench.granule = UINT64_MAX / 2;
	refuses("granule");
	bench.max_n = 8;
	bench.period = 1000;
	refuses("is below period");
	bench.expect[KB_EXPECT_MAX - 1].counter = KB_MAJFLT;
	refuses("stands after a gap");
	bench.errors = "two\nlines";
	refuses("errors");
	bench.base_does = "two\nlines";
	refuses("base_does");
	bench.needs = 4;
	refuses("needs");
	bench.max_n = 7;
	refuses("max_n");
	bench.op = NULL;
	refuses("neither op nor observe");
}

static void parameters(void **state)
{
	(void)state;
	bench.params[0].values = NULL;
	refuses("it has no values");
	bench.params[0].values = "";
	refuses("it has no values");
	bench.params[0].values = "4K,,1M";
	refuses("not a size");
	bench.params[0].values = "4K;2K";
	refuses("outside 4K..1G");
	bench.params[0].values = "4K,2G";
	refuses("outside 4K..1G");
	bench.params[0].min = UINT64_C(1) << 31;
	refuses("its min is above its max");
	bench.params[0].kind = (enum kb_kind)6;
	refuses("kind");
	bench.params[1].choices = NULL;
	refuses("needs choices");
	bench.params[1].choices = "mul";
	refuses("must be one of mul");
	bench.params[2].values = "two words";
	refuses("visible characters without spaces");
}

static void claims(void **state)
{
	(void)state;
	bench.expect[0].when = "place=here";
	refuses("would never be checked");
	bench.expect[0].when = "op=div";
	refuses("would never be checked");
	bench.expect[0].when = "size=65536";
	refuses("a result spells the value differently");
	bench.expect[0].when = "size";
	refuses("must be \"parameter=value\"");
	bench.expect[0].when = "";
	refuses("must be \"parameter=value\"");
	bench.events[0].when = "size=64K op=div";
	refuses("would never be checked");
	bench.expect[0].tolerance = -1;
	refuses("tolerance");
	bench.expect[0].tolerance = NAN;
	refuses("tolerance");
	bench.expect[0].tolerance = INFINITY;
	refuses("tolerance");
	bench.expect[0].per_op = NAN;
	refuses("per_op");
	bench.expect[0].per_sample = -INFINITY;
	refuses("per_sample");
	bench.expect[0].counter = KB_COUNTERS;
	refuses("counter");
	bench.expect[0].who = (enum kb_who)3;
	refuses("who");
}

static void check_ours(const struct kb_bench *ours)
{
	char text[256];
	struct kb_text error = kb_text_in(text, sizeof text);
	struct kb_bench whole = *ours;

	/* In their worlds they have one. */
	whole.op = whole.op ? whole.op : nothing;
	if (kb_descriptor_check(&whole, &error))
		fail_msg("%s: %s", ours->name, text);
}

static void all_of_ours_are_good(void **state)
{
	unsigned foreigners = 0;

	(void)state;
	for (unsigned i = 0; i < kb_bench_count; i++)
		check_ours(kb_benches[i]);
	for (; kb_cross_benches()[foreigners].bench; foreigners++)
		check_ours(kb_cross_benches()[foreigners].bench);
	assert_true(kb_bench_count > 100 && foreigners > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(is_good, make_good), cmocka_unit_test_setup(names, make_good), cmocka_unit_test_setup(texts, make_good),
		cmocka_unit_test_setup(numbers, make_good), cmocka_unit_test_setup(parameters, make_good),
		cmocka_unit_test_setup(claims, make_good), cmocka_unit_test(all_of_ours_are_good),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
