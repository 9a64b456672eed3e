/* The verbs of `kbench trace`, and what they show: the tables of an overhead and of a log, and the same as JSON. */
#ifndef KB_CLI_TRACE_TRACE_H
#define KB_CLI_TRACE_TRACE_H

#include <jansson.h>

#include "cli/cli.h"
#include "trace/points/read.h"
#include "trace/sel4/log.h"

/* Each with options and help of its own; cmd_trace.c has a row for each. */
extern const struct kb_command kb_trace_overhead_verb, kb_trace_analyze_verb, kb_trace_func_verb, kb_trace_entries_verb,
	kb_trace_util_verb;

#define KB_TRACE_SCHEMA "kbench-trace/1"

/* {"value", "low", "high"}, both ends null without an interval. A new reference. */
json_t *kb_trace_interval_json(const struct kb_interval *interval);

/* The source document's two tables, one row a kind of stamps; a NULL name ends the list. unit: what the clock counts. */
struct kb_trace_kind { const char *name; const struct kb_trace_overhead *overhead; };
void kb_trace_print_overhead(const struct kb_trace_kind *kinds, const char *unit);
json_t *kb_trace_overhead_json(const struct kb_trace_overhead *overhead);

void kb_trace_print(const char *file, const struct kb_trace_read *read);
json_t *kb_trace_json(const char *file, const struct kb_trace_read *read);

#define KB_TRACE_SEL4_SCHEMA "kbench-trace-sel4/1"

/* What the console of a root server holds of the kernel's log and counters, but trace points. */
void kb_trace_print_sel4(const char *file, const struct kb_sel4_log *log);
json_t *kb_trace_sel4_json(const char *file, const struct kb_sel4_log *log);

/* The table of kernel entries of one kind and number; lasted 0: there are no times. */
struct kb_trace_line { const char *kind, *name; uint64_t count, lasted; double total, min, max; struct kb_interval median; };
void kb_trace_print_lines_heading(const char *unit);
void kb_trace_print_line(const struct kb_trace_line *);

/* Whether the shares of the CPU, if there are any, are of some time and together no more than it. */
bool kb_trace_sel4_credible(const struct kb_sel4_log *log);

#endif
