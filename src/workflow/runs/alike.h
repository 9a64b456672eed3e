/* Whether two stored runs measured one thing. */
#ifndef KB_WORKFLOW_RUNS_ALIKE_H
#define KB_WORKFLOW_RUNS_ALIKE_H

#include "workflow/runs/saved.h"

#define KB_ALIKE_ROOM 320

/* The environment ID of a run; "unknown" where there is none. */
const char *kb_alike_env(const struct kb_saved *);

/* The CPU on which was measured, by the settings of a run; -1: they do not say. */
json_int_t kb_alike_cpu(const json_t *settings);

/* Sides a and b of one `kbench ab`, in whichever order. */
bool kb_alike_batch(const struct kb_saved *, const struct kb_saved *);

/* In which way machine or CPU of two results differ, whose runs these are; "" where they do not: then it is kernels alone that may. */
void kb_alike_differ(const struct kb_saved *, const struct kb_environment *, const struct kb_saved *, const struct kb_environment *,
		      char text[KB_ALIKE_ROOM]);

#endif
