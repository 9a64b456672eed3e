/* Values of options that a command reads by hand. What is wrong ends the program with one line that names the option. */
#ifndef KB_CLI_VALUES_H
#define KB_CLI_VALUES_H

#include "base/units.h"
#include "cli/cli.h"

uint64_t kb_value_number(const struct kb_command *, const char *option, const char *value, uint64_t least, uint64_t most);

/* "1%", or a fraction below 1 such as "0.01": 1e-5 to 1. */
double kb_value_percent(const struct kb_command *, const char *option, const char *value);

/* --label: one line of visible text, as lists of runs print it; `kbench ab` adds a few bytes. */
#define KB_LABEL_MAX 100
const char *kb_value_label(const struct kb_command *, const char *value);

/* Of a test of method kanata, in operations: a billion take seconds at the least. */
#define KB_TEST_SIZE_MAX 1000000000

/* For kb_option_value.read of --clock: NULL for "auto", else "ns". */
int kb_read_clock_name(const char *value, void *place, struct kb_failure *);

#endif
