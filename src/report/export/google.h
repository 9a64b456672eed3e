/*
 * What both forms of Google Benchmark's JSON share. They hold times only, so cycles stand as a counter and rows in ticks
 * are refused. The CPU's time is not measured apart; readers want the key, so it repeats the other. Only for
 * src/report/export_google*.c.
 */
#ifndef KB_REPORT_EXPORT_GOOGLE_H
#define KB_REPORT_EXPORT_GOOGLE_H

#include "report/export/export.h"

/* A document being written, row by row: a run has a hundred thousand blocks. */
struct kb_google {
	FILE *out;
	bool first;                     /* no comma before the next row */
	size_t family;
	char name[KB_EXPORT_NAME];      /* of the benchmark at hand */
};

typedef int kb_google_writer(struct kb_google *, const struct kb_result *, const struct kb_export_blocks *);

/* Head, with our estimates and their intervals as context.kbench, and what `write` prints for each result. */
int kb_google_document(FILE *out, const struct kb_export *, kb_google_writer *write);

/* A row as both types begin; a new reference. */
json_t *kb_google_row(const struct kb_google *, const char *suffix, const char *type, size_t repetitions,
                      double operations);
void kb_google_time(json_t *row, double ns);
void kb_google_counter(json_t *row, const char *name, double value, bool known);

/* Takes over the reference. 0 or -ENOMEM. */
int kb_google_print(struct kb_google *, json_t *row);

#endif
