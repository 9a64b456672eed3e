/* Says in every way that a benchmark has what no terminal should get (hostile_text.sh). */
#include <errno.h>

#include <kbench.h>

/* \x1b[31m, U+009B as UTF-8 and as a byte, U+202E, U+2028, an overlong ESC, a surrogate, line ends; then what must pass. */
static const char text[] = "\x1b[31m \xc2\x9b" "31m \x9b" "31m \xe2\x80\xae \xe2\x80\xa8 \xc0\x9b \xed\xa0\x80 \n\r\t\x7f \xc3\xa9\xe6\x97\xa5";

static int setup(struct kb_run *run)
{
	if (kb_param_is(run, "what", "fail"))
		return kb_fail(run, EIO, "%s", text);
	if (kb_param_is(run, "what", "skip"))
		return kb_skip(run, "%s", text);
	if (kb_param_is(run, "what", "unproven"))
		kb_unproven(run, "%s", text);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	for (uint64_t i = 0; i < n; i++)
		kb_keep(i);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	if (kb_param_is(run, "what", "covariate"))
		kb_covariate(run, "x\x9b\xe2\x80\xae", 1);
	return kb_param_is(run, "what", "refute") ? kb_refute(run, text) : 0;
}

KB_BENCHMARK(
	.summary = "has hostile words", .per = "turn", .bound = KB_ISSUE,
	.params = { { "what", "is said", KB_CHOICE, "fail", .choices = "fail,skip,unproven,covariate,refute" } },
	.setup = setup, .op = op, .check = check,
);
