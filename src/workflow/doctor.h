/* Whether this machine is fit to measure on: what is found without measuring, and who else uses the core that measures. */
#ifndef KB_WORKFLOW_DOCTOR_H
#define KB_WORKFLOW_DOCTOR_H

#include "env/env.h"
#include "run/sharing.h"
#include "workflow/exit.h"

struct kb_checkup {
	struct kb_finding findings[KB_FINDINGS_MAX];
	size_t count;
	struct kb_sharing sharing;
	bool measured;                  /* sharing is filled */
	bool unfit;                     /* something is. Unsure is not enough: in a virtual machine most findings are */
};

/* cpus: as for a run; ns: for how long the core is watched, 0: not at all. */
int kb_check_machine(const char *cpus, uint64_t ns, const struct kb_notes *, struct kb_checkup *, struct kb_failure *);

#endif
