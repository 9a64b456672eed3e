/*
 * Headlines of two kinds have no ratio: typical of version 1, observed, uncontended. What both sides can be asked for is the observed
 * cost, which is made again from their records, by the same statistics.
 */
#ifndef KB_CLI_STORE_OBSERVED_H
#define KB_CLI_STORE_OBSERVED_H

#include "cli/cli.h"
#include "result/result.h"
#include "store/store.h"

/* Whether a comparison of the two has to go back to the records. Results without a cost are compared as they are. */
bool kb_observed_needed(const struct kb_result *, const struct kb_result *);

/* One result of a run, to be made again. */
struct kb_observed { const char *key; struct kb_result *result; bool made; };

/* Makes those results of a stored run again without a floor of the contention probe, in one pass over its records. `made` is false
   where there are none, and the result as before. */
void kb_observed_make(const struct kb_command *, struct kb_store *, const char *run_id, struct kb_observed *, size_t count);

#endif
