/* A word at the end of a text. */
#include <string.h>

#include "sum.h"

static char text[2001];

static uint64_t once(void)
{
	return (uint64_t)(strstr(text, "word") - text);
}

static int setup(struct kb_run *run)
{
	(void)run;
	memset(text, 'w', sizeof text - 1);
	memcpy(text + 1996, "word", 4);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n * 1996);
}

KB_BENCHMARK(
	.summary = "strstr in 2000 letters", .per = "search", .bound = KB_ISSUE,
	.setup = setup, .op = add_up, .check = check,
);
