/* How a terminal and its character set want text, and text that is made for them. */
#ifndef KB_REPORT_TEXT_STYLE_H
#define KB_REPORT_TEXT_STYLE_H

#include <stdio.h>

#include "types.h"
#include "result/result.h"

struct kb_style {
	bool utf8;              /* the terminal's character set has the sign for plus-minus */
	bool notes;             /* notes and hints too, not only what worsens a verdict */
	bool colour;            /* for verdicts only */
	unsigned width;         /* columns of the terminal; 0: not known, then 100 */
	const char *unit;       /* for all results that have it: ns us ms s cycles; NULL: the one that fits each */
};

#define KB_WIDTH_USUAL 100

/* That of the standard output. notes: with notes and hints. */
struct kb_style kb_style_here(bool notes);

/* Columns of the terminal behind `out`: COLUMNS if set, else what the terminal reports; 40 to 500. 0: a pipe or a file has no width. */
unsigned kb_terminal_width(FILE *out);

/* Prints text after `indent` blanks, breaking lines at blanks before style->width; later lines indented two more. */
void kb_print_wrapped(FILE *out, const struct kb_style *style, unsigned indent, const char *text);

/* The same of a format. */
void kb_print_sentence(FILE *out, const struct kb_style *, unsigned indent, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Without style->utf8 writes "+-" for the sign and "?" for other characters that are not ASCII, in place. */
void kb_text_plain(char *text, const struct kb_style *style);

/* One line a reason: severity, words, detail; the hint with style->notes. Causes and notes are left out without it. */
void kb_print_reasons(FILE *out, const struct kb_style *style, const struct kb_verdict *verdict);

/* The same of reasons of this severity and worse. */
void kb_print_reasons_from(FILE *out, const struct kb_style *style, const struct kb_verdict *verdict, enum kb_severity least);

#endif
