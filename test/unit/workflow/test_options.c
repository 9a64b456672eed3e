/* Option tables: each type with its bounds and its message, without a command line and without an end of the program. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "cli/cli.h"

enum colour { RED, GREEN, BLUE };

struct request {
	bool flag;
	const char *word, *label, *choice_word;
	struct kb_words words;
	uint64_t ns, large;
	unsigned small;
	double fraction, margin;
	enum colour colour;
	int shifted, own;
};

static int read_own(const char *value, void *place, struct kb_failure *failure)
{
	*(int *)place = 7;
	return value[0] == 'x' ? 0 : kb_refuse(failure, KB_EXIT_FAILED, "no '%s'", value);
}

#define INTO(kind, ...) KB_OPTION(kind, struct request, __VA_ARGS__)

static const struct kb_option options[] = {
	{ 'f', "flag", NULL, "", NULL, INTO(FLAG, flag) },
	{ 0, "word", "W", "", NULL, INTO(WORD, word) },
	{ 0, "words", "W", "", NULL, INTO(WORDS, words) },
	{ 0, "label", "TEXT", "", NULL, INTO(LABEL, label) },
	{ 0, "time", "TIME", "", NULL, INTO(TIME, ns, .least = 10 * KB_MS) },
	{ 0, "small", "N", "", NULL, INTO(NUMBER, small, .least = 2, .most = 100) },
	{ 0, "large", "N", "", NULL, INTO(NUMBER, large, .most = UINT64_C(1) << 50) },
	{ 0, "fraction", "PERCENT", "", NULL, INTO(PERCENT, fraction) },
	{ 0, "margin", "PERCENT", "", NULL, INTO(MARGIN, margin) },
	{ 0, "colour", "red|green|blue", "", NULL, INTO(CHOICE, colour) },
	{ 0, "shifted", "one|two", "", NULL, INTO(CHOICE, shifted, .least = 1) },
	{ 0, "choice", "a|b", "", NULL, INTO(CHOICE_WORD, choice_word) },
	{ 0, "own", "X", "", NULL, INTO(READ, own, .read = read_own) },
	{ 0 }
};

static struct request request;
static struct kb_failure failure;

static int reads(const char *name, const char *value)
{
	for (const struct kb_option *option = options; option->name; option++) {
		if (strcmp(option->name, name) == 0)
			return kb_read_option(option, value, &request, &failure);
	}
	fail_msg("no option %s", name);
	return 0;
}

static void takes(const char *name, const char *value)
{
	if (reads(name, value))
		fail_msg("--%s: %s", name, failure.text);
}

/* The message begins with the option and its value, and says `says`. */
static void refuses(const char *name, const char *value, const char *says)
{
	failure.text[0] = '\0';
	assert_int_equal(reads(name, value), KB_EXIT_USAGE);
	assert_true(failure.typed_wrong);
	assert_memory_equal(failure.text, "--", 2);
	assert_memory_equal(failure.text + 2, name, strlen(name));
	if (!strstr(failure.text, says))
		fail_msg("--%s '%s': '%s' does not say '%s'", name, value, failure.text, says);
}

static void words(void **state)
{
	(void)state;
	takes("flag", NULL);
	assert_true(request.flag);
	takes("word", "one");
	takes("word", "two");
	assert_string_equal(request.word, "two");
	takes("words", "a");
	takes("words", "b");
	assert_int_equal(request.words.count, 2);
	assert_string_equal(request.words.at[0], "a");
	assert_string_equal(request.words.at[1], "b");
	free(request.words.at);
	takes("label", "night, 2");
	assert_string_equal(request.label, "night, 2");
	refuses("label", "two\nlines", "without line ends");
	refuses("label", "01234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
		"at most 100 bytes");
}

