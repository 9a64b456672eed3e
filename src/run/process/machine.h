/* What every measurement on this machine needs around it: a calibrated clock, the guardian, a scratch directory, processes. */
#ifndef KB_RUN_PROCESS_MACHINE_H
#define KB_RUN_PROCESS_MACHINE_H

#include "run/engine.h"
#include "run/process/guardian.h"

struct kb_machine {
	struct kb_guardian guardian;
	char scratch[512];
	uint64_t started_ns;
	struct kb_process *processes;   /* all of the run, a list: what runs for one is no stray when another ends */
};

/* Measures with an engine for each side of a comparison, or one: all that they need lives while `run` does. Fills the outcome but for
   what the schedule does. 0, or -errno with one line for people. */
int kb_machine_run(unsigned sides, const struct kb_run_options *, const struct kb_run_observer *,
                   int (*run)(void *context, const struct kb_engine *, struct kb_run_outcome *, char error[256]), void *context,
                   struct kb_run_outcome *, char error[256]);

#endif
