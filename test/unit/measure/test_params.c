/* Values of parameters: what is taken, in which spelling it is kept, and what is said about the rest. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "measure/params.h"

static const struct kb_bench bench = {
	.name = "test.row",
	.params = {
		{ "op", "which", KB_CHOICE, "add,xor", .choices = "add,xor,imul" },
		{ "size", "bytes", KB_SIZE, "64K,1M", .min = 4096, .max = 1 << 30 },
		{ "threads", "how many", KB_NUMBER, "2", .min = 1, .max = 8 },
		{ "argv", "program", KB_TEXT, "true" },
	},
};

static struct kb_span span(const char *text)
{
	return (struct kb_span){ text, strlen(text) };
}

static int set(struct kb_settings *settings, const char *name, const char *value, char error[200])
{
	struct kb_text text = kb_text_in(error, 200);

	return kb_settings_set(settings, span(name), span(value), &text);
}

static void test_pair(void **state)
{
	struct kb_settings settings;
	char error[200];
	struct kb_text text = kb_text_in(error, sizeof(error));

	(void)state;
	kb_settings_default(&settings, &bench);
	assert_int_equal(kb_settings_pair(&settings, "op=imul", &text), 0);
	assert_string_equal(settings.text[0], "imul");
	assert_int_equal(kb_settings_pair(&settings, "op", &text), -KB_EINVAL);
	assert_string_equal(error, "not name=value: op");
	assert_string_equal(settings.text[0], "imul");
}

static void test_default(void **state)
{
	struct kb_settings settings;

	(void)state;
	kb_settings_default(&settings, &bench);
	assert_ptr_equal(settings.bench, &bench);
	assert_string_equal(settings.text[0], "add");
	assert_string_equal(settings.text[1], "64K");
	assert_int_equal(settings.number[1], 65536);
	assert_string_equal(settings.text[2], "2");
	assert_int_equal(settings.number[2], 2);
	assert_string_equal(settings.text[3], "true");
}

struct example { const char *name, *value; int result; const char *kept, *error; };

#define TEXT_ERROR "argv=: must be 1 to 63 visible characters without spaces and commas"

static const struct example examples[] = {
	{ "op", "imul", 0, "imul", "" },
	{ "op", "div", -KB_EINVAL, NULL, "op=div: must be one of add,xor,imul" },
	{ "op", "ad", -KB_EINVAL, NULL, "op=ad: must be one of add,xor,imul" },
	{ "op", "", -KB_EINVAL, NULL, "op=: must be one of add,xor,imul" },
	{ "op", "add,xor", -KB_EINVAL, NULL, "op=add,xor: must be one of add,xor,imul" },
	{ "size", "65536", 0, "64K", "" },
	{ "size", "1024K", 0, "1M", "" },
	{ "size", "4096", 0, "4K", "" },
	{ "size", "4095", -KB_ERANGE, NULL, "size=4095: outside 4K..1G" },
	{ "size", "1G", 0, "1G", "" },
	{ "size", "2G", -KB_ERANGE, NULL, "size=2G: outside 4K..1G" },
	{ "size", "big", -KB_EINVAL, NULL, "size=big: not a size (like 64K)" },
	{ "threads", "8", 0, "8", "" },
	{ "threads", "1", 0, "1", "" },
	{ "threads", "0", -KB_ERANGE, NULL, "threads=0: outside 1..8" },
	{ "threads", "9", -KB_ERANGE, NULL, "threads=9: outside 1..8" },
	{ "threads", "1K", -KB_EINVAL, NULL, "threads=1K: not a number" },
	{ "threads", "-1", -KB_EINVAL, NULL, "threads=-1: not a number" },
	{ "argv", "ls:-l:/=", 0, "ls:-l:/=", "" },
	{ "argv", "", -KB_EINVAL, NULL, TEXT_ERROR },
	{ "argv", "ls -l", -KB_EINVAL, NULL, TEXT_ERROR },
	{ "argv", "ls,cat", -KB_EINVAL, NULL, TEXT_ERROR },
	{ "argv", "l\xc3\xa4s", -KB_EINVAL, NULL, TEXT_ERROR },
	{ "argv", "l\x7fs", -KB_EINVAL, NULL, TEXT_ERROR },
	{ "thread", "1", -KB_ENOENT, NULL, "test.row has no parameter 'thread'" },
};

static void test_set(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
		const struct example *example = &examples[i];
		struct kb_settings settings;
		char error[200];

		kb_settings_default(&settings, &bench);
		assert_int_equal(set(&settings, example->name, example->value, error), example->result);
		assert_string_equal(error, example->error);
		if (example->kept)
			assert_string_equal(settings.text[kb_param_index(&bench, span(example->name))], example->kept);
	}
}

/* A value that does not fit the buffer must not be cut to one that is legal. */
static void test_long(void **state)
{
	static char choices[KB_PARAM_VALUE_MAX + 1];
	struct kb_bench one = {
		.name = "test.long", .params = { { "op", "which", KB_CHOICE, "a", .choices = choices } },
	};
	struct kb_settings settings;
	char error[200], value[KB_PARAM_VALUE_MAX + 2];

	(void)state;
	memset(choices, 'a', KB_PARAM_VALUE_MAX - 1);
	memset(value, 'a', KB_PARAM_VALUE_MAX + 1);
	value[KB_PARAM_VALUE_MAX + 1] = '\0';
	kb_settings_default(&settings, &one);
	assert_int_equal(set(&settings, "op", choices, error), 0);
	assert_int_equal(set(&settings, "op", value, error), -KB_EINVAL);
	one.params[0].kind = KB_TEXT;
	assert_int_equal(set(&settings, "op", choices, error), 0);
	assert_int_equal(set(&settings, "op", value, error), -KB_EINVAL);
}

