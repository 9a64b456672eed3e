/*
 * The transport of a run: one process, or copies of one result side by side, each a collector on a CPU of its own; all of them stand on
 * one line before each sample. What is sent to one is sent to all, and their text is one record after another, copy by copy.
 */
#ifndef KB_RUN_PROCESS_PARALLEL_H
#define KB_RUN_PROCESS_PARALLEL_H

#include "run/process/machine.h"
#include "run/process/transport.h"

struct kb_copies;

/* As many processes as the result with most copies needs. NULL without memory. */
struct kb_copies *kb_copies_new(const struct kb_run_options *, struct kb_machine *);
struct kb_transport kb_copies_transport(struct kb_copies *);
void kb_copies_free(struct kb_copies *);

#endif
