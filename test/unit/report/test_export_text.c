/* How each export writes texts and numbers. */
#include "report/export/export.h"

#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/report/exported.h"
#include "unit/report/fixed.h"

static void number_is(double value, const char *expected)
{
	char text[KB_EXPORT_NUMBER];

	assert_string_equal(kb_export_number(text, value), expected);
}

static void numbers(void **state)
{
	static const char *const commas[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ps_AF.UTF-8" };

	(void)state;
	number_is(0, "0");
	number_is(-3, "-3");
	number_is(1e15, "1000000000000000");
	number_is(9007199254740992, "9007199254740992");
	number_is(1e17, "1e+17");
	number_is(0.1, "0.1");
	number_is(2.41225e-6, "2.41225e-06");
	/* Where such a locale is installed. */
	for (size_t i = 0; i < sizeof commas / sizeof commas[0]; i++) {
		if (setlocale(LC_NUMERIC, commas[i]))
			number_is(0.5, "0.5");
	}
	setlocale(LC_NUMERIC, "C");
}

static void escapes(void **state)
{
	struct kb_result result = fixed_pipe();
	char *text;

	(void)state;
	snprintf(result.params, sizeof result.params, "a=\"x,\\y<&\001>");
	text = written("csv", &result);
	contains(text, ",\"a=\"\"x,\\y<&\001>\",");
	free(text);
	text = written("openmetrics", &result);
	contains(text, "a=\"\\\"x,\\\\y<&\001>\",");
	free(text);
	text = written("junit", &result);
	contains(text, "name=\"ipc.pipe_latency a=&quot;x,\\y&lt;&amp; &gt;\"");
	free(text);
	text = written("benchfmt", &result);
	contains(text, "BenchmarkIpc.pipe_latency/a=\"x,\\y<&_>-1\t");
	free(text);
	text = written("markdown", &result);
	contains(text, "\n| `ipc.pipe_latency` | ");
	free(text);
}

/* A spreadsheet runs no cell of ours, and what it is shown reads back: one apostrophe is taken off. Numbers are no formulas. */
static void formulas(void **state)
{
	static const struct { const char *text, *cell; } cells[] = {
		{ "=1+1", "'=1+1|" }, { "+1+1", "'+1+1|" }, { "-2+3", "'-2+3|" }, { "@SUM(A1)", "'@SUM(A1)|" }, { "\tx", "'\tx|" },
		{ "'x", "''x|" }, { "=a,b\"", "\"'=a,b\"\"\"|" }, { "-16", "-16|" }, { "+1.5e3", "+1.5e3|" }, { "", "|" }, { "a=b", "a=b|" },
		{ "a\nb", "\"a\nb\"|" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
		char *text = NULL;
		size_t length;
		FILE *out = open_memstream(&text, &length);

		kb_export_cell(out, cells[i].text, "|");
		fclose(out);
		assert_string_equal(text, cells[i].cell);
		free(text);
	}
}

/* A name is code; what would end it, the cell or the line is an entity. */
static void markdown_names(void **state)
{
	static const struct { const char *name, *cell; } names[] = {
		{ "x.y", "| `x.y` |" }, { "x.<b>@user", "| `x.<b>@user` |" }, { "a|b", "| <code>a&#124;b</code> |" },
		{ "a`b\\", "| <code>a&#96;b&#92;</code> |" }, { "a\xff", "| <code>a?</code> |" },
		{ "\xc3\xa9|", "| <code>\xc3\xa9&#124;</code> |" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		struct kb_result result = fixed_pipe();

		snprintf(result.benchmark, sizeof result.benchmark, "%s", names[i].name);
		snprintf(result.per, sizeof result.per, "1. www.x\n");

		char *text = written("markdown", &result);

		contains(text, names[i].cell);
		contains(text, "| <code>1&#46; www&#46;x?</code> |");
		free(text);
	}
}

/* Names of labels have few characters, some are taken, and two of them are never one. */
static void labels(void **state)
{
	struct kb_result result = fixed_pipe();

	(void)state;
	snprintf(result.params, sizeof result.params, "a-b=1 a_b=2 q=3 9x=4 le=5");

	char *text = written("openmetrics", &result);

	contains(text, ",a_b=\"1\",a_b_=\"2\",param_q=\"3\",param_9x=\"4\",param_le=\"5\",environment=");
	free(text);
}

/* A parameter that is called like a column has another title. */
static void columns(void **state)
{
	struct kb_result results[] = { fixed_pipe(), fixed_add() };
	int error;
	char *text;

	(void)state;
	snprintf(results[0].params, sizeof results[0].params, "cost=high =x=1");
	text = exported(format_of("csv-wide"), results, 2, &error);
	contains(text, "run,benchmark,param_cost,");
	contains(text, ",op,per,unit,cost,");
	contains(text, "\r\nrun-1,cpu.op_latency,,");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers), cmocka_unit_test(escapes), cmocka_unit_test(formulas), cmocka_unit_test(markdown_names),
		cmocka_unit_test(labels), cmocka_unit_test(columns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
