/*
 * What a simulation achieved, held against what the method promises. Every figure is asserted, and appended as one row
 * of a table to the file that KB_TRUTH_OUT names. KB_TRUTH=full asks for all replications; otherwise a test draws a
 * few hundred and allows twice the tolerance. A seed fixes every draw, so a row is the same at every run.
 * A test includes the headers of cmocka before this one.
 */
#ifndef KB_TRUTH_TRUTH_H
#define KB_TRUTH_TRUTH_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool truth_full(void)
{
	const char *form = getenv("KB_TRUTH");

	return form && strcmp(form, "full") == 0;
}

/* Replications of this form, and the tolerance that fits them. */
static inline int truth_tries(int full, int brief)
{
	return truth_full() ? full : brief;
}

static inline double truth_tolerance(double tolerance)
{
	return truth_full() ? tolerance : 2 * tolerance;
}

/* One write, so that rows of programs that run at once do not mix. */
static inline void truth_append(const char *test, const char *what, const char *wanted, const char *tolerance,
                                double got)
{
	const char *path = getenv("KB_TRUTH_OUT");
	FILE *out = path && *path ? fopen(path, "a") : NULL;

	if (path && *path && !out)
		fail_msg("KB_TRUTH_OUT: cannot append to %s", path);
	if (!out)
		return;
	fprintf(out, "| %s | %s | %s | %s | %.8g |\n", test, what, wanted, tolerance, got);
	fclose(out);
}

/* got is wanted, give or take the tolerance. NaN is not. */
static inline void truth_row(const char *test, const char *what, double wanted, double tolerance, double got)
{
	char words[2][32];

	snprintf(words[0], sizeof(words[0]), "%.8g", wanted);
	snprintf(words[1], sizeof(words[1]), "%.3g", tolerance);
	truth_append(test, what, words[0], words[1], got);
	if (!(fabs(got - wanted) <= tolerance))
		fail_msg("%s, %s: %.6g is not %.6g +- %g", test, what, got, wanted, tolerance);
}

/* One-sided promises: a share of false alarms, a coverage. */
static inline void truth_at_most(const char *test, const char *what, double limit, double got)
{
	char words[32];

	snprintf(words, sizeof(words), "at most %.6g", limit);
	truth_append(test, what, words, "", got);
	if (!(got <= limit))
		fail_msg("%s, %s: %.6g is more than %.6g", test, what, got, limit);
}

static inline void truth_at_least(const char *test, const char *what, double limit, double got)
{
	char words[32];

	snprintf(words, sizeof(words), "at least %.6g", limit);
	truth_append(test, what, words, "", got);
	if (!(got >= limit))
		fail_msg("%s, %s: %.6g is less than %.6g", test, what, got, limit);
}

/* A figure of the simulation that stands beside a threshold of the method and is not judged: a contradiction, say. */
static inline void truth_note(const char *test, const char *what, double published, double got)
{
	char words[32];

	snprintf(words, sizeof(words), "%.6g", published);
	truth_append(test, what, words, "not judged", got);
}

#endif
