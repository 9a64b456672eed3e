/* Selections: quick within standard within full, and what lmbench measures. A descriptor says which it is in. */
#ifndef KB_SUITE_SUITE_H
#define KB_SUITE_SUITE_H

#include "run/run.h"

enum kb_selection { KB_SELECT_QUICK, KB_SELECT_STANDARD, KB_SELECT_FULL, KB_SELECT_LMBENCH, KB_SELECT_NAMED, KB_SELECTIONS };

/* quick, standard, full, lmbench; NULL for KB_SELECT_NAMED, which is whatever the patterns say. */
const char *kb_selection_name(enum kb_selection);

/* KB_SELECTIONS if there is none of that name. */
enum kb_selection kb_selection_find(const char *name);

/* Whether the selection holds the benchmark. One that runs only when asked for (KB_MANUAL) must be among the patterns, by its
   whole name. */
bool kb_selection_has(enum kb_selection, const struct kb_bench *bench, const char *const *patterns, size_t count);

/* Takes rows out of the list that the selection does not hold, for the benchmark or for a value, or that go beyond `reach`;
   the rest keeps its order. Returns how many stay. */
size_t kb_selection_keep(enum kb_selection, enum kb_reach reach, const char *const *patterns, size_t pattern_count,
			 struct kb_row *rows, size_t count);

#endif
