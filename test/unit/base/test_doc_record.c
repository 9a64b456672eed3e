/*
 * The examples of doc/record.md are read as what the page says they are, and show every word of version 2: whoever
 * writes a collector copies them.
 */
#include "base/plan.h"
#include "base/record.h"
#include "helpers.h"

static const char *source_dir;
static struct buffer page;

/* Takes the text up to the next newline off *rest, newline included. */
static struct kb_span take_line(struct kb_span *rest)
{
	const char *newline = memchr(rest->at, '\n', rest->length);
	size_t length = newline ? (size_t)(newline - rest->at) + 1 : rest->length;
	struct kb_span line = { rest->at, length };

	*rest = (struct kb_span){ rest->at + length, rest->length - length };
	return line;
}

/* Takes the next block that is fenced by ``` and this name off *rest. False if there is none. */
static bool take_block(struct kb_span *rest, const char *fence, struct kb_span *block)
{
	while (rest->length > 0 && !kb_span_is(take_line(rest), fence))
		;
	*block = (struct kb_span){ rest->at, 0 };
	while (rest->length > 0) {
		if (kb_span_is(take_line(rest), "```\n"))
			return true;
		block->length = (size_t)(rest->at - block->at);
	}
	return false;
}

static void records_are_what_the_page_says(void **state)
{
	static const enum kb_record_state states[] = { KB_RECORD_WHOLE, KB_RECORD_WHOLE, KB_RECORD_FAILED };
	static const uint64_t foreign[] = { 0, 3, 0 };
	struct kb_span rest = { page.bytes, page.used }, block;
	struct kb_record_reader reader;
	size_t count = 0;

	(void)state;
	for (; take_block(&rest, "```record\n", &block); count++) {
		assert_in_range(count, 0, 2);
		if (read_all(&reader, block.at, block.length) != states[count])
			fail_msg("record example %zu, line %u: %s", count + 1, (unsigned)reader.line,
				 kb_record_state_words(reader.state));
		assert_int_equal(reader.foreign, foreign[count]);
	}
	assert_int_equal(count, 3);
}

static void every_word_is_shown(void **state)
{
	static const char *const words[] = {
		"kbench-record", "bench", "per", "bound", "method", "param", "clock", "env", "expect", "note", "module", "fault",
		"o", "b", "q", "c", "p", "e", "eb", "k", "fail", "end",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct kb_span rest = { page.bytes, page.used }, block;
		bool shown = false;

		while (take_block(&rest, "```record\n", &block)) {
			while (block.length > 0) {
				struct kb_span line = take_line(&block);

				shown = shown || kb_span_is(kb_span_word(&line), words[i]);
			}
		}
		if (!shown)
			fail_msg("no example shows the word %s", words[i]);
	}
}

static void plans_are_accepted(void **state)
{
	struct kb_span rest = { page.bytes, page.used }, text;
	struct kb_block block;
	size_t lines = 0;

	(void)state;
	while (take_block(&rest, "```plan\n", &text)) {
		for (; text.length > 0; lines++) {
			struct kb_span line = take_line(&text);

			line.length--;
			if (kb_plan_parse(line, &block))
				fail_msg("plan example: %.*s", (int)line.length, line.at);
		}
	}
	assert_in_range(lines, 4, 100);
}

/* The sizes of names that the page promises are those of the reader's fields, each with its null byte. */
static void sizes_are_those_of_the_fields(void **state)
{
	struct kb_line *line = NULL;
	char sentence[200];

	(void)state;
	snprintf(sentence, sizeof sentence, "a probe has at most %zu bytes, a counter %zu, a stage %zu, the detail of a\nfailure %zu.",
		 sizeof line->probe.name - 1, sizeof line->evidence.counter - 1, sizeof line->fail.stage - 1,
		 sizeof line->fail.detail - 1);
	assert_non_null(strstr(page.bytes, sentence));
}

static int load_page(void **state)
{
	(void)state;
	buffer_load(&page, source_dir, "doc/record.md");
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(records_are_what_the_page_says),
		cmocka_unit_test(every_word_is_shown),
		cmocka_unit_test(plans_are_accepted),
		cmocka_unit_test(sizes_are_those_of_the_fields),
	};

	source_dir = source_directory(argc, argv);
	return cmocka_run_group_tests(tests, load_page, NULL);
}
