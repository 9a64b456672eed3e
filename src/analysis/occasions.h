/* How much the results of one environment ID differ from one stored run to the next, beyond their own CIs. */
#ifndef KB_ANALYSIS_OCCASIONS_H
#define KB_ANALYSIS_OCCASIONS_H

#include "result/comparison.h"
#include "store/store.h"

/* The costs of a result's runs, oldest first. */
struct kb_occasion_line {
	const struct kb_stored_result *like;    /* names them; another unit, method or kind of headline is another quantity */
	bool ratios;                    /* of ratios to a twin, not of costs */
	double *ln, *se;
	size_t count;
};

/* Adds the result if it is like the line's. -ENOMEM. */
int kb_occasion_add(struct kb_occasion_line *, const struct kb_stored_result *);

/* Their spread; with few runs mostly the usual one. */
struct kb_occasion kb_occasion_of(const struct kb_occasion_line *);
void kb_occasion_free(struct kb_occasion_line *);

/* By how much runs differ anyway, as a fraction: the median over these comparisons. NAN: none of them is of two occasions. */
double kb_occasion_middle(const struct kb_comparison *rows, size_t count);

/* Fills lines, whose likes are set, from the newest runs of the store in this environment and on this CPU; sides of
   `kbench ab` are no runs of their own. 0, -ENOMEM or an error of the store. */
int kb_occasions_load(struct kb_store *, const char *environment, int64_t cpu, struct kb_occasion_line *lines, size_t count);

#endif
