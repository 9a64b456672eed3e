/*
 * A mix of one's own: how often each operation is done. What it takes is the total time, in which a dear or frequent operation counts for more
 * than in any mean of ratios.
 */
#ifndef KB_WORKFLOW_RUNS_MIX_H
#define KB_WORKFLOW_RUNS_MIX_H

#include <jansson.h>

#include "result/comparison.h"
#include "workflow/exit.h"

/* A result that the weights name. */
struct kb_mix_part {
	char key[KB_ROW_NAME];
	double weight;                  /* how often it is done */
	const char *left_out;           /* why it is in no sum; NULL: it is in all */
	enum kb_status status;          /* of two sides the worse one */
	struct kb_estimate ns[2];       /* one operation */
	struct kb_interval ln;          /* of their ratio */
};

/* What it takes. Errors of parts are independent: their squares add up. */
struct kb_mix_cost {
	struct kb_mix_part *parts;
	size_t count, left_out;         /* of parts */
	unsigned sides;                 /* 1: of a run; 2: base and new */
	struct kb_estimate ns[2];       /* bounded where all parts are */
	struct kb_estimate ratio;       /* of two sides: new over base */
	enum kb_status status;          /* the worst of what is in the sums */
};

/* Weights are "PATTERN=WEIGHT,...", or "@FILE" of such items, one a line; patterns are those of kb_result_matches. Each must mean a result, and no
   result may be meant by two. 0, or the code of the failure. Release it in any case. */
int kb_mix_of_comparisons(const char *weights, const struct kb_comparison *rows, size_t count, struct kb_mix_cost *, struct kb_failure *);
int kb_mix_of_results(const char *weights, const struct kb_result *const *results, size_t count, struct kb_mix_cost *, struct kb_failure *);
void kb_mix_release(struct kb_mix_cost *);

/* `mix` of kbench-compare/2 and kbench-result/2. */
json_t *kb_mix_to_json(const struct kb_mix_cost *);

#endif
