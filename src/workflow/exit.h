/* How a command ends: exit codes, failures as values, lines that end nothing. Nothing here prints or exits. */
#ifndef KB_WORKFLOW_EXIT_H
#define KB_WORKFLOW_EXIT_H

#include "result/comparison.h"
#include "types.h"

/* Of these the first that applies wins: usage, signal, failed, unfit, regression, inconclusive, done. */
enum kb_exit {
	KB_EXIT_DONE = 0, KB_EXIT_REGRESSION = 1, KB_EXIT_USAGE = 2, KB_EXIT_UNFIT = 3, KB_EXIT_INCONCLUSIVE = 4,
	KB_EXIT_FAILED = 5, KB_EXIT_SIGNAL = 128
};

/* The first of two codes in the order 2, 128+n, 5, 3, 1, 4, 0. */
int kb_worse_exit(int a, int b);

/* Of all codes that apply to these rows the first in the documented order. gate: what is slower, or not settled, ends with its code. */
int kb_gate_exit(const struct kb_comparison *rows, size_t count, bool gate);

/* Comparisons count in logarithms: ln of one and the margin, a fraction. */
double kb_margin_ln(double margin);

/* ---- failures ---------------------------------------------------------------------------------------------- */

/* Why something could not be done. Functions that take one return 0, or its code, which is not 0. */
struct kb_failure {
	int code;               /* the exit code that the documents promise */
	bool typed_wrong;       /* the command line was: its help says how it is right */
	bool lines;             /* text is a message of several lines, with a caret; else it is one line */
	char text[2048];
};

int kb_refuse(struct kb_failure *, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define kb_refuse_typed(failure, ...) (kb_refuse(failure, KB_EXIT_USAGE, __VA_ARGS__), (failure)->typed_wrong = true, KB_EXIT_USAGE)
int kb_refuse_memory(struct kb_failure *);

/* What the store says of the error; 0: there is none. */
struct kb_store;
int kb_refuse_store(struct kb_failure *, struct kb_store *, int error);

/* ---- lines that end nothing --------------------------------------------------------------------------------- */

/* Where they go; line NULL: nowhere. */
struct kb_notes {
	void (*line)(void *context, const char *text);
	void *context;
};

void kb_note(const struct kb_notes *, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
