/* Building text in a bounded buffer, and taking it apart again. */
#include "base/text.h"
#include "base/rng.h"
#include "helpers.h"

static void cut_text_is_a_terminated_prefix(void **state)
{
	char buffer[6] = "xxxxx";
	struct kb_text text = kb_text_in(buffer, 5);

	(void)state;
	kb_text_str(&text, "abc");
	assert_false(text.cut);
	kb_text_str(&text, "defg");
	assert_true(text.cut);
	assert_string_equal(buffer, "abcd");
	assert_int_equal(buffer[5], 0);
	kb_text_str(&text, "h");
	assert_string_equal(buffer, "abcd");
	assert_int_equal(text.used, 4);
}

static void full_is_not_cut(void **state)
{
	char buffer[4], none[1] = "x";
	struct kb_text text = kb_text_in(buffer, sizeof(buffer));

	(void)state;
	kb_text_str(&text, "abc");
	kb_text_str(&text, "");
	assert_false(text.cut);
	text = kb_text_in(none, 0);
	kb_text_str(&text, "abc");
	assert_true(text.cut);
	assert_int_equal(none[0], 'x');
	text = kb_text_in(none, 1);
	assert_int_equal(none[0], '\0');
}

static void a_number_is_never_halved(void **state)
{
	char buffer[6];
	struct kb_text text = kb_text_in(buffer, sizeof(buffer));

	(void)state;
	kb_text_str(&text, "n=");
	kb_text_u64(&text, 1234);
	assert_true(text.cut);
	assert_string_equal(buffer, "n=");
	kb_text_u64(&text, 1);
	assert_string_equal(buffer, "n=");
}

static void numbers(void **state)
{
	char buffer[128];
	struct kb_text text = kb_text_in(buffer, sizeof(buffer));

	(void)state;
	kb_text_u64(&text, 0);
	kb_text_str(&text, " ");
	kb_text_u64(&text, UINT64_MAX);
	kb_text_str(&text, " ");
	kb_text_i64(&text, INT64_MIN);
	kb_text_str(&text, " ");
	kb_text_i64(&text, -7);
	kb_text_str(&text, " ");
	kb_text_hex(&text, 0, 0);
	kb_text_str(&text, " ");
	kb_text_hex(&text, 0xbeef, 8);
	kb_text_str(&text, " ");
	kb_text_hex(&text, UINT64_MAX, 99);
	assert_string_equal(buffer, "0 18446744073709551615 -9223372036854775808 -7 0 0000beef ffffffffffffffff");
}

static void read_unsigned(void **state)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "0x1", "1a", "18446744073709551616",
					   "99999999999999999999999" };
	uint64_t value = 0;

	(void)state;
	assert_true(kb_span_u64(span_of("18446744073709551615"), &value));
	assert_true(value == UINT64_MAX);
	assert_true(kb_span_u64(span_of("0"), &value));
	assert_true(value == 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (kb_span_u64(span_of(bad[i]), &value))
			fail_msg("\"%s\" was read as a number", bad[i]);
}

