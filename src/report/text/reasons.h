/* Reasons in words, wrapped with a hanging indent. */
#ifndef KB_REPORT_TEXT_REASONS_H
#define KB_REPORT_TEXT_REASONS_H

#include "report/text/style.h"
#include "result/result.h"

/* One line a reason: severity, words, detail; the hint with style->notes. Causes and notes are left out without it. */
void kb_print_reasons(FILE *out, const struct kb_style *style, const struct kb_verdict *verdict);

/* The same of reasons of this severity and worse. */
void kb_print_reasons_from(FILE *out, const struct kb_style *style, const struct kb_verdict *verdict, enum kb_severity least);

#endif
