/* See exit.h. */
#include "workflow/exit.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "lacking.h"
#include "store/store.h"

/* The smaller the worse. */
static int rank(int code)
{
	static const int order[] = { KB_EXIT_USAGE, KB_EXIT_SIGNAL, KB_EXIT_FAILED, KB_EXIT_UNFIT, KB_EXIT_REGRESSION,
				     KB_EXIT_INCONCLUSIVE, KB_EXIT_DONE };

	for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++) {
		if (order[i] == code || (order[i] == KB_EXIT_SIGNAL && code > KB_EXIT_SIGNAL))
			return i;
	}
	return 0;
}

int kb_worse_exit(int a, int b)
{
	return rank(a) <= rank(b) ? a : b;
}

int kb_gate_exit(const struct kb_comparison *rows, size_t count, bool gate)
{
	int code = KB_EXIT_DONE;

	for (size_t i = 0; i < count; i++) {
		if (rows[i].invalid)
			code = kb_worse_exit(code, KB_EXIT_FAILED);
		if (gate && rows[i].regression)
			code = kb_worse_exit(code, KB_EXIT_REGRESSION);
		/* Slower, but not surely enough for a gate: that is not settled, either. */
		else if (gate && rows[i].counts && (rows[i].decision == KB_INCONCLUSIVE || rows[i].decision == KB_SLOWER))
			code = kb_worse_exit(code, KB_EXIT_INCONCLUSIVE);
	}
	return code;
}

double kb_margin_ln(double margin)
{
	return log1p(margin);
}

int kb_refuse(struct kb_failure *failure, int code, const char *format, ...)
{
	va_list arguments;

	failure->code = code;
	failure->typed_wrong = failure->lines = false;
	va_start(arguments, format);
	vsnprintf(failure->text, sizeof failure->text, format, arguments);
	va_end(arguments);
	return code;
}

int kb_refuse_memory(struct kb_failure *failure)
{
	return kb_refuse(failure, KB_EXIT_USAGE, "%s", kb_lack(ENOMEM));
}

int kb_refuse_store(struct kb_failure *failure, struct kb_store *store, int error)
{
	if (error == -ENOMEM)
		return kb_refuse_memory(failure);
	return error ? kb_refuse(failure, KB_EXIT_USAGE, "%s", kb_store_error(store)) : 0;
}

void kb_note(const struct kb_notes *notes, const char *format, ...)
{
	char text[512];
	va_list arguments;

	if (!notes->line)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	notes->line(notes->context, text);
}
