/* kbench model command: what a program of the user's should cost, from what it asks of the kernel. */
#ifndef KB_CLI_MODEL_COMMAND_H
#define KB_CLI_MODEL_COMMAND_H

#include "cli/model_rows.h"

struct kb_model_command {
	const struct kb_command *command;
	const struct kb_model *model;   /* of counts */
	char *const *argv;              /* the program and its arguments, ends with NULL */
	struct kb_model_run *options;
	unsigned repeats;
	uint64_t limit_ns;              /* of one run of the program */
	bool observed, json, verbose;
};

/* Counts, measures and prints; returns the exit code of kbench. */
int kb_model_command_run(const struct kb_model_command *, int argc, char **argv);

#endif
