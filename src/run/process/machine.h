/* What every measurement on this machine needs around it: a calibrated clock, the guardian, a scratch folder. */
#ifndef KB_RUN_PROCESS_MACHINE_H
#define KB_RUN_PROCESS_MACHINE_H

#include "run/process/guardian.h"
#include "run/run.h"

struct kb_machine {
	struct kb_guardian guardian;
	char scratch[512];
	uint64_t started_ns;
};

/* Fills the outcome's clock. 0, or -errno with one line for people; then there is nothing to close. */
int kb_machine_open(struct kb_machine *, const struct kb_run_options *, struct kb_run_outcome *, char error[256]);

/* Cleans up; fills the outcome's elapsed time. */
void kb_machine_close(struct kb_machine *, struct kb_run_outcome *);

#endif
