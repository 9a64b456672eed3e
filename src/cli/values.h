/* What option tables of several commands share. */
#ifndef KB_CLI_VALUES_H
#define KB_CLI_VALUES_H

#include "base/units.h"
#include "cli/cli.h"

/* --label: one line of visible text, as lists of runs print it; `kbench ab` adds a few bytes. */
#define KB_LABEL_MAX 100

/* Of a test of method kanata, in operations: a billion take seconds at the least. */
#define KB_TEST_SIZE_MAX 1000000000

/* For kb_option_value.read of --clock: NULL for "auto", else "ns". */
int kb_read_clock_name(const char *value, void *place, struct kb_failure *);

#endif
