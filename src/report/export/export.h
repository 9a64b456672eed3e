/*
 * Stored results in the forms that other tools read. Each form loses something (doc/result.md says what); none invents:
 * a result without a number is left out or is the form's own error, never 0, and ticks of a clock without a known rate are
 * never called ns.
 */
#ifndef KB_REPORT_EXPORT_EXPORT_H
#define KB_REPORT_EXPORT_EXPORT_H

#include <jansson.h>
#include <stdio.h>

#include "types.h"
#include "report/text/table.h"
#include "result/result.h"
#include "result/samples.h"
#include "run/run.h"

/* A result, and the records of its processes where the format needs them. */
struct kb_exported {
	const struct kb_result *result;
	const struct kb_process_text *texts;
	size_t text_count;
};

struct kb_export {
	const json_t *run, *env;        /* as in kbench-result/2 */
	const struct kb_exported *rows;
	size_t count;
	const struct kb_export *further;        /* of a page: runs whose lines stand beneath */
	size_t further_count;
};

struct kb_export_format {
	const char *name;               /* what is typed */
	bool records;
	bool page;                      /* of several runs, and of results that have a place on it: others are not named */
	/* Why a result cannot stand in it, in two or three words; NULL: it can. The function NULL: all can. */
	const char *(*refuses)(const struct kb_exported *);
	/* Either a document, a new reference, or what stands before the results (may be NULL), each result, and the end (may be NULL). 0 or
	   -ENOMEM; trouble with the file stays in the FILE. */
	json_t *(*document)(const struct kb_export *);
	void (*begin)(FILE *, const struct kb_export *);
	int (*row)(FILE *, const struct kb_export *, const struct kb_exported *);
	int (*end)(FILE *, const struct kb_export *);
};

#define KB_EXPORT_FURTHER 15     /* runs of one page beneath the first */

#define KB_EXPORT_FORMATS 15
extern const struct kb_export_format *const kb_export_formats[KB_EXPORT_FORMATS];

/* Writes the results that the format does not refuse. -ENODATA if there are none: nothing was written then. */
int kb_export_write(FILE *, const struct kb_export_format *, const struct kb_export *);

/* ---- for the formats -------------------------------------------------------------------------------- */

extern const struct kb_export_format kb_export_google, kb_export_google_rows, kb_export_bencher, kb_export_benchfmt,
	kb_export_openmetrics, kb_export_action, kb_export_junit, kb_export_csv, kb_export_csv_wide, kb_export_markdown, kb_export_hdr, kb_export_chrome,
	kb_export_sel4bench, kb_export_sel4bench_results, kb_export_lmbench;

/* invalid, skipped or without a number. */
const char *kb_export_no_number(const struct kb_exported *);

/* The same, or a self-test: an empty loop costs about nothing, below or above, and a reader that divides two of them sees a regression. */
const char *kb_export_no_cost(const struct kb_exported *);
/* That, or on a clock without a known rate: for forms that can only hold time. */
const char *kb_export_no_time(const struct kb_exported *);
/* The first of these reasons, or that the records are gone which a form of single values needs, or hold none that counts. */
const char *kb_export_no_values(const struct kb_exported *);

#define KB_EXPORT_NAME KB_ROW_NAME
#define KB_EXPORT_NUMBER 48

/* kb_row_name() with this character for the blanks. Returns text. */
const char *kb_export_name(char text[KB_EXPORT_NAME], const struct kb_result *, char separator);

/* The same with slashes, and with underscores for all that is blank or cannot be printed, in any language, and for the characters of `also`. */
const char *kb_export_word(char text[KB_EXPORT_NAME], const struct kb_result *, const char *also);

/* A finite number: a decimal point whatever the locale, whole numbers without exponent, else twelve digits. */
const char *kb_export_number(char text[KB_EXPORT_NUMBER], double value);

/* The value with so many significant digits. */
double kb_export_rounded(double value, int digits);

/* Of what the result was measured on, else of the run; "unknown" where neither has one. */
const char *kb_export_env_id(const struct kb_export *, const struct kb_result *);

/* What each process says, which is what other tools call a repetition: processes are independent, samples of one are not. A result without
   costs of processes (imported statistics, an emulator) is one value, which *whole becomes. */
const struct kb_process_cost *kb_export_processes(const struct kb_result *, struct kb_process_cost *whole, unsigned *count);

/* A fact of the environment (also a reading), or what stands in for it. */
const char *kb_export_fact(const struct kb_export *, const char *key, const char *otherwise);
const char *kb_export_run_text(const struct kb_export *, const char *key);

/* Of "started" or "finished": seconds since 1970; 0 where the run has no such time. */
double kb_export_time(const struct kb_export *, const char *key);

/* A cell of CSV: quoted where it has to be, and with an apostrophe before what a spreadsheet would take for a formula. */
void kb_export_cell(FILE *, const char *text, const char *end);

/* Calls with the samples of each process that counts in the result, in run order, until it returns an error. */
typedef int kb_export_process_done(void *context, const struct kb_samples *, const struct kb_process_cost *);
int kb_export_each_process(const struct kb_exported *, kb_export_process_done *, void *context);

/* Whether operations are timed one by one: samples have values of their own. */
bool kb_export_by_sample(const struct kb_result *);

/* The result's values in run order and its unit: of each process, or of each undisturbed sample where operations are timed one by one.
   To be freed; NULL: no memory, or no value. */
double *kb_export_values(const struct kb_exported *, size_t *count);

#endif