static void times_and_numbers(void **state)
{
	(void)state;
	takes("time", "10ms");
	assert_int_equal(request.ns, 10 * KB_MS);
	takes("time", "1.5s");
	assert_int_equal(request.ns, 1500 * KB_MS);
	takes("time", "168h");
	refuses("time", "9ms", "between 10ms and a week");
	refuses("time", "169h", "between 10ms and a week");
	refuses("time", "soon", "not a time");

	struct request before = request;

	takes("small", "2");
	takes("small", "100");
	assert_int_equal(request.small, 100);
	/* Nothing beside it was written. */
	before.small = 100;
	assert_memory_equal(&before, &request, sizeof request);
	refuses("small", "1", "from 2 to 100");
	refuses("small", "101", "from 2 to 100");
	refuses("small", "0x10", "must be a number");
	refuses("small", "", "must be a number");
	refuses("small", "-5", "must be a number");
	refuses("small", "4294967300", "from 2 to 100");
	takes("large", "1125899906842624");
	assert_int_equal(request.large, UINT64_C(1) << 50);
	refuses("large", "1125899906842625", "from 0 to");
}

static void fractions(void **state)
{
	(void)state;
	takes("fraction", "1%");
	assert_true(request.fraction > 0.00999 && request.fraction < 0.01001);
	takes("fraction", "0.5");
	assert_true(request.fraction > 0.499 && request.fraction < 0.501);
	takes("fraction", "100%");
	refuses("fraction", "1", "type the %");
	refuses("fraction", "101%", "between 0.001% and 100%");
	refuses("fraction", "nan", "between");
	refuses("fraction", "0%", "between");
	refuses("fraction", "1%%", "between");
	takes("margin", "0%");
	assert_true(request.margin <= 0);
	takes("margin", "2%");
	assert_true(request.margin > 0.0199 && request.margin < 0.0201);
	refuses("margin", "2", "type the %");
	assert_true(kb_margin_ln(0.02) < 0.02 && kb_margin_ln(0.02) > 0.0198);
}

static void choices(void **state)
{
	(void)state;
	takes("colour", "blue");
	assert_int_equal(request.colour, BLUE);
	takes("colour", "red");
	assert_int_equal(request.colour, RED);
	refuses("colour", "re", "must be red, green or blue");
	refuses("colour", "reds", "must be red, green or blue");
	refuses("colour", "", "must be red, green or blue");
	refuses("colour", "red|green", "must be red, green or blue");
	takes("shifted", "two");
	assert_int_equal(request.shifted, 2);
	takes("choice", "b");
	assert_string_equal(request.choice_word, "b");
	refuses("choice", "c", "must be a or b");
	takes("own", "x");
	assert_int_equal(request.own, 7);
	assert_int_equal(reads("own", "y"), KB_EXIT_FAILED);
	assert_string_equal(failure.text, "no 'y'");
	assert_false(failure.typed_wrong);
}

/* Every table of kbench: a value has a type that takes one, a flag none; bounds are bounds. */
static void tables(void **state)
{
	static const struct kb_command *const commands[] = {
		&kb_command_run, &kb_command_list, &kb_command_show, &kb_command_runs, &kb_command_maintain, &kb_command_doctor, &kb_command_compare,
		&kb_command_ab, &kb_command_history, &kb_command_export, &kb_command_params, &kb_command_model, &kb_command_yamba, &kb_command_kernel,
		&kb_command_layers, &kb_command_sel4, &kb_command_analyze, &kb_command_import, &kb_command_new,
	};

	(void)state;
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		size_t count = 0;

		for (const struct kb_option *option = commands[i]->options; option->name; option++, count++) {
			const struct kb_option_value *into = &option->into;
			bool number = into->type == KB_OPTION_NUMBER;

			if ((into->type == KB_OPTION_FLAG) == (option->value != NULL) ||
			    (into->type == KB_OPTION_READ) != (into->read != NULL) || (number && into->least >= into->most) ||
			    (number && into->size != sizeof(unsigned) && into->size != sizeof(uint64_t)))
				fail_msg("kbench %s --%s", commands[i]->name, option->name);
		}
		assert_true(count < KB_OPTIONS_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words), cmocka_unit_test(times_and_numbers), cmocka_unit_test(fractions), cmocka_unit_test(choices),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
