/* How much the results of one environment ID differ from one stored run to the next, beyond their own intervals. */
#ifndef KB_CLI_STORE_OCCASIONS_H
#define KB_CLI_STORE_OCCASIONS_H

#include "cli/cli.h"
#include "cli/store/saved.h"
#include "result/result.h"
#include "stats/comparison/compare.h"
#include "store/store.h"

/* The costs of a result's runs, oldest first. */
struct kb_occasion_line {
	const struct kb_stored_result *like;    /* names them; what has another unit, method or kind of headline is another thing */
	bool ratios;                    /* of ratios to a twin, not of costs */
	double *ln, *se;
	size_t count, room;
};

/* Adds the result if it is one like the line's. -ENOMEM. */
int kb_occasion_add(struct kb_occasion_line *, const struct kb_stored_result *);

/* What it comes to; with few runs mostly what is usual. */
struct kb_occasion kb_occasion_of(const struct kb_occasion_line *);
void kb_occasion_free(struct kb_occasion_line *);

/* Fills lines, whose likes are set, from the newest runs of the store in this one's environment and on its CPU; sides of
   `kbench ab` are no runs of their own. */
void kb_occasions_load(const struct kb_command *, struct kb_store *, const struct kb_saved *, struct kb_occasion_line *lines, size_t count);

#endif
