/* A letter at the end of 4 KB. */
#include <string.h>

#include "sum.h"

static char text[4096];

static uint64_t once(void)
{
	return (uint64_t)((const char *)memchr(text, 'b', sizeof text) - text);
}

static int setup(struct kb_run *run)
{
	(void)run;
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = 'b';
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n * (sizeof text - 1));
}

KB_BENCHMARK(
	.summary = "memchr in 4 KB", .per = "search", .bound = KB_ISSUE,
	.setup = setup, .op = add_up, .check = check,
);
