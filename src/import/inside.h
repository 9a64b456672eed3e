/* What the readers of logs share. Only for src/report/import*.c. */
#ifndef KB_IMPORT_INSIDE_H
#define KB_IMPORT_INSIDE_H

#include <stdio.h>

#include "base/record.h"
#include "import/log.h"
#include "import/parse.h"

struct kb_log_reader {
	struct kb_parse parse;          /* import is NULL here */
	struct kb_log *log;
	const struct kb_log_wishes *wishes;
	char *text;                     /* all of it, clean */
	size_t length;
};

/* The run of that id, made if there is none; NULL: out of memory. */
struct kb_log_run *kb_log_run(struct kb_log *, const char *id, const char *started);

/* A record being made. */
struct kb_log_writer {
	struct kb_record_writer record;
	FILE *memory;
	char *text;
	size_t length;
	struct kb_log_run *run;
	struct kb_log_launch launch;
};

/* Starts the record of one more launch of this row of the run: with method, parameters and the clock that is wished. */
int kb_log_begin(struct kb_log_writer *, struct kb_log_reader *, struct kb_log_run *, const char *bench, const char *params,
		 const char *per, const char *method);

/* Ends it, so that it is whole; or, with a reason, leaves it as cut off as the log is. Adds the launch to its run. */
int kb_log_end(struct kb_log_writer *, const char *trouble);

/* Adds a launch with a record that is there. */
int kb_log_add(struct kb_log_run *, const struct kb_log_launch *);

/* Refuses what cannot name a benchmark (kb_is_bench_name). Returns -EINVAL. */
int kb_log_no_name(struct kb_log_reader *, const char *name);

/* "sel4bench.SLUG" of what sel4bench calls it. 0 or -EINVAL: nothing is left of that. */
int kb_log_bench_name(struct kb_log_reader *, char name[64], const char *words);

/* Lower case letters, digits and underscores, as names of benchmarks and parameters have. Of words that are cut, or have other letters
   than those of ASCII, the last nine bytes are '_' and a hash, so that two of them do not become one. Returns text. */
const char *kb_log_slug(char *text, size_t room, const char *words);

/* The statistics that another program made, as fields of an `env` line; NAN where it has none. */
struct kb_log_reported { double min, q1, median, mean, q3, max, sd, samples; };
void kb_log_report(struct kb_log_writer *, const struct kb_log_reported *);

int kb_log_kanata(struct kb_log_reader *);
int kb_log_records(struct kb_log_reader *);
int kb_log_sel4bench(struct kb_log_reader *);
int kb_log_results(struct kb_log_reader *);

#endif
