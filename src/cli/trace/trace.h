/* The verbs of `kbench trace`, and what they show: the tables of an overhead and of a log, and the same as JSON. */
#ifndef KB_CLI_TRACE_TRACE_H
#define KB_CLI_TRACE_TRACE_H

#include <errno.h>
#include <jansson.h>
#include <stdio.h>

#include "cli/cli.h"
#include "report/json/chrome_trace.h"
#include "trace/entries/cost.h"
#include "trace/entries/entries.h"
#include "trace/entries/sum.h"
#include "trace/func/func.h"
#include "trace/points/read.h"
#include "trace/sel4/log.h"
#include "workflow/tracee.h"

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

struct kb_trace_entries_request {
	const struct kb_command *command;
	char **argv;                    /* the command; NULL: until a signal */
	const char *record, *chrome;    /* files; NULL: none */
	uint64_t limit;                 /* entries; 0: none */
	uint64_t ring_bytes;
	size_t timeline;                /* entries to print one by one */
	unsigned slowdown;              /* pairs of runs; 0: not measured */
	bool everything, json;
};

struct kb_trace_entries {
	const struct kb_trace_entries_request *request;
	struct kb_entries entries;
	struct kb_pairing *pairing;
	struct kb_entry_sum sum;
	struct kb_entries_cost cost;
	struct kb_interval slowdown;    /* time with / time without, of so many pairs of runs */
	unsigned pairs;
	bool changed;                   /* one of these runs ended otherwise than the first */
	struct kb_entry *first;         /* of the timeline */
	size_t first_count;
	FILE *record_file, *chrome_file;
	struct kb_entries_record record;
	struct kb_chrome_trace chrome;
	struct kb_pairing_counts counts;
	uint64_t lost;                  /* raw entries */
	uint64_t unfollowed;            /* threads of the command for which there was no room */
	uint64_t start_ns, end_ns;
	uint64_t peak_kib;              /* of memory of this process */
	bool discard;                   /* nothing is kept: only time is measured */
	bool full;                      /* stopped at the limit */
	bool unwritten;                 /* a file is not whole */
	struct kb_tracee command;
};

void kb_trace_entries_print(const struct kb_trace_entries *);
void kb_trace_entries_json(const struct kb_trace_entries *);

struct kb_func_report {
	const char *function;
	enum kb_func_route route;
	uint64_t limit;                 /* calls */
	struct kb_bpf_refusal refusals[KB_FUNC_ROUTES]; /* before the route */
	int refusal_count;
	struct kb_bpf_refusal unverified;       /* null.count 0: why the probe's cost is not known */
	struct kb_bpf_refusal unwatched;        /* error 0: interrupts and switches were looked for; else why not */
	struct kb_func_log log, null;   /* of all processes */
	struct kb_func_process processes[KB_FUNC_PROCESSES_MAX];
	unsigned count;                 /* of them; the command ran in each, once */
	const char *other;              /* how one behind the first ended, which is left out with all that would follow; "" */
	double step;                    /* of the clock, ns; 0: it counts instructions, which are whole */
	bool histogram;
	struct kb_func_summary summary;
	FILE *record;                   /* NULL: none is written */
	const char *ending;             /* of the command, where it did not end well */
	int exit;
};

void kb_func_report_print(const struct kb_func_report *);
json_t *kb_func_report_json(const struct kb_func_report *);

#endif
