/* Where a run stands among others that were measured at once: a node of a fleet, or a task of a Slurm allocation. */
#ifndef KB_RUN_PLACE_H
#define KB_RUN_PLACE_H

#include <jansson.h>

#include "types.h"

#define KB_PLACE_NODE 64        /* letters of a node's name */
#define KB_PLACE_ENVIRONMENT "KBENCH_FLEET"
#define KB_PLACE_WHY 200

struct kb_run_place {
	bool fleet, allocation;         /* neither: it stands alone */
	char id[37];                    /* of the fleet */
	char node[KB_PLACE_NODE + 1];   /* "": not known */
	char via[8], job[24];           /* job: of Slurm, "" where there is none */
	unsigned rank, of;
};

/* From KBENCH_FLEET="id=ID node=NAME rank=2 of=4 via=slurm", which `kbench fleet` sets, and from what Slurm tells its tasks; what a fleet
   leaves out, Slurm fills in. `get` is getenv. 0, or -EINVAL with a line in why: KBENCH_FLEET is not of this form. */
int kb_place_read(char *(*get)(const char *name), struct kb_run_place *, char why[KB_PLACE_WHY]);

/* Whether it can be a node's name, or part of a host's: it stands in words NAME=VALUE, in paths and on command lines. */
bool kb_place_is_name(const char *name);

/* Sets "fleet", or "allocation", in the settings of a run; side NULL: it is none of two that were interleaved. */
void kb_place_to_settings(const struct kb_run_place *, const char *side, json_t *settings);

/* "node n2, rank 2 of 4, side a, fleet 01935a00-..., job 17" of the settings of a stored run, brief without what is the same on all nodes; ""
   where it stands alone. Returns line. */
#define KB_PLACE_LINE 240
const char *kb_place_line(const json_t *settings, bool brief, char line[KB_PLACE_LINE]);

#endif
