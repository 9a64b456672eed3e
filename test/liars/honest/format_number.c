/* snprintf and strtod, in the locale of whoever runs it. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <kbench.h>

static double number = 1234.5;
static uint64_t sum;

static uint64_t once(void)
{
	char text[32];

	snprintf(text, sizeof text, "%.3f", number);
	return fabs(strtod(text, NULL) - number) < 0.001 ? 1 : 0;
}

static int setup(struct kb_run *run)
{
	setlocale(LC_ALL, "");
	return setlocale(LC_NUMERIC, NULL) ? 0 : kb_fail(run, EINVAL, "no locale");
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
	return sum == n * 1 ? 0 : kb_fail(run, EILSEQ, "a result is wrong");
}

KB_BENCHMARK(
	.summary = "a number into a text and back", .per = "number", .bound = KB_LATENCY,
	.setup = setup, .op = op, .check = check,
);
