/* Reasons in words, wrapped with a hanging indent. */
#ifndef KB_REPORT_WORDS_H
#define KB_REPORT_WORDS_H

#include "report/table.h"

/* Prints text after `indent` blanks, breaking lines at blanks before look->width; later lines indented two more. */
void kb_words_wrap(FILE *out, const struct kb_look *look, unsigned indent, const char *text);

/* One line a reason: severity, words, detail; the hint with look->notes. Notes are left out without it. */
void kb_words_reasons(FILE *out, const struct kb_look *look, const struct kb_verdict *verdict);

/* "note", or the status that a reason of this severity leads to. */
const char *kb_words_severity(enum kb_severity severity);

#endif
