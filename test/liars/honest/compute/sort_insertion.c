/* Insertion sort of a few numbers. */
#define COUNT 64u
#include "sort.h"

static void sort(void)
{
	for (unsigned i = 1; i < COUNT; i++) {
		int number = numbers[i];
		unsigned place = i;

		for (; place > 0 && numbers[place - 1] > number; place--)
			numbers[place] = numbers[place - 1];
		numbers[place] = number;
	}
}

KB_BENCHMARK(
	.summary = "insertion sort of 64 numbers", .per = "sort", .bound = KB_LATENCY,
	.setup = make_disorder, .op = sort_anew, .check = check_sorted,
);
