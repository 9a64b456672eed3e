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

/* Makes the result of a stored run again without a floor of the contention probe. False where it has no records: it is as before. */
bool kb_observed_make(const struct kb_command *, struct kb_store *, const char *run_id, struct kb_result *);

#endif
