/*
 * Benchmarks that are measured in several variants of one run, processes in turn: under interference and alone
 * (`interference`), one copy and several (`copies`). The variant is the last word of the result's name, because it is part of what was measured.
 */
#ifndef KB_RUN_VARIANTS_H
#define KB_RUN_VARIANTS_H

#include "result/comparison.h"
#include "run/run.h"

#define KB_VARIANT_INTERFERENCE "interference"  /* value: its kind; base "nothing" */
#define KB_VARIANT_COPIES "copies"      /* value: their number; base "1" */

/* Each result once for each value: its key grows by " name=value", its group becomes the number of the result from 1. The array
   is made anew. -ENOMEM, -ENAMETOOLONG: a key does not fit; the results then are as before. */
int kb_variants_rows(struct kb_row **rows, size_t *count, const char *name, const char *const *values, size_t value_count);

/* The value of the variant in the text of a result's parameters, up to the next blank; NULL: it has none. */
const char *kb_variant_of(const char *params, const char *name);

/* Every result that has the variant against the one of the same result with the value `base`, by processes of one number,
   and the p of all of them as one family. out has room for count. Returns how many; the result's name is the variant's. */
size_t kb_variants_compare(const struct kb_result *const *results, size_t count, const char *name, const char *base,
                           struct kb_comparison *out);

#endif
