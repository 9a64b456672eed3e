/* A word at the end of a text. */
#include <errno.h>
#include <string.h>

#include <kbench.h>

static char text[2001];
static uint64_t sum;

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

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		sum += once();
		kb_clobber();
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return sum == n * 1996 ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}

KB_BENCHMARK(
	.summary = "strstr in 2000 letters", .per = "search", .bound = KB_ISSUE,
	.setup = setup, .op = op, .check = check,
);
