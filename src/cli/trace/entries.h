/* The parts of `kbench trace entries`: collecting, and showing what was collected. */
#ifndef KB_CLI_TRACE_ENTRIES_H
#define KB_CLI_TRACE_ENTRIES_H

#include <stdio.h>

#include "cli/cli.h"
#include "report/json/chrome_trace.h"
#include "trace/entries/cost.h"
#include "trace/entries/entries.h"
#include "trace/entries/sum.h"
#include "workflow/tracee.h"

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

#endif
