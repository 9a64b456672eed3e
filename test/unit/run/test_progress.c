/* The progress line: whatever the width, it does not wrap; its bar is the time that was spent. */
#include "run/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

static char line[KB_PROGRESS_ROOM];

static unsigned columns(void)
{
	unsigned count = 0;

	for (const char *at = line; *at; at++)
		count += ((unsigned char)*at & 0xc0) != 0x80;
	return count;
}

static const struct kb_progress usual = {
	.results = 41, .open = 18, .processes = 200, .budget_ns = 60 * KB_S, .left_ns = 25 * KB_S - 1, .now = "mem.latency size=64M order=local",
};

static void words(void **state)
{
	struct kb_progress progress = usual;

	(void)state;
	kb_progress_line(line, 100, false, &progress);
	assert_string_equal(line, "[###########---------] 23/41 results, 35 s, at most 25 s left: mem.latency size=64M order=local");
	kb_progress_line(line, 60, false, &progress);
	assert_string_equal(line, "[########------] 23/41 results, 35 s, at most 25 s left: me");
	kb_progress_line(line, 100, true, &progress);
	assert_non_null(strstr(line, "[\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2588\u2591\u2591"));
	/* A search does not know how many there will be; one without a budget has no bar. */
	progress.results = 0;
	progress.budget_ns = 0;
	progress.now = "";
	kb_progress_line(line, 100, false, &progress);
	assert_string_equal(line, "200 processes, at most 25 s left");
	progress.processes = 1;
	kb_progress_line(line, 100, false, &progress);
	assert_string_equal(line, "1 process, at most 25 s left");
	/* Of commands, and as long as their number takes. */
	progress.blocks = progress.estimated = true;
	kb_progress_line(line, 100, false, &progress);
	assert_string_equal(line, "1 block, about 25 s left");
	progress.processes = 7;
	kb_progress_line(line, 100, false, &progress);
	assert_string_equal(line, "7 blocks, about 25 s left");
	/* More open than there are, and more left than there was: nothing below zero. */
	progress = (struct kb_progress){ .results = 1, .open = 3, .budget_ns = KB_S, .left_ns = 2 * KB_S, .now = "" };
	kb_progress_line(line, 100, false, &progress);
	assert_string_equal(line, "[--------------------] 0/1 result, at most 2 s left");
}

static void fits(void **state)
{
	struct kb_progress progress = usual;

	(void)state;
	progress.now = "lib.x text=\033[2J\u00e4\u00f6\u00fc\n\xff with much more of it behind it, and more, and more, and more, and more, and more";
	for (unsigned width = 0; width < 700; width++) {
		for (unsigned utf8 = 0; utf8 < 2; utf8++) {
			kb_progress_line(line, width, utf8, &progress);
			assert_true(columns() < (width > 1 ? width : 2));
			assert_null(strpbrk(line, "\033\n"));
		}
	}
	/* The bar is full at the end, and not before. */
	progress.left_ns = 1;
	kb_progress_line(line, 100, false, &progress);
	assert_non_null(strstr(line, "###################"));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(words), cmocka_unit_test(fits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
