/* Metrics of seL4's history of sel4bench, and where sel4bench's own output has each of them: a block, and what its columns say. */
#ifndef KB_IMPORT_SEL4BENCH_NAMES_H
#define KB_IMPORT_SEL4BENCH_NAMES_H

#include <jansson.h>

#include "import/reader.h"

#define KB_SEL4BENCH_COLUMNS 3

struct kb_sel4bench_metric {
	const char *key, *benchmark;
	struct kb_sel4bench_column { const char *name, *value; } columns[KB_SEL4BENCH_COLUMNS];
};

/* Fewer than 64; a null key behind the last. */
extern const struct kb_sel4bench_metric kb_sel4bench_metrics[];

/* "sel4bench.SLUG" of what sel4bench calls it. -EINVAL: nothing is left of that. */
int kb_sel4bench_name(struct kb_import_reader *, char name[64], const char *words);

/* "": there is none. */
const char *kb_sel4bench_text(const json_t *object, const char *key);

/* The number of the metric that a row of such a block is; -1: of none. */
int kb_sel4bench_metric(const char *benchmark, const json_t *row);

#endif
