/* snprintf and strtod, in the locale of whoever runs it. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sum.h"

static double number = 1234.5;

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

static int check(struct kb_run *run, uint64_t n)
{
	return sums_to(run, n);
}

KB_BENCHMARK(
	.summary = "a number into a text and back", .per = "number", .bound = KB_LATENCY,
	.setup = setup, .op = add_up, .check = check,
);
