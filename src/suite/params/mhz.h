/*
 * The clock as the greatest common divisor of the times of nine expressions, each of which takes a whole number of cycles
 * (Staelin and McVoy, "mhz: Anatomy of a micro-benchmark", USENIX 1998; the lecture's rules by default). Kept for
 * comparison: it is fragile where an instruction takes no whole number of cycles. Pure functions.
 */
#ifndef KB_SUITE_PARAMS_MHZ_H
#define KB_SUITE_PARAMS_MHZ_H

#include "types.h"

#define KB_MHZ_EXPRESSIONS 9
#define KB_MHZ_LINES 6          /* the largest i of the lecture */

/* As include/kbench_expression.h describes them. */
extern const char *const kb_mhz_expressions[KB_MHZ_EXPRESSIONS];

enum kb_mhz_rules {
	KB_MHZ_LECTURE,         /* i up to 6; a line through the origin */
	KB_MHZ_LMBENCH          /* i up to 5; all differences and the origin are points, too; a line with intercept */
};

/* The period that divides the times: b of e = b c. cycles[j]: c_j of each time. */
struct kb_mhz_fit {
	double period;          /* unit of the times */
	double chi2;            /* sum of squared distances from the line */
	double weighted;        /* i^2 chi2: of multiples of the right i, which fit as well, the smallest is the least */
	unsigned i;             /* cycles of the shortest */
	double cycles[KB_MHZ_EXPRESSIONS];
};

/* The line for one i: c_j = round(i e_j / e_min), by least squares. False: fewer than two times, one that is none, or no line. */
bool kb_mhz_line(const double *times, size_t count, enum kb_mhz_rules rules, unsigned i, struct kb_mhz_fit *fit);

/* Of the lines for i = 1, 2 ... the one: i counts if i^2 chi2 is the smallest so far, as every multiple of the right one fits as well. False: there
   is none. */
bool kb_mhz_divide(const double *times, size_t count, enum kb_mhz_rules rules, struct kb_mhz_fit *fit);

struct kb_mhz_result {
	double mhz;             /* middle of the values in the fullest bin of 1 MHz; ties: the lower */
	unsigned subsets, agree; /* that gave a value, and those in that bin */
};

/*
 * times: ns of each expression. All subsets of two and more whose times are within 1/20 to 20 of their median and of
 * which two differ by more than 5 % of it. False: no subset can be used.
 */
bool kb_mhz_search(const double times[KB_MHZ_EXPRESSIONS], enum kb_mhz_rules rules, struct kb_mhz_result *result);

/* Two searches, of the minima and of the second minima, agree within 1 % or 1 MHz; else the machine was too busy. */
bool kb_mhz_agree(double first, double second);

#endif
