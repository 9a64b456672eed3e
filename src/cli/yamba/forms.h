/* What the commands about forms of instructions share: templates, documented values, the program that is made of them, and a run of it. */
#ifndef KB_CLI_YAMBA_FORMS_H
#define KB_CLI_YAMBA_FORMS_H

#include <limits.h>

#include "cli/yamba/yamba.h"
#include "study/forms.h"
#include "workflow/workflow.h"

struct kb_forms_job {
	const struct kb_command *command;
	struct kb_arena arena;
	struct kb_forms forms;
	struct kb_known known;
	struct kb_workflow w;           /* the last run */
	char plugin[PATH_MAX];
};

/* The request of a run of thousands of short results. */
struct kb_workflow_request kb_forms_request(void);

/* Reads templates and documented values; NULL: those of this machine that come with kbench. Ends the program where they are wrong. */
void kb_forms_job_read(struct kb_forms_job *, const struct kb_command *, const char *templates, const char *known);

/* Builds the program if need be, and measures what is named: "NAME,NAME...". */
void kb_forms_job_measure(struct kb_forms_job *, struct kb_workflow_request *, const char *names, int argc, char **argv);

/* The result of the last run with this name; NULL: it has none. *next: where to look first, and after it where this one stands. */
const struct kb_result *kb_forms_job_result(const struct kb_forms_job *, const char *name, size_t *next);

/* KB_EXIT_FAILED if a result is invalid: a chain that is renamed away is an answer. */
int kb_forms_job_code(const struct kb_forms_job *);

/* The last line: what ended the last run, and how to repeat it. */
void kb_forms_job_print_end(const struct kb_forms_job *);

/* "AMD EPYC (AuthenticAMD family 26 model 2), 2026-11-28" */
const char *kb_forms_job_machine(struct kb_forms_job *);

#endif
