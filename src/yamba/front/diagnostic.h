/*
 * Messages that point: number, file:line:column, the source line with a caret, the cause, what to do. They are
 * collected, then sorted by place, so that one run shows all that is wrong in the order in which one reads.
 */
#ifndef KB_YAMBA_FRONT_DIAGNOSTIC_H
#define KB_YAMBA_FRONT_DIAGNOSTIC_H

#include <stdio.h>

#include "assemble/arena.h"

struct kb_transclusion { struct kb_yamba_source *source; struct kb_transclusion *next; };

/* A file of Yamba that was read. `index` is the order of reading: the file given, what it transcludes, the library. */
struct kb_yamba_source {
	const char *path;
	const char *real;               /* the same without links; NULL: it is no file of the system */
	const char *text;               /* `length` bytes, not terminated */
	size_t length;
	unsigned index;
	bool shipped;                   /* of the library or bench/yamba: gives way to a class of the file given */
	bool wanted;                    /* its diagnostics are shown */
	const struct kb_yamba_source *from;   /* that transcludes it */
	struct kb_transclusion *transcluded, **transcluded_end; /* all, also those that others had read */
	unsigned mark;                  /* of the last walk that came by */
	struct kb_yamba_class *classes, **classes_end;
	struct kb_c_text *texts, **texts_end;
	struct kb_yamba_source *next;
};

struct kb_place { const struct kb_yamba_source *source; const char *at; };

/* Both count from 1; a column is a byte. */
void kb_place_find(struct kb_place, unsigned *line, unsigned *column);

struct kb_note { struct kb_place at; const char *text; struct kb_note *next; };

struct kb_diagnostic {
	unsigned number;                /* 101 for Y101 */
	bool warning;
	struct kb_place at;
	const char *cause, *remedy;     /* a sentence each, without the full stop */
	struct kb_note *notes;          /* other places that matter, in order */
};

struct kb_diagnostics {
	struct kb_arena *arena;
	struct kb_diagnostic **list;
	size_t count, room;
	size_t dropped, dropped_errors; /* beyond what is kept; dropped_errors: those that are no warnings */
};

/* The new one, to which notes can be added; never NULL. A second one of a number at a place is forgotten. */
struct kb_diagnostic *kb_diagnose(struct kb_diagnostics *, unsigned number, struct kb_place, const char *remedy,
				  const char *cause, ...) __attribute__((format(printf, 5, 6)));
void kb_diagnose_note(struct kb_diagnostics *, struct kb_diagnostic *, struct kb_place, const char *text, ...)
	__attribute__((format(printf, 4, 5)));

/* By file, place and number; takes out twins and what stands in files that nobody wants. */
void kb_diagnostics_sort(struct kb_diagnostics *);
size_t kb_diagnostics_errors(const struct kb_diagnostics *);

/* At most `limit` of them, after kb_diagnostics_sort; the last line has the number of those left out. */
void kb_diagnostics_print(FILE *, const struct kb_diagnostics *, size_t limit);

#endif
