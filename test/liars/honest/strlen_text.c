/* The length of a text that the compiler cannot know. */
#include <errno.h>
#include <string.h>

#include <kbench.h>

static char text[1001];
static uint64_t sum;

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
	return sum == n * 1000 ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}

KB_BENCHMARK(
	.summary = "strlen of 1000 letters", .per = "text", .bound = KB_ISSUE,
	.setup = setup, .op = op, .check = check,
);
