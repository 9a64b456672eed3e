/* kbench run, for commands that are one with more words, and what those share that measure. */
#ifndef KB_CLI_RUN_H
#define KB_CLI_RUN_H

#include "cli/cli.h"
#include "workflow/runs/baseline.h"
#include "workflow/workflow.h"

struct kb_run_request {
	struct kb_workflow_request w;
	struct kb_words sets;           /* -p */
	struct kb_words excludes;
	const char *baseline;           /* NULL: the last run that can be compared */
	unsigned fail_on;               /* bits: verdicts, and KB_FAIL_ON_SLOWER */
	enum kb_table_order order;
	const char *unit;               /* of the table; NULL: the one that fits each result */
	const struct kb_export_format *format;  /* instead of the table; NULL: the table */
	bool json, verbose, quiet, dry_run;
};

#define KB_FAIL_ON_SLOWER KB_STATUSES

/* Its options, read into a struct kb_run_request; ends with one without name. */
extern const struct kb_option kb_run_option_table[];

/* What was read makes sense together; what is left of the words are patterns. Takes the request over. */
int kb_run_measure(const struct kb_command *, struct kb_run_request *, uint64_t given, int argc, char **argv);

/* ---- its output -------------------------------------------------------------------------------------------- */

/* What would be measured, and how long. */
void kb_run_print_plan(const struct kb_run_request *, const struct kb_workflow *, const struct kb_baseline *);

/* What was selected, as a heading: "standard", "quick: sys", "sys ipc.*", "mine.so". Returns text. */
#define KB_SELECTION_ROOM 80
const char *kb_run_selection(const struct kb_workflow_request *, enum kb_selection, char text[KB_SELECTION_ROOM]);

/* Below the table: what belongs to single results, what changed against the baseline, and how the run ended. */
void kb_run_print_end(const struct kb_command *, const struct kb_run_request *, const struct kb_workflow *,
		      const struct kb_result *const *results, const struct kb_baseline *);

/* One line for each verdict of --fail-on that occurs, and for what is slower. Returns the exit code. */
int kb_run_fail(const struct kb_command *, unsigned fail_on, const struct kb_workflow *, const struct kb_baseline *);

/* ---- shared ------------------------------------------------------------------------------------------------- */

/* For all that measure: the words that the store keeps, where notes go, and a line of progress. */
void kb_begin_request(const struct kb_command *, struct kb_workflow_request *, int argc, char **argv);

#endif
