/* What the readers of kinds share: lines, numbers, messages, records being made. Only for src/import. */
#ifndef KB_IMPORT_READER_H
#define KB_IMPORT_READER_H

#include <stdio.h>

#include "base/record.h"
#include "import/import.h"

#define KB_CELLS_MAX 4096       /* columns of a table */

struct kb_import_reader {
	struct kb_import *import;
	const struct kb_import_options *options;
	const char *name;
	char *error;                    /* KB_IMPORT_ERROR bytes */
	struct kb_span text;            /* all of it, clean */
	struct kb_span rest;            /* what was not read yet */
	struct kb_span line;            /* without its end */
	unsigned number;                /* of that line, from 1 */
};

/* The next line that is neither blank nor a comment (#); false at the end. */
bool kb_import_next_line(struct kb_import_reader *);

/* Offset of the first line from `at` on that begins so; length of the text: there is none. And how many lines end before an offset. */
size_t kb_import_find_line(struct kb_span text, size_t at, const char *start);
unsigned kb_import_count_lines(struct kb_span text, size_t end);

/* A span without blanks around it. */
struct kb_span kb_import_trimmed(struct kb_span);

/* Writes "name:line: ..." and returns -EINVAL; line 0: all of the text is meant. */
int kb_import_refuse_at(struct kb_import_reader *, unsigned line, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define kb_import_refuse(reader, ...) kb_import_refuse_at(reader, (reader)->number, __VA_ARGS__)

/* A text of the file, short enough for a message. */
#define KB_SHOWN(span) (int)((span).length < 40 ? (span).length : 40), (span).at

/* ---- what is made of a text ------------------------------------------------------------------------- */

/* NULL: out of memory. The run of that machine and id is made if there is none. */
struct kb_import_series *kb_import_add_series(struct kb_import *, double n);
struct kb_import_run *kb_import_run_of(struct kb_import *, const char *machine, const char *id, const char *started);

/* Takes the process with its record over, or frees that if result, which it returns then, or the memory is against it. */
int kb_import_add_process(struct kb_import_run *, const struct kb_import_process *, int result);

/* A record being made: begin, lines and observations, end. */
struct kb_import_writer {
	struct kb_record_writer record;
	struct kb_import_run *run;
	struct kb_import_process process;
	FILE *memory;
	bool failed;                    /* its last line is one of kb_record_fail */
};

/* One more process of this row of the run; with parameters and clock of the options. */
int kb_import_begin(struct kb_import_writer *, struct kb_import_reader *, struct kb_import_run *, const char *bench, const char *params,
		    const char *per, const char *method);

/* Ends the record, unless it failed or writer->process.cut says why it has no end, and adds the process, unless result is an error. */
int kb_import_end(struct kb_import_writer *, int result);

/* The statistics that another program made, as fields of an `env` line; NAN where it has none. */
enum kb_reported_statistic { KB_REPORTED_MEAN, KB_REPORTED_SD, KB_REPORTED_SAMPLES, KB_REPORTED_MIN, KB_REPORTED_Q1, KB_REPORTED_MEDIAN,
			     KB_REPORTED_Q3, KB_REPORTED_MAX, KB_REPORTED };
void kb_import_report(struct kb_import_writer *, const double statistics[KB_REPORTED]);

/* ---- names ------------------------------------------------------------------------------------------ */

/* Refuses what cannot name a benchmark (kb_is_bench_name). Returns -EINVAL. */
int kb_import_refuse_name(struct kb_import_reader *, const char *name);

/* Lower case letters, digits and underscores, as names of benchmarks and parameters have. Of words that are cut, or have other letters
   than those of ASCII, the last nine bytes are '_' and a hash, so that two of them do not become one. Returns text. */
const char *kb_import_slug(char *text, size_t room, const char *words);

#endif
