/* The length of a text that the compiler cannot know. */
#include <string.h>

#include "sum.h"

static char text[1001];

static uint64_t once(void)
{
	return strlen(text);
}

static int setup(struct kb_run *run)
{
	(void)run;
	memset(text, 'a', sizeof text - 1);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n * 1000);
}

KB_BENCHMARK(
	.summary = "strlen of 1000 letters", .per = "text", .bound = KB_ISSUE,
	.setup = setup, .op = add_up, .check = check,
);
