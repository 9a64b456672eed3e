/* The experiments of the Yamba paper: what the paper printed, and beside it what this machine says. */
#ifndef KB_STUDY_YAMBA_PAPER_TEXT_H
#define KB_STUDY_YAMBA_PAPER_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "report/text/table.h"
#include "stats/series/regression.h"
#include "study/yamba_paper.h"

#define KB_PAPER_SCHEMA "kbench-yamba-paper/1"

void kb_paper_print(FILE *out, const struct kb_paper *, const struct kb_style *style, unsigned width);

/* {"machine", "rows", "line", "published"}, a new reference. */
json_t *kb_paper_json(const struct kb_paper *);

/* us over pages in per fault: by equal weights, as figure 8, and by 1/y^2, where each window counts alike. False: fewer than
   three points. */
struct kb_paper_lines { struct kb_regression_fit plain, relative; size_t points; };
bool kb_paper_fit(const struct kb_paper *, struct kb_paper_lines *);

#endif