/* What stands in a text, and what must be left of it. */
static const struct { const char *text, *visible; } visible_texts[] = {
	{ "", "" },
	{ "plain ~ text", "plain ~ text" },
	{ "a\nb\r\t\x1b[2J\x7f\u00b1", "a?b???[2J?\u00b1" },
	{ "\x1b]0;title\x07", "?]0;title?" },
	/* Two, three and four bytes; the first and the last of each length. */
	{ "\u00a0\u00e9\u07ff\u0800\u65e5\u672c\uffff\U00010000\U0001f600\U0010ffff",
	  "\u00a0\u00e9\u07ff\u0800\u65e5\u672c\uffff\U00010000\U0001f600\U0010ffff" },
	/* C1: as characters one replacement each, as bytes too. */
	{ "a\xc2\x80\xc2\x9b" "31m\xc2\x9f" "b", "a??31m?b" },
	{ "\x9b" "31m", "?31m" },
	/* What turns text round, and what ends lines. */
	{ "\u061c\u200e\u200f|\u202a\u202b\u202c\u202d\u202e|\u2066\u2067\u2068\u2069", "???|?????|????" },
	{ "\u2028\u2029", "??" },
	/* Their neighbours stay. */
	{ "\u061b\u061d\u200d\u2010\u2027\u202f\u2065\u206a\ud7ff\ue000", "\u061b\u061d\u200d\u2010\u2027\u202f\u2065\u206a\ud7ff\ue000" },
	/* No UTF-8: bytes that it does not have, cut off characters, longer forms, surrogates, beyond the last. */
	{ "\xff\xfe\x80\xbf", "????" },
	{ "\xe2\x82", "??" },
	{ "\xe2\x82x\xc3", "??x?" },
	{ "\xf0\x9f\x98", "???" },
	{ "\xc0\x9b\xc1\xbf", "????" },
	{ "\xe0\x80\x9b|\xe0\x9f\xbf", "???|???" },
	{ "\xf0\x80\x80\x9b|\xf0\x8f\xbf\xbf", "????|????" },
	{ "\xed\xa0\x80|\xed\xbf\xbf", "???|???" },
	{ "\xf4\x90\x80\x80|\xf8\x88\x80\x80\x80", "????|?????" },
	/* A sequence begins again behind a broken one. */
	{ "\xe2\xc3\xa9", "?\u00e9" },
};

static void make_visible(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(visible_texts) / sizeof(visible_texts[0]); i++) {
		char text[64];
		struct kb_text copy = kb_text_in(text, sizeof(text));

		kb_text_str(&copy, visible_texts[i].text);
		assert_false(copy.cut);
		kb_make_visible(text, '?');
		assert_string_equal(text, visible_texts[i].visible);
		assert_true(kb_is_visible(text));
		if (kb_is_visible(visible_texts[i].text) != kb_streq(text, visible_texts[i].text))
			fail_msg("row %zu is not as visible as it is left alone", i);
	}
}

/* Beyond its length a span has bytes of somebody else. */
static void a_character_ends_with_its_span(void **state)
{
	(void)state;
	assert_true(kb_span_is_visible((struct kb_span){ "\u65e5\x1b", 3 }));
	assert_false(kb_span_is_visible((struct kb_span){ "\u65e5", 2 }));
	assert_int_equal(kb_character_at((struct kb_span){ "\u65e5", 2 }).length, 1);
	assert_int_equal(kb_character_at(span_of("\u65e5")).length, 3);
	assert_int_equal(kb_character_at(span_of("\u65e5")).code, 0x65e5);
	assert_int_equal(kb_character_at((struct kb_span){ "\0x", 2 }).length, 1);
}

