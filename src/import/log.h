/*
 * Measurements from logs of other programs and machines as launches of the store: every one becomes a record, so that
 * statistics, verdicts and re-analysis are those of what was measured here.
 *
 *	kanata            tables of the KBench application: a launch each
 *	record            our own records between any other lines: a launch each
 *	sel4bench         the JSON that sel4bench prints: a launch of a row for each of its results
 *	sel4bench-results lines of JSON, one a run of sel4bench: runs of their own, with their time
 *
 * What is cut off becomes a launch that says so; what contradicts itself is refused with its line number.
 */
#ifndef KB_IMPORT_LOG_H
#define KB_IMPORT_LOG_H

#include "import/import.h"
#include "result/result.h"

enum kb_log_kind { KB_LOG_AUTO, KB_LOG_KANATA, KB_LOG_RECORD, KB_LOG_SEL4BENCH, KB_LOG_RESULTS, KB_LOG_KINDS };
extern const char *const kb_log_names[KB_LOG_KINDS];    /* as they are typed: auto kanata record ... */

struct kb_log_wishes {
	enum kb_log_kind kind;
	const char *bench;              /* what a table measures; NULL: sel4.signal */
	const char *params;             /* "a=1 b=2", behind what the log says; or "" */
	const char *clock;              /* that the log does not name; NULL: nobody knows */
	uint64_t hz;                    /* 0: nobody knows */
	double confidence;              /* of kanata's intervals */
};

struct kb_log_launch {
	char row[KB_ROW_NAME];
	char *record;                   /* text, owned */
	size_t length;
	unsigned line;                  /* that it starts in */
	char trouble[160];              /* why its record is not whole, with a line number; "": it is */
};

struct kb_log_run {
	char id[65];                    /* what tells it from other runs of the log; "": one that has no name */
	char started[21];               /* ISO 8601, UTC; "": the log does not say */
	struct kb_log_launch *launches;
	size_t count, room;
};

struct kb_log {
	enum kb_log_kind kind;
	struct kb_log_run *runs;        /* one, unless the log tells several apart */
	size_t count, room;
	uint64_t foreign;               /* lines inside records that were none of theirs */
};

/* Adds what the text holds; name stands in messages. 0, -EINVAL (error has one line: name, line, what) or -ENOMEM. The text is
   cleaned in place (kb_log_clean). The log is to be freed in any case. */
int kb_log_read(struct kb_log *, const struct kb_log_wishes *, const char *name, char *text, size_t length,
		char error[KB_IMPORT_ERROR]);
void kb_log_free(struct kb_log *);

/* Takes out, in place, what a serial line adds to text: escape sequences, and carriage returns at both ends of lines. Lines
   keep their numbers. Returns the new length. */
size_t kb_log_clean(char *text, size_t length);

#endif
