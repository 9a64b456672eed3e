/*
 * Tables that others published, recomputed: an installed kbench shows that it gets the same numbers (and which printed
 * ones cannot be right) without a network and without its sources. Tables 3.4, 3.5 and A.2.1 to A.2.3 of the KBench
 * document, and figure 8 of the Yamba paper.
 */
#ifndef KB_STUDY_PUBLISHED_H
#define KB_STUDY_PUBLISHED_H

#include <jansson.h>
#include <stdio.h>

#include "types.h"
#include "report/text/table.h"
#include "stats/stats.h"

#define KB_PUBLISHED_GROUPS 13
#define KB_PUBLISHED_TESTS 30
#define KB_PUBLISHED_STATISTICS 76
#define KB_PUBLISHED_RUNS 3             /* the last groups */
#define KB_PUBLISHED_LINES 4
#define KB_PUBLISHED_POINTS 3

struct kb_published_group {
	const char *table, *name;       /* "3.4", "N=1" */
	double n;
	double a[KB_PUBLISHED_TESTS];   /* cycles */
};

struct kb_published_statistic { const char *table, *group, *name, *printed; };

struct kb_published_line {
	const char *platform;
	double x[KB_PUBLISHED_POINTS], y[KB_PUBLISHED_POINTS];  /* to two decimals */
	const char *printed[3], *computed[3];                   /* slope, intercept, R^2 */
};

extern const struct kb_published_group kb_published_groups[KB_PUBLISHED_GROUPS];
extern const struct kb_published_statistic kb_published_statistics[KB_PUBLISHED_STATISTICS];
extern const char *const kb_published_cells[KB_PUBLISHED_RUNS][KB_PUBLISHED_TESTS];
extern const struct kb_published_line kb_published_lines[KB_PUBLISHED_LINES];

/* The value with as many decimals as the printed text has; true if it is the same text. text has 32 bytes. */
bool kb_published_same(double value, const char *printed, char *text);

/* ---- the check ------------------------------------------------------------------------------------- */

#define KB_PUBLISHED_WORDS 160

struct kb_published_check {
	unsigned statistics, cells, lines;      /* that agree */
	bool ok;
	char difference[KB_PUBLISHED_WORDS];    /* the first one; "" if none */
};

/* T-PUB-1 to T-PUB-3. In a line that is misprinted, agreement is with the value that independent code computed. */
struct kb_published_check kb_published_check(void);
void kb_published_print(FILE *out, const struct kb_published_check *, const struct kb_style *);
json_t *kb_published_json(const struct kb_published_check *);

/* ---- one regression against its print -------------------------------------------------------------- */

enum kb_print { KB_PRINT_SAME, KB_PRINT_ROUNDED, KB_PRINT_WRONG };

struct kb_printed_line {
	struct kb_regression line, reach;       /* reach: what rounding of the points can change */
	const char *printed[3];                 /* slope, intercept, R^2 */
	enum kb_print verdict[3];               /* ROUNDED: not what these points give, but what unrounded ones may */
};

extern const char *const kb_printed_names[3];

/* points: to two decimals; printed NULL: only the line. */
struct kb_printed_line kb_printed_line(const double *x, const double *y, size_t count, const char *const *printed);

/* A sentence for each printed number that is not what the points give. */
void kb_printed_line_print(FILE *out, const char *label, const struct kb_printed_line *, const struct kb_style *);

json_t *kb_printed_line_json(const char *label, size_t count, const struct kb_printed_line *);

/* The published line of this platform, NULL if there is none; with points only if they are its own. */
const struct kb_published_line *kb_published_line_find(const char *platform, const double *x, const double *y,
                                                       size_t count);

#endif
