/* A letter at the end of 4 KB. */
#include <errno.h>
#include <string.h>

#include <kbench.h>

static char text[4096];
static uint64_t sum;

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
	return sum == n * (sizeof text - 1) ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}

KB_BENCHMARK(
	.summary = "memchr in 4 KB", .per = "search", .bound = KB_ISSUE,
	.setup = setup, .op = op, .check = check,
);
