/* From comparisons to an exit code. */
#ifndef KB_CLI_GATE_H
#define KB_CLI_GATE_H

#include "cli/cli.h"
#include "result/comparison.h"

/* Of all codes that apply to these rows the first in the documented order. gate: what is slower, or not settled, ends with its code. */
int kb_gate_exit(const struct kb_comparison *rows, size_t count, bool gate);

/* The first of two codes in the order 2, 128+n, 5, 3, 1, 4, 0. */
int kb_worse_exit(int a, int b);

#endif
