/*
 * A mix of one's own: how often each operation is done. What it takes is the total time, in which a dear or frequent operation counts for more
 * than in any mean of ratios.
 */
#ifndef KB_WORKFLOW_RUNS_MIX_H
#define KB_WORKFLOW_RUNS_MIX_H

#include <jansson.h>

#include "result/comparison.h"
#include "workflow/exit.h"

/* How often it is done, and which results it is (kb_result_matches). */
struct kb_mix_item { double weight; char pattern[KB_ROW_NAME]; };

struct kb_mix { struct kb_mix_item *items; size_t count; };

/* What two sides take for it. Rows that have no time on both sides are in none of the sums. */
struct kb_mix_cost {
	size_t rows, left_out;
	const char *first_left_out;     /* key of one of them */
	double base_ns, new_ns;
	struct kb_interval ratio;       /* of the totals, with 95 % CI: known where all ratios have one */
};

/* "PATTERN=WEIGHT,...", or "@FILE" of such items, one a line. 0, or the code of the failure. Release it in any case. */
int kb_mix_read(const char *text, struct kb_mix *, struct kb_failure *);
void kb_mix_release(struct kb_mix *);

/* Each item must mean a row, and no row may be meant by two. 0, or the code of the failure. */
int kb_mix_cost(const struct kb_mix *, const struct kb_comparison *rows, size_t count, struct kb_mix_cost *, struct kb_failure *);

/* `mix` of kbench-compare/2. */
json_t *kb_mix_to_json(const struct kb_mix_cost *);

#endif
