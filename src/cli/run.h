/* kbench run, for commands that are one with more words, and what those share that measure. */
#ifndef KB_CLI_RUN_H
#define KB_CLI_RUN_H

#include "cli/cli.h"
#include "workflow/workflow.h"

struct kb_run_request {
	struct kb_workflow_request w;
	struct kb_words sets;           /* -p */
	const char *unit;               /* of the table; NULL: the one that fits each result */
	bool json, verbose;
};

/* Its options, read into a struct kb_run_request; ends with one without name. */
extern const struct kb_option kb_run_option_table[];

/* What was read makes sense together; what is left of the words are patterns. Takes the request over. */
int kb_run_measure(const struct kb_command *, struct kb_run_request *, uint64_t given, int argc, char **argv);

/* For all that measure: the words that the store keeps, where notes go, and a line of progress. */
void kb_begin_request(const struct kb_command *, struct kb_workflow_request *, int argc, char **argv);

#endif
