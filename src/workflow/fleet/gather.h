/* What nodes measured comes to the store. */
#ifndef KB_WORKFLOW_FLEET_GATHER_H
#define KB_WORKFLOW_FLEET_GATHER_H

#include "workflow/fleet/fleet.h"

/* Merges the stores of all nodes that have ended; what is known stays as it is, so that it may be done twice. */
int kb_fleet_gather_nodes(struct kb_fleet *, struct kb_failure *);

#endif
