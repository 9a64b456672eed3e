/*
 * The one intake of text. A file, standard input or a serial line is cleaned; the content, not the name, decides what kind of
 * text it is; the reader of that kind makes records of it, which are processes of runs, or series of values where a record would have to
 * invent something. Whoever analyzes or stores reads those, never text.
 *
 * What is cut off becomes a process that says so. What is malformed or contradicts itself is refused with its file and line: a wrong table
 * must not become a number.
 */
#ifndef KB_IMPORT_IMPORT_H
#define KB_IMPORT_IMPORT_H

#include "base/text.h"
#include "result/samples.h"
#include "types.h"

struct kb_import_reader;

/* A kind of text: a file of this directory that ends with it, and a line in kb_import_kinds. */
struct kb_import_kind {
	const char *name;               /* as it is typed */
	bool records;                   /* makes runs; else series only */
	bool (*recognise)(struct kb_span text);         /* NULL: what nobody else recognised */
	int (*read)(struct kb_import_reader *);
	bool tool;                      /* results of another benchmark tool: times in ns, and the files' content tells runs apart */
};

extern const struct kb_import_kind kb_import_record, kb_import_kanata, kb_import_hyperfine, kb_import_criterion, kb_import_google,
	kb_import_perf, kb_import_lmbench, kb_import_sel4bench, kb_import_sel4bench_results, kb_import_csv;

/* In the order in which they are tried; ends with NULL. */
extern const struct kb_import_kind *const kb_import_kinds[];

struct kb_import_options {
	const struct kb_import_kind *kind;      /* NULL: the content decides */
	bool records;                   /* only kinds that make runs */
	const char *bench;              /* what a table measures; NULL: sel4.signal */
	const char *params;             /* "a=1 b=2", behind what the text says; NULL: none */
	const char *clock;              /* where the text names none; NULL: not known */
	uint64_t hz;                    /* of that clock; 0: not known */
	double confidence;              /* of the intervals of method kanata */
};

struct kb_import_process {
	char row[KB_ROW_NAME];
	char clock[16];                 /* "": its record ends before that */
	char *record;                   /* text, owned */
	size_t length;
	unsigned line;                  /* that it starts in */
	char cut[160];                  /* why its record is not whole; "": it is */
	unsigned cut_line;              /* where that was seen */
	bool sampled;                   /* of one that is cut: all samples are there, the program's last word is not */
};

struct kb_import_run {
	char machine[64];               /* that the name of its file is one of; "": the text may say */
	char id[65];                    /* what tells it from other runs of the text; "": it has no name */
	char started[21];               /* ISO 8601, UTC; "": the text does not say */
	struct kb_import_process *processes;
	size_t count;
};

/* How values lie in a text. */
enum kb_import_form {
	KB_IMPORT_GROUPS,               /* a column for each test size, of one or several tables */
	KB_IMPORT_POINTS,               /* n and ticks, in run order */
	KB_IMPORT_LIST,                 /* one column of values */
	KB_IMPORT_LINES,                /* a label, x and y; one line through the points of each label */
	KB_IMPORT_PRINTED,              /* a label with a line as somebody printed it */
	KB_IMPORT_RECORDS,
	KB_IMPORT_FORMS
};
extern const char *const kb_import_form_names[KB_IMPORT_FORMS];         /* "table of groups", "record" ... */

/* One group, one list, or the points of one label or process; all in the order of the text. */
struct kb_import_series {
	char label[KB_ROW_NAME];        /* lines and printed: as in the file; records: benchmark and parameters */
	double n;                       /* groups, list: operations a value; else 0 */
	double *x;                      /* points, records: n; lines: x; else NULL */
	double *y;                      /* ticks, or y */
	uint32_t *block;                /* points, records; else NULL */
	size_t count;
	char printed[3][32];            /* printed: slope, intercept, r2 */
};

struct kb_import {
	const struct kb_import_kind *kind;
	enum kb_import_form form;
	const char *unit;               /* of y: cycles, ticks, or "" */
	struct kb_import_run *runs;     /* one, unless the text tells several apart */
	size_t run_count;
	struct kb_import_series *series;
	size_t count;
	size_t zeros, events;           /* values that are no costs, and were left out */
	uint64_t sum;                   /* over the bytes of all texts, in their order */
};

#define KB_IMPORT_ERROR 400

/* Adds what the text holds, of the kind of what is there already. name stands in messages. The text is cleaned in place and not needed
   afterwards. 0, -EINVAL (error has one line: name, line, what, what to do) or -ENOMEM. The import is to be freed in any case. */
int kb_import_text(struct kb_import *, const struct kb_import_options *, const char *name, char *text, size_t length,
		   char error[KB_IMPORT_ERROR]);

/* The text of a file, or of standard input ("-"), with a null byte behind it; owned by the caller. A terminal line, as a board's console
   is, is read up to the end of what can be imported, or until nothing came for a minute; echo, if not NULL, gets what comes. Of a directory
   the text is that of criterion's files below it (criterion_files.c). Errors as above. */
int kb_import_load(const char *path, void (*echo)(const char *bytes, size_t length), char **text, size_t *length,
		   char error[KB_IMPORT_ERROR]);

/* Both. */
int kb_import_file(struct kb_import *, const struct kb_import_options *, const char *path, void (*echo)(const char *bytes, size_t length),
		   char error[KB_IMPORT_ERROR]);

/* Makes series of the records of a text that has been read, which must be whole then and of one clock a row. Errors as above. */
int kb_import_samples(struct kb_import *, const char *name, char error[KB_IMPORT_ERROR]);

/* A series for each group of a process of method kanata: its blocks. 0 or -ENOMEM. */
int kb_import_groups(struct kb_import *, const struct kb_points *op);

void kb_import_free(struct kb_import *);

/* "2026-05-04T10:00:00Z" of "2026-05-04T12:00:00+02:00"; false: no such date, and text is "". */
bool kb_import_date(const char *from, char text[21]);

/* The directory whose files are meant: path itself, or that of a file of criterion with its other files beside it. */
bool kb_import_directory(const char *path, char directory[4096]);

/* The first process with another clock than the first one of its row, which `first` then is the number of; NULL: all agree. Processes of a
   row make one number, so one unit. */
const struct kb_import_process *kb_import_other_clock(const struct kb_import_run *, size_t *first);

/* Takes out, in place, what a serial line adds to text: escape sequences, and carriage returns at both ends of lines. Lines keep their
   numbers. Returns the new length. */
size_t kb_import_clean(char *text, size_t length);

#endif
