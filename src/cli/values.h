/* Values of options that several commands take. What is wrong ends the program with one line that names the option. */
#ifndef KB_CLI_VALUES_H
#define KB_CLI_VALUES_H

#include "cli/cli.h"
#include "suite/suite.h"

#define KB_MS UINT64_C(1000000)
#define KB_S (1000 * KB_MS)

/* "60s", "500ms": ns, from `least` to a week. */
uint64_t kb_value_time(const struct kb_command *, const char *option, const char *value, uint64_t least);

uint64_t kb_value_number(const struct kb_command *, const char *option, const char *value, uint64_t least, uint64_t most);

/* "1%", or a fraction such as "0.01": 1e-5 to 1. */
double kb_value_percent(const struct kb_command *, const char *option, const char *value);

/* --clock: NULL for "auto", else "ns". */
const char *kb_value_clock(const struct kb_command *, const char *value);

/* --suite: the selection of that name. */
enum kb_selection kb_value_suite(const struct kb_command *, const char *text);

#endif