/* What a C library takes besides, "1.2.3" or octal, would be another address elsewhere. */
static void test_address(void **state)
{
	static const char *const good[] = { "8.8.8.8", "0.0.0.0", "255.255.255.255", "127.0.0.1", "10.0.200.99" };
	static const char *const bad[] = { "", "8", "8.8.8", "8.8.8.", "8.8.8.8.", "8.8.8.8.8", "8..8.8", ".8.8.8", "256.1.1.1",
					   "1.1.1.256", "1.1.1.1000", "08.8.8.8", "8.8.8.00", "8.8.8.8 ", " 8.8.8.8", "8.8.8.-1",
					   "8.8.8.8x", "0x8.8.8.8", "a.b.c.d", "1.1.1.4294967297" };
	struct kb_bench one = { .name = "one", .params = { { "to", "address", KB_IP4, "8.8.8.8" } } };
	struct kb_settings settings;
	char error[200];

	(void)state;
	kb_settings_default(&settings, &one);
	assert_string_equal(settings.text[0], "8.8.8.8");
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		assert_int_equal(set(&settings, "to", good[i], error), 0);
		assert_string_equal(settings.text[0], good[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (set(&settings, "to", bad[i], error) != -KB_EINVAL)
			fail_msg("'%s' is taken", bad[i]);
	}
	assert_int_equal(set(&settings, "to", "1.2.3", error), -KB_EINVAL);
	assert_string_equal(error, "to=1.2.3: not an address (like 192.0.2.1)");
}

static const struct kb_bench network = {
	.name = "test.network",
	.params = {
		{ "host", "machine", KB_HOST, "", .choices = "placement" },
		{ "placement", "of sides", KB_CHOICE, "same-cpu,idle-cpu", .choices = "same-cpu,idle-cpu" },
		{ "bytes", "of a message", KB_SIZE, "1", 1, 4096 },
	},
};

static void test_host(void **state)
{
	static const char *const good[] = { "10.0.0.2", "10.0.0.2:7353", "server", "lab-2.example.org:1", "::1", "fe80::1%eth0", "[::1]",
					    "[2001:db8::1]:65535", "" };
	static const char *const bad[] = { ":", ":7353", "server:", "server:0", "server:65536", "server:x", "ser ver", "server,other", "[]", "[::1",
					   "[::1]7353", "[::1]:", "[::1]:0", "ser/ver", "*", "a@b", "[", "]", "\x80",
					   "a123456789b123456789c123456789d123456789e123456789f123456789g123" };
	struct kb_settings settings;
	char error[200];

	(void)state;
	kb_settings_default(&settings, &network);
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		if (set(&settings, "host", good[i], error))
			fail_msg("'%s' is refused: %s", good[i], error);
		assert_string_equal(settings.text[0], good[i]);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		if (set(&settings, "host", bad[i], error) != -KB_EINVAL)
			fail_msg("'%s' is taken", bad[i]);
	}
	assert_int_equal(set(&settings, "host", "server:0", error), -KB_EINVAL);
	assert_string_equal(error, "host=server:0: not a host (like 192.0.2.1, name:7353 or [2001:db8::1]:7353)");
}

