/* See gate.h. */
#include "cli/gate.h"

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
