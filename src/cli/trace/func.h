/* What `kbench trace func` found, and the forms in which it is shown. */
#ifndef KB_CLI_TRACE_FUNC_H
#define KB_CLI_TRACE_FUNC_H

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#include "cli/cli.h"
#include "trace/func/func.h"

struct kb_func_report {
	const char *function;
	enum kb_func_route route;
	uint64_t limit;                 /* calls */
	struct kb_bpf_refusal refusals[KB_FUNC_ROUTES]; /* before the route */
	int refusal_count;
	struct kb_bpf_refusal unverified;       /* null.count 0: why the probe's cost is not known */
	struct kb_bpf_refusal unwatched;        /* error 0: interrupts and switches were looked for; else why not */
	struct kb_func_log log, null;
	size_t null_before;             /* of the null's calls: those before tracing */
	struct kb_func_summary summary;
	FILE *record;                   /* NULL: none is written */
	const char *ending;             /* of the command, where it did not end well */
	int exit;
};

void kb_func_report_print(const struct kb_func_report *);
json_t *kb_func_report_json(const struct kb_func_report *);

#endif
