/* Results that never change, for tests of what is printed. */
#ifndef TEST_REPORT_FIXED_H
#define TEST_REPORT_FIXED_H

#include "result/result.h"

/* A good one with everything known. */
struct kb_result fixed_pipe(void);

/* One on the core's clock: cycles, no quantiles, machine code as evidence, a disturbed verdict. */
struct kb_result fixed_add(void);

/* One without a number. */
struct kb_result fixed_crash(void);

/* Columns of the longest line; every character of ours is one column. */
unsigned fixed_widest(const char *text);

bool fixed_is_ascii(const char *text);

#endif