static void names_of_benchmarks(void **state)
{
	static const char *const good[] = { "a", "sys.null", "plugin.my-op_2", ".x", "A.B.9",
		"0123456789012345678901234567890123456789012345678901234567890.x" };
	static const char *const bad[] = { "", ".", "sys.", "sys null", "sys.null\x1b", "caf\u00e9", "a=b", "a/b", "a\"b", "a,b",
		"0123456789012345678901234567890123456789012345678901234567890.xy" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (!kb_is_bench_name(good[i]))
			fail_msg("\"%s\" is no name", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (kb_is_bench_name(bad[i]))
			fail_msg("\"%s\" is a name", bad[i]);
}

static void words_keep_their_quotes(void **state)
{
	struct kb_span rest = span_of("  a\tk=\"x \\\" y\" \"open end");
	struct kb_span word = kb_span_word(&rest);

	(void)state;
	assert_true(kb_span_is(word, "a"));
	assert_true(kb_span_is(kb_span_word(&rest), "k=\"x \\\" y\""));
	assert_true(kb_span_is(kb_span_word(&rest), "\"open end"));
	assert_int_equal(kb_span_word(&rest).length, 0);
	assert_int_equal(kb_span_word(&rest).length, 0);
	assert_true(kb_span_starts(word, ""));
	assert_false(kb_span_starts(word, "ab"));
	assert_false(kb_span_is(word, ""));
}

static void pairs_split_at_the_first_sign(void **state)
{
	struct kb_span key, value;

	(void)state;
	assert_true(kb_span_pair(span_of("a=b=c"), &key, &value));
	assert_true(kb_span_is(key, "a"));
	assert_true(kb_span_is(value, "b=c"));
	assert_true(kb_span_pair(span_of("="), &key, &value));
	assert_int_equal(key.length + value.length, 0);
	assert_false(kb_span_pair(span_of("ab"), &key, &value));
}

static void quoting_as_documented(void **state)
{
	static const struct { const char *plain, *quoted; } rows[] = {
		{ "word", "word" }, { "", "\"\"" }, { "two words", "\"two words\"" }, { "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "\n\r\t\x01\x7f", "\"\\n\\r\\t\\x01\\x7f\"" }, { "k=v", "\"k=v\"" }, { "\xc3\xa4", "\xc3\xa4" },
	};
	char buffer[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct kb_text text = kb_text_in(buffer, sizeof(buffer));

		kb_text_quoted(&text, rows[i].plain);
		assert_string_equal(buffer, rows[i].quoted);
		assert_int_equal(kb_span_unquote(span_of(rows[i].quoted), buffer, sizeof(buffer)), strlen(rows[i].plain));
		assert_string_equal(buffer, rows[i].plain);
	}
}

static void quoting_round_trips(void **state)
{
	struct kb_rng rng;
	char plain[41], quoted[200], back[41];

	(void)state;
	kb_rng_seed(&rng, 1);
	for (unsigned round = 0; round < 5000; round++) {
		size_t length = (size_t)kb_rng_below(&rng, sizeof(plain));
		struct kb_text text = kb_text_in(quoted, sizeof(quoted));
		struct kb_span rest, word;

		for (size_t i = 0; i < length; i++)
			plain[i] = (char)(1 + kb_rng_below(&rng, 255));
		plain[length] = '\0';
		kb_text_quoted(&text, plain);
		assert_false(text.cut);
		rest = (struct kb_span){ quoted, text.used };
		word = kb_span_word(&rest);
		assert_int_equal(word.length, text.used);
		assert_int_equal(kb_span_unquote(word, back, sizeof(back)), length);
		assert_memory_equal(back, plain, length + 1);
	}
}

static void malformed_quotes_are_refused(void **state)
{
	static const char *const bad[] = { "\"", "\"a", "a\"", "\"a\\\"", "\"\\q\"", "\"\\x0\"", "\"\\x00\"", "\"\\x0G\"",
					   "\"\\x\"", "a b", "a\\n", "\"a\"b\"", "a\x01" };
	char buffer[16];

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (kb_span_unquote(span_of(bad[i]), buffer, sizeof(buffer)) != -1)
			fail_msg("%s was accepted", bad[i]);
	assert_int_equal(kb_span_unquote(span_of("abcd"), buffer, 4), -1);
	assert_int_equal(kb_span_unquote(span_of("abc"), buffer, 4), 3);
	assert_int_equal(kb_span_unquote(span_of(""), buffer, 0), -1);
}

static void lists(void **state)
{
	(void)state;
	assert_true(kb_list_has("same-cpu,other-cpu", "other-cpu"));
	assert_true(kb_list_has("a", "a"));
	assert_false(kb_list_has("same-cpu,other-cpu", "other"));
	assert_false(kb_list_has("same-cpu,other-cpu", "cpu"));
	assert_false(kb_list_has("a,,b", ""));
	assert_false(kb_list_has("", "a"));
	assert_false(kb_list_has(NULL, "a"));
	assert_int_equal(kb_strlen("abc"), 3);
	assert_true(kb_streq("", ""));
	assert_false(kb_streq("a", "ab"));
	assert_false(kb_streq("ab", "a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cut_text_is_a_terminated_prefix),
		cmocka_unit_test(full_is_not_cut),
		cmocka_unit_test(a_number_is_never_halved),
		cmocka_unit_test(numbers),
		cmocka_unit_test(read_unsigned),
		cmocka_unit_test(make_visible), cmocka_unit_test(a_character_ends_with_its_span),
		cmocka_unit_test(names_of_benchmarks),
		cmocka_unit_test(words_keep_their_quotes),
		cmocka_unit_test(pairs_split_at_the_first_sign),
		cmocka_unit_test(quoting_as_documented),
		cmocka_unit_test(quoting_round_trips),
		cmocka_unit_test(malformed_quotes_are_refused),
		cmocka_unit_test(lists),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
