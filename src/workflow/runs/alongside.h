/* Results of other tools alongside those of ours that measure the same: "Simple syscall" of lmbench is sys.null. */
#ifndef KB_WORKFLOW_RUNS_ALONGSIDE_H
#define KB_WORKFLOW_RUNS_ALONGSIDE_H

#include "result/result.h"
#include "store/store.h"
#include "workflow/exit.h"

struct kb_alongside {
	const struct kb_result *theirs;
	struct kb_result *ours;         /* owned */
	char started[24];               /* of our run */
	bool by_byte;                   /* both move bytes, and not as many: the ratio is of the costs of one */
	struct kb_estimate ratio;       /* theirs over ours, observed: neighbours are in both */
};

struct kb_alongside_list { struct kb_alongside *rows; size_t count; };

/* Of each the newest result of ours in the store that measures the same, or the one of the run of that name; a result of theirs may have
   several of ours alongside it. 0, or the code of the failure. Release it in any case. */
int kb_alongside_find(const char *store, const char *run, const struct kb_result *const *theirs, size_t count, struct kb_alongside_list *,
		   struct kb_failure *);
/* Whether it is the result of another tool's benchmark with these parameters, or one of ours that measures the same. */
bool kb_alongside_measures(const struct kb_result *, const char *theirs, const char *with);
void kb_alongside_release(struct kb_alongside_list *);

#endif
