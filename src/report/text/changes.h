/* What changed against an older run, below the table. */
#ifndef KB_REPORT_TEXT_CHANGES_H
#define KB_REPORT_TEXT_CHANGES_H

#include "report/text/style.h"
#include "workflow/runs/baseline.h"

/* "against run 0199c1a2-7f3b of 2 h ago: 1 slower (sys.stat +4.1 % ±0.9 %), 38 equivalent, 2 inconclusive". started: of this run. */
void kb_changes_print(FILE *out, const struct kb_baseline *, const char *started, const struct kb_style *);

#endif
