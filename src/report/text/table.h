/* The table of results that `kbench run` and `kbench show` print: a line a result, never a number without verdict. */
#ifndef KB_REPORT_TEXT_TABLE_H
#define KB_REPORT_TEXT_TABLE_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/style.h"
#include "result/comparison.h"
#include "result/result.h"

/* What stands above a table. What is NULL, "", "unknown" or 0 is not known and left out. */
struct kb_heading {
	const char *title;      /* the suite, what was selected, or the run */
	const char *cpu, *hypervisor, *cpus, *kernel;
	double seconds;
};

/* Of the object of kb_env_to_json and two dates as in "2026-05-04T10:00:00Z"; points into them. */
struct kb_heading kb_heading_of(const char *title, const json_t *env, const char *started, const char *finished);

/* "standard · 41 results · AMD EPYC (KVM, 2 CPUs) · Linux 6.18.44 · 59 s" */
void kb_table_heading(FILE *out, const struct kb_heading *, size_t count, const struct kb_style *);

/* The order of lines: by domain under headings, or one list, what deserves a look first: by name; the dearest; the widest CI; the worst
   verdict. */
enum kb_table_order { KB_TABLE_DOMAIN, KB_TABLE_NAME, KB_TABLE_COST, KB_TABLE_CI, KB_TABLE_VERDICT };

struct kb_table_options {
	const char *unit;               /* of --unit; NULL: the one that fits each */
	enum kb_table_order order;
	const struct kb_comparison *changes;    /* of each result against a baseline, in the order of the results; NULL: there is none */
	bool detail;                    /* all that is known about each result */
	bool quiet;                     /* titles and results only: no heading, no warning, no count */
};

/*
 * At most one warning of what concerns all results, then a line a result, grouped by domain, self-tests apart at the end. A
 * name has the parameters in which the results of one benchmark differ. A result without number has the reason for it in
 * place of the numbers. A line has style->width columns at most; where they are few, p99, processes and observed are left
 * out, in this order. With changes a column has how much more or less than the baseline's the number is, where that is decided; "=" for
 * equivalent, "?" for inconclusive. A single result, or style->notes: the reasons follow in full.
 * shared_host: the machine is virtual, so it is its host that is shared.
 */
void kb_table_print(FILE *out, const struct kb_result *const *results, size_t count, bool shared_host, const struct kb_style *style,
		    const struct kb_table_options *options);

/* "39 ok · 2 noisy      evidence: 41 confirmed by counts" */
void kb_table_count(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_style *style);

/* All of it on standard output: heading (NULL: none), table, with detail all that is known about each result, parallel copies,
   variants and the count. */
void kb_print_table(const struct kb_heading *, const struct kb_result *const *results, size_t count, const struct kb_table_options *);

/* The same by domain without changes. */
void kb_print_results(const struct kb_heading *, const struct kb_result *const *results, size_t count, bool detail, const char *unit);

/* A benchmark that is worth a closer look: the first of the worst. */
const char *kb_print_example(const struct kb_result *const *results, size_t count);

/* "2026-05-04 10:00:00 UTC, AMD EPYC, kernel 6.1, environment ID 0123456789abcdef". env: the object of kb_env_to_json. */
void kb_print_heading(const char *started, const json_t *env);

/* Everything that is known about one result: how it was measured, evidence, all reasons with hints. */
void kb_detail_print(FILE *out, const struct kb_result *result, const struct kb_style *style);

/* Of results that were measured in several copies: what all of them did together, and how much of the time. Nothing where there is none. */
void kb_parallel_print(FILE *out, const struct kb_result *const *results, size_t count, const struct kb_style *style);

/* ---- several runs in one table: what a result costs on several machines, or before and after. No judgement. ---- */

#define KB_RUNS_MAX 8

struct kb_run_column {
	const char *heading;            /* short, of the column: A, B ... */
	const struct kb_result *const *results;
	size_t count;
};

/* Results in order of their first appearance. A cell has the cost and the verdict; "-" where a run does not have the result. The unit
   stands in every cell. count is at most KB_RUNS_MAX. */
void kb_runs_print(FILE *out, const struct kb_run_column *columns, unsigned count, const struct kb_style *style);

#endif
