/*
 * See func.h: the step of the clock that stamps are taken with. It tells whole nanoseconds; many a clock moves by 10 or 42 of them at once
 * all the same, and times that are shorter than that all look alike.
 */
#include "trace/func/func.h"

#include <math.h>

#include "io.h"

#define READINGS 2001u
#define ROUNDS 200u             /* a clock of the timer's tick moves in one of them at last */
#define WORK 64u                /* turns: what lies between two readings is ever another time */

/* Values next to each other are one, for a step may be a fraction: 41.67 ns come as 41 and as 42. Two such in a row are none, but a clock
   of one nanosecond. 0: there is one value only. */
double kb_func_step_of(double *differences, size_t count)
{
	double start = 0, step = 0;

	kb_sort(differences, count);
	for (size_t i = 0; i < count; i++) {
		if (i == 0) {
			start = differences[i];
			continue;
		}
		if (differences[i] - differences[i - 1] > 1.5) {
			double apart = differences[i] - start;

			step = step > 0 ? fmin(step, apart) : apart;
			start = differences[i];
		} else if (differences[i] - start > 1.5) {
			return 1;
		}
	}
	return step;
}

double kb_func_clock_step(void)
{
	static double differences[READINGS];

	for (unsigned round = 0; round < ROUNDS; round++) {
		for (unsigned i = 0; i < READINGS; i++) {
			uint64_t first = kb_monotonic_ns();

			for (volatile unsigned turn = 0; turn < i % WORK; turn = turn + 1)
				;
			differences[i] = (double)(kb_monotonic_ns() - first);
		}

		double step = kb_func_step_of(differences, READINGS);

		if (step > 0)
			return step;
	}
	return 1;
}
