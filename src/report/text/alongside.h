/* Results of other tools alongside ours, as a table for people. */
#ifndef KB_REPORT_TEXT_ALONGSIDE_H
#define KB_REPORT_TEXT_ALONGSIDE_H

#include <stdio.h>

#include "report/text/style.h"
#include "workflow/runs/alongside.h"

/* A line a pair: both costs with their CIs, the ratio with its, both verdicts. Nothing where there is none. */
void kb_alongside_print(FILE *out, const struct kb_alongside_list *, const struct kb_style *);

#endif
