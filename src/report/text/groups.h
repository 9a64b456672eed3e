/* The groups of a table: domains of benchmarks under one heading, in the words of the manual. */
#ifndef KB_REPORT_TEXT_GROUPS_H
#define KB_REPORT_TEXT_GROUPS_H

#include "types.h"

extern const unsigned kb_group_count;   /* groups have numbers below it, in the order of the table */

/* The group of a benchmark, by its domain; the last one is that of domains that are not known here. */
unsigned kb_group_of(const char *benchmark);

/* "SYSTEM CALLS"; "" of the self-tests, which stand below the table. */
const char *kb_group_heading(unsigned group);

bool kb_is_self_test(const char *benchmark);

#endif
