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
};

struct kb_export_format {
	const char *name;               /* what is typed */
	bool records;
	/* Why a result cannot stand in it, in two or three words; NULL: it can. */
	const char *(*refuses)(const struct kb_exported *);
	/* Either a document, a new reference, or what stands before the results (may be NULL), each result, and the end (may be NULL). 0 or
	   -ENOMEM; trouble with the file stays in the FILE. */
	json_t *(*document)(const struct kb_export *);
	void (*begin)(FILE *, const struct kb_export *);
	int (*row)(FILE *, const struct kb_export *, const struct kb_exported *);
	int (*end)(FILE *, const struct kb_export *);
};

#define KB_EXPORT_FORMATS 11
extern const struct kb_export_format *const kb_export_formats[KB_EXPORT_FORMATS];

/* Writes the results that the format does not refuse. -ENODATA if there are none: nothing was written then. */
int kb_export_write(FILE *, const struct kb_export_format *, const struct kb_export *);

/* ---- for the formats -------------------------------------------------------------------------------- */

extern const struct kb_export_format kb_export_google, kb_export_google_rows, kb_export_bencher, kb_export_benchfmt,
	kb_export_openmetrics, kb_export_action, kb_export_junit, kb_export_csv, kb_export_hdr,
	kb_export_sel4bench, kb_export_sel4bench_results;

/* invalid, skipped or without a number. */
const char *kb_export_no_number(const struct kb_exported *);
/* That, or on a clock without a known rate: for forms that can only hold time. */
const char *kb_export_no_time(const struct kb_exported *);
/* The first of these reasons, or that the records are gone which a form of single values needs, or hold none that counts. */
const char *kb_export_no_values(const struct kb_exported *);

#define KB_EXPORT_NAME KB_ROW_NAME
#define KB_EXPORT_NUMBER 48

/* kb_row_name() with this character for the blanks. Returns text. */
const char *kb_export_name(char text[KB_EXPORT_NAME], const struct kb_result *, char separator);

/* The same with slashes, and with underscores for all that is blank or cannot be printed, and for the characters of `also`. */
const char *kb_export_word(char text[KB_EXPORT_NAME], const struct kb_result *, const char *also);

/* A finite number: a decimal point whatever the locale, whole numbers without exponent, else twelve digits. */
const char *kb_export_number(char text[KB_EXPORT_NUMBER], double value);

/* Of what the result was measured on, else of the run; "unknown" where neither has one. */
const char *kb_export_env_id(const struct kb_export *, const struct kb_result *);

/* A fact of the environment (also a reading), or what stands in for it. */
const char *kb_export_fact(const struct kb_export *, const char *key, const char *otherwise);
const char *kb_export_run_text(const struct kb_export *, const char *key);

/* Calls with the samples of each process that counts in the result, in run order, until it returns an error. */
typedef int kb_export_process_done(void *context, const struct kb_samples *, const struct kb_process_cost *);
int kb_export_each_process(const struct kb_exported *, kb_export_process_done *, void *context);

/* What one block (slope) or one sample (single, kanata: of the last group) tells of an operation. */
struct kb_export_block {
	unsigned process;
	double cost, cycles;            /* unit of the result; cycles by the process's core clock, 0: not known */
	double operations;
};

struct kb_export_blocks { struct kb_export_block *at; size_t count; };

/* Of the processes that count in the result, undisturbed samples only, in run order. 0 or -ENOMEM; free at[] in any case. */
int kb_export_blocks(const struct kb_exported *, struct kb_export_blocks *);

#endif
