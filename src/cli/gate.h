/* From comparisons to an exit code, and the noise floor that earlier self-tests of this environment ID left. */
#ifndef KB_CLI_GATE_H
#define KB_CLI_GATE_H

#include "cli/cli.h"
#include "run/comparison.h"
#include "store/store.h"

enum kb_gate { KB_GATE_NONE, KB_GATE_REGRESSION, KB_GATE_STRICT };

/* The value of --gate; NULL: it has none. */
enum kb_gate kb_gate_of(const struct kb_command *, const char *value);

/* Of all codes that apply to these rows the first in the documented order. */
int kb_gate_exit(const struct kb_comparison *rows, size_t count, enum kb_gate gate);

/* The first of two codes in the order 2, 128+n, 5, 3, 1, 4, 0. */
int kb_worse_exit(int a, int b);

/* |ln ratio| of side A against itself, by row, of the newest runs of `kbench ab` of one environment ID. */
struct kb_floors;

struct kb_floors *kb_floors_load(const struct kb_command *, struct kb_store *, const char *env_class);
/* Those of one row: how many, at most 20; differences stay the floors'. */
size_t kb_floors_of(const struct kb_floors *, const char *row, const double **differences);
void kb_floors_free(struct kb_floors *);

#endif
