/* The transport to kbench-collect. */
#ifndef KB_RUN_PROCESS_H
#define KB_RUN_PROCESS_H

#include "run/guardian.h"
#include "run/transport.h"

struct kb_process;

/* The process transport of one run; scratch is its folder. NULL without memory. */
struct kb_process *kb_process_new(const struct kb_run_options *, struct kb_guardian *, const char *scratch);
struct kb_transport kb_process_transport(struct kb_process *);

/* In a comparison two others may be alive: what runs for them is no stray when a launch of this one ends. */
void kb_process_beside(struct kb_process *, struct kb_process *const others[2]);
void kb_process_free(struct kb_process *);

#endif
