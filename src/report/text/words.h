/* Reasons in words, wrapped with a hanging indent. */
#ifndef KB_REPORT_TEXT_WORDS_H
#define KB_REPORT_TEXT_WORDS_H

#include "report/text/table.h"

/* Prints text after `indent` blanks, breaking lines at blanks before look->width; later lines indented two more. */
void kb_words_wrap(FILE *out, const struct kb_look *look, unsigned indent, const char *text);

/* One line a reason: severity, words, detail; the hint with look->notes. Causes and notes are left out without it. */
void kb_words_reasons(FILE *out, const struct kb_look *look, const struct kb_verdict *verdict);

/* The same of reasons of this severity and worse. */
void kb_words_reasons_from(FILE *out, const struct kb_look *look, const struct kb_verdict *verdict, enum kb_severity least);

/* Without look->utf8 writes "+-" for the sign and "?" for other characters that are not ASCII, in place. */
void kb_words_plain(char *text, const struct kb_look *look);

#endif
