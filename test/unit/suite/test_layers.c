/* Questions: what their lines say, where a wrong one is wrong, and which stored rows a layer means. */
#include "suite/layers.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void parses(void **state)
{
	static const char text[] = "# comment\nabout  waking a thread  # why\nlayer linux\tipc.notify by=futex  \n"
				   "without yamba no second thread\nmodel pipe_latency\n";
	struct kb_model_error error;
	struct kb_layers layers;

	(void)state;
	assert_int_equal(kb_layers_parse(&layers, text, sizeof text - 1, &error), 0);
	assert_true(kb_span_is(layers.about, "waking a thread"));
	assert_true(kb_span_is(layers.model, "pipe_latency"));
	assert_int_equal(layers.count, 2);
	assert_true(kb_span_is(layers.layers[0].target, "linux"));
	assert_true(kb_span_is(layers.layers[0].row, "ipc.notify by=futex"));
	assert_int_equal(layers.layers[0].line, 3);
	assert_int_equal(layers.layers[1].row.length, 0);
	assert_true(kb_span_is(layers.layers[1].why, "no second thread"));
}

static void points_at_what_is_wrong(void **state)
{
	static const struct { const char *text; unsigned line, column; } wrong[] = {
		{ "layer linux\n", 1, 12 }, { "about a\nabout b\nlayer a b.c\n", 2, 1 }, { "layer a b.c\n  layr a b.c\n", 2, 3 },
		{ "model\n", 1, 6 }, { "", 1, 1 }, { "# only this", 1, 1 }, { "without a\n", 1, 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct kb_model_error error = { 0 };
		struct kb_layers layers;

		assert_int_equal(kb_layers_parse(&layers, wrong[i].text, strlen(wrong[i].text), &error), -EINVAL);
		assert_int_equal(error.line, wrong[i].line);
		assert_int_equal(error.column, wrong[i].column);
		assert_true(error.what[0] != '\0');
	}
}

static void bounded(void **state)
{
	char text[64 * (KB_LAYERS_MAX + 1)] = "";
	struct kb_model_error error;
	struct kb_layers layers;

	(void)state;
	for (unsigned i = 0; i < KB_LAYERS_MAX; i++)
		strcat(text, "layer linux a.b\n");
	assert_int_equal(kb_layers_parse(&layers, text, strlen(text), &error), 0);
	strcat(text, "layer linux a.b\n");
	assert_int_equal(kb_layers_parse(&layers, text, strlen(text), &error), -EINVAL);
	assert_int_equal(error.line, KB_LAYERS_MAX + 1);
}

static bool match(const char *row, const char *key)
{
	return kb_layers_match((struct kb_span){ row, strlen(row) }, key);
}

static void matches(void **state)
{
	(void)state;
	assert_true(match("a.b", "a.b"));
	assert_true(match("a.b", "a.b x=1 y=2"));
	assert_true(match("a.b y=2", "a.b x=1 y=2"));
	assert_true(match("a.b y=2 x=1", "a.b x=1 y=2"));
	assert_false(match("a.b y=2", "a.b x=1 y=22"));
	assert_false(match("a.b", "a.bc x=1"));
	assert_false(match("a.b x=1", "a.b"));
	assert_false(match("a.b", "c.a.b"));
	assert_false(match("a.b", "a.b copies=2"));
	assert_true(match("a.b copies=2", "a.b x=1 copies=2"));
	assert_false(match("a.b x=1", "a.b x=1 interference=spin"));
	assert_true(match("a.b x=1 interference=spin", "a.b x=1 interference=spin"));
	assert_true(match("a.b", "a.b interference=4K"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses), cmocka_unit_test(points_at_what_is_wrong), cmocka_unit_test(bounded), cmocka_unit_test(matches),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
