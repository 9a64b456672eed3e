/* What `kbench trace` shows: the tables of an overhead and of a log, and the same as JSON. */
#ifndef KB_CLI_TRACE_H
#define KB_CLI_TRACE_H

#include <jansson.h>

#include "trace/read.h"

#define KB_TRACE_SCHEMA "kbench-trace/1"

/* The source document's two tables, one row a kind of stamps; a NULL name ends the list. */
struct kb_trace_kind { const char *name; const struct kb_trace_overhead *overhead; };
void kb_trace_print_overhead(const struct kb_trace_kind *kinds);
json_t *kb_trace_overhead_json(const struct kb_trace_overhead *overhead);

void kb_trace_print(const char *file, const struct kb_trace_read *read);
json_t *kb_trace_json(const char *file, const struct kb_trace_read *read);

#endif
