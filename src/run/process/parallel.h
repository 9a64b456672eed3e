/*
 * Copies of one row that run side by side: each is a collector of its own on a CPU of its own, and all of them stand on
 * one line before each interval. A launch of the row is then one record after another, copy by copy.
 */
#ifndef KB_RUN_PROCESS_PARALLEL_H
#define KB_RUN_PROCESS_PARALLEL_H

#include "run/process/guardian.h"
#include "run/process/transport.h"

struct kb_gang;

/* The transport of a run that has rows of several copies. NULL without memory. */
struct kb_gang *kb_gang_new(const struct kb_run_options *, struct kb_guardian *, const char *scratch);
struct kb_transport kb_gang_transport(struct kb_gang *);
void kb_gang_free(struct kb_gang *);

#endif
