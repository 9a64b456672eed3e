/* JUnit's XML: what a run and a comparison of two have in common there, and the comparison. */
#ifndef KB_REPORT_EXPORT_JUNIT_H
#define KB_REPORT_EXPORT_JUNIT_H

#include <stdio.h>

#include "types.h"
#include "result/comparison.h"

/* Two runs by what people call them, and what they came to against each other. */
struct kb_junit_comparisons {
	const char *base, *new;         /* labels or ids */
	const char *started;            /* of the new run, ISO 8601; "": not known */
	const struct kb_comparison *rows;
	size_t count;
};

/*
 * `kbench compare --junit`: a test case a comparison, `time` the new cost of one operation in seconds. A regression is a failure, an invalid
 * side an error; what is not settled, or has nothing to compare, is skipped: a build server shall not show it as passed.
 */
void kb_export_junit_comparisons(FILE *, const struct kb_junit_comparisons *);

/* ---- parts ------------------------------------------------------------------------------------------ */

struct kb_junit_counts { size_t tests, failures, errors, skipped; };

void kb_junit_begin(FILE *, const char *suite, const struct kb_junit_counts *, const char *started);
void kb_junit_end(FILE *);

/* The start of a test case, with a class name by the domain of the benchmark that the name begins with; ns NULL: it has no time. */
void kb_junit_case(FILE *, const char *name, const struct kb_estimate *ns);

/* XML has no form at all for control characters: they become blanks, as do bytes that are no UTF-8. */
void kb_junit_text(FILE *, const char *text);
void kb_junit_attribute(FILE *, const char *name, const char *value);

/* The first reason that has led to the status; NULL where none is given. And a line a reason. */
const struct kb_reason *kb_junit_cause(const struct kb_verdict *);
void kb_junit_reasons(FILE *, const struct kb_verdict *);

#endif
