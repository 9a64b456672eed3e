/* `kbench ab`: two sides, such as "LD_BIND_NOW=1 ./kbench-collect", measured in turn, compared, and kept as two runs. */
#ifndef KB_WORKFLOW_AB_H
#define KB_WORKFLOW_AB_H

#include "run/ab.h"
#include "workflow/workflow.h"

struct kb_ab_request {
	const struct kb_workflow_request *request;      /* of both; precision is the margin */
	const char *sides[2];           /* NAME=VALUE words, paths of a collector and of a plug-in; "": ours as it is */
	double margin;                  /* ln */
};

struct kb_ab_side {
	struct kb_workflow w;
	char *words;                    /* environment points into it */
	char **environment;             /* ends with NULL */
	char collector[PATH_MAX];       /* "": none of its own */
};

/* Two workflows, the second newer by its id, and the comparison of their rows. */
struct kb_ab_workflow {
	struct kb_ab_side side[2];
	size_t count;
	struct kb_ab_row *pairs;
	struct kb_comparison *rows;
	struct kb_run_outcome outcome;
};

/* 0, or the code of the failure. Release it in any case. */
int kb_ab_measure(const struct kb_ab_request *, struct kb_ab_workflow *, struct kb_failure *);
void kb_ab_release(struct kb_ab_workflow *);

/* Whether both runs stand in the store. */
bool kb_ab_kept(const struct kb_ab_workflow *);

#endif
