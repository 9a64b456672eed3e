/* What being traced costs a system call, measured here: getppid, which does next to nothing, with and without the probes. */
#ifndef KB_TRACE_ENTRIES_COST_H
#define KB_TRACE_ENTRIES_COST_H

#include "stats/stats.h"

struct kb_entries_cost {
	bool known;
	struct kb_interval plain_ns, traced_ns;         /* of a call, as the caller sees it */
	struct kb_interval added_ns;                    /* of rounds one after the other */
	double logged_ns;                               /* median from stamp to stamp: the call's kernel part and the probes */
};

/* Takes some hundred ms. Not known where threads cannot be followed. */
struct kb_entries_cost kb_entries_cost(void);

/* Time traced / time not traced, of so many pairs of runs, with its 95 % CI. */
struct kb_interval kb_entries_slowdown(const double *ratios, size_t pairs);

#endif
