/* Columns: characters and not bytes are counted, colours take none, and what has no room is cut, left out or has a line of its own. */
#include "report/text/columns.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void prints(struct kb_columns columns, const char *lines, const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	fputs(lines, kb_columns_open(&columns, out));
	kb_columns_print(&columns, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void aligned(void **state)
{
	struct kb_columns columns = { .align = "lrul", .indent = 1 };

	(void)state;
	prints(columns, "\tcost\t\tverdict\nGROUP, a line without cells\na\t±1\tns\tok\nlonger\t100\tus\tnoisy\n",
	       "         cost     verdict\nGROUP, a line without cells\n a         ±1 ns  ok\n longer   100 us  noisy\n");
	/* An empty column has no gap, an empty cell no blanks at the end of its line. */
	prints(columns, "a\t\t\tx\nbb\t\t\t\n", " a   x\n bb\n");
	prints(columns, "", "");
}

static void colours(void **state)
{
	(void)state;
	assert_int_equal(kb_text_width("\033[32mok\033[0m"), 2);
	assert_int_equal(kb_text_width("1 ±\u2026"), 4);
	prints((struct kb_columns){ .align = "ll" }, "\033[32mok\033[0m\tx\nnoisy\ty\n", "\033[32mok\033[0m     x\nnoisy  y\n");
	/* What is cut must not colour the next line. */
	prints((struct kb_columns){ .align = "ll", .room = 8, .drop = "", .first_wanted = 4, .first_least = 2, .utf8 = true },
	       "a\t\033[31minvalid\033[0m\n", "a  \033[31minva\u2026\033[0m\n");
}

static void narrow(void **state)
{
	struct kb_columns columns = { .align = "lrrl", .room = 24, .drop = "21", .first_wanted = 8, .last_wanted = 4, .first_least = 8 };
	const char *lines = "name\t12\t345678\tcauses that are many\nbench.mark size=1\t1\t2\tx\n";

	(void)state;
	/* The third cell gives way to the others; of the name the first word, and the last cell at the end of the line. */
	prints(columns, lines, "name            12  c...\nbenc... size=1   1  x\n");
	columns.room = 60;
	prints(columns, lines, "name               12  345678  causes that are many\nbench.mark size=1   1       2  x\n");
	prints((struct kb_columns){ .align = "ll", .first_most = 4 }, "short\tx\na\ty\n", "short\n      x\na     y\n");
}

/* More tabs than columns, as in a text that nobody made visible. */
static void too_many(void **state)
{
	(void)state;
	prints((struct kb_columns){ .align = "ll" }, "a\tb\tc\td\n", "a  b  c\td\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aligned), cmocka_unit_test(colours), cmocka_unit_test(narrow), cmocka_unit_test(too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
