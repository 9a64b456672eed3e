/* qsort of the C library. */
#include <stdlib.h>

#define COUNT 1000u
#include "sort.h"

static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void sort(void)
{
	qsort(numbers, COUNT, sizeof *numbers, compare);
}

KB_BENCHMARK(
	.summary = "qsort of 1000 numbers", .per = "sort", .bound = KB_LATENCY,
	.setup = make_disorder, .op = sort_anew, .check = check_sorted,
);
