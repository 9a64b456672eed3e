/* kbench model command: what a program of the user's should cost, from what it asks of the kernel. */
#ifndef KB_WORKFLOW_MODEL_COMMAND_H
#define KB_WORKFLOW_MODEL_COMMAND_H

#include "suite/model/model.h"
#include "suite/model/rows.h"
#include "workflow/workflow.h"

struct kb_model_command {
	const struct kb_workflow_request *request;      /* for the parts; without rows */
	const struct kb_model *model;   /* of counts */
	char *const *argv;              /* the program and its arguments, ends with NULL */
	unsigned repeats;
	uint64_t limit_ns;              /* of one run of the program */
};

/* Counts what the program asks for, and measures it and its parts. rows->observed says which cost of a part. 0, or the code of the
   failure; release workflow and rows in any case. */
int kb_model_command_measure(const struct kb_model_command *, struct kb_model_rows *, struct kb_model_account *, struct kb_workflow *,
			     struct kb_failure *);

#endif