/* Without a host a row has the name that it had before there were hosts; with one it has no placement. */
static void test_host_empties(void **state)
{
	struct kb_settings settings;
	char error[200], line[200];
	struct kb_text text = kb_text_in(line, sizeof line), other = kb_text_in(line, sizeof line);

	(void)state;
	kb_settings_default(&settings, &network);
	kb_settings_format(&text, &settings);
	assert_string_equal(line, "placement=same-cpu bytes=1");
	assert_true(kb_settings_match(&settings, "host= bytes=1"));
	assert_false(kb_settings_match(&settings, "host=*"));
	assert_int_equal(set(&settings, "host", "10.0.0.2", error), 0);
	kb_settings_format(&other, &settings);
	assert_string_equal(line, "host=10.0.0.2 bytes=1");
	assert_true(kb_settings_match(&settings, "host=* bytes=1"));
	assert_false(kb_settings_match(&settings, "host="));
	assert_false(kb_settings_match(&settings, "placement=same-cpu"));
	assert_int_equal(set(&settings, "placement", "idle-cpu", error), -KB_EINVAL);
	assert_string_equal(error, "placement: means nothing with the partner on another machine (10.0.0.2)");
	assert_int_equal(set(&settings, "placement", "", error), 0);
	assert_int_equal(set(&settings, "host", "", error), 0);
	assert_string_equal(settings.text[1], "same-cpu");
	assert_int_equal(set(&settings, "placement", "", error), -KB_EINVAL);
}

static void test_format(void **state)
{
	static const struct kb_bench none = { .name = "test.none" };
	struct kb_settings settings;
	char error[200], line[200];
	struct kb_text text = kb_text_in(line, sizeof line);

	(void)state;
	kb_settings_default(&settings, &bench);
	assert_int_equal(set(&settings, "size", "1048576", error), 0);
	kb_settings_format(&text, &settings);
	assert_string_equal(line, "op=add size=1M threads=2 argv=true");

	text = kb_text_in(line, sizeof line);
	kb_settings_default(&settings, &none);
	kb_settings_format(&text, &settings);
	assert_string_equal(line, "");
}

static void test_match(void **state)
{
	struct kb_settings settings;

	(void)state;
	kb_settings_default(&settings, &bench);
	assert_true(kb_settings_match(&settings, NULL));
	assert_true(kb_settings_match(&settings, "op=add"));
	assert_false(kb_settings_match(&settings, "op=xor"));
	assert_false(kb_settings_match(&settings, "op=ad"));
	assert_true(kb_settings_match(&settings, "size=64K"));
	assert_false(kb_settings_match(&settings, "other=add"));
	assert_false(kb_settings_match(&settings, "op"));
	assert_true(kb_settings_match(&settings, "op=add size=64K"));
	assert_true(kb_settings_match(&settings, "size=64K threads=2  op=add"));
	assert_false(kb_settings_match(&settings, "op=add size=1M"));
	assert_false(kb_settings_match(&settings, "op=xor size=64K"));
	assert_false(kb_settings_match(&settings, "op=add,size=64K"));
}

static void test_claim(void **state)
{
	struct kb_bench claiming = bench;
	struct kb_settings settings;

	(void)state;
	claiming.expect[0] = (struct kb_expect){ KB_MINFLT, .per_op = 1 };
	claiming.expect[1] = (struct kb_expect){ KB_SYSCALLS, .per_op = 1, .when = "op=xor" };
	kb_settings_default(&settings, &claiming);
	assert_true(kb_settings_claim(&settings, KB_MINFLT));
	assert_false(kb_settings_claim(&settings, KB_MAJFLT));
	assert_false(kb_settings_claim(&settings, KB_SYSCALLS)); /* not of these values */
	claiming.expect[1].when = "op=add";
	assert_true(kb_settings_claim(&settings, KB_SYSCALLS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default),
		cmocka_unit_test(test_pair), cmocka_unit_test(test_set), cmocka_unit_test(test_long),
		cmocka_unit_test(test_address), cmocka_unit_test(test_host), cmocka_unit_test(test_host_empties),
		cmocka_unit_test(test_format), cmocka_unit_test(test_match), cmocka_unit_test(test_claim),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
