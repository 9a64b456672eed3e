/*
 * How long this thread had a CPU, and how long it could have run while others had it: by the scheduler's account (CONFIG_SCHED_INFO). A
 * neighbour outside this machine does not count, nor does sleep.
 */
#ifndef KB_EVIDENCE_WAITING_H
#define KB_EVIDENCE_WAITING_H

#include "types.h"

struct kb_waiting {
	int account;                    /* descriptor; -1: this kernel has none */
	uint64_t ran_ns, waited_ns;     /* until the start; of kb_waiting_end since then */
};

/* Of the thread that calls; the file stays open. */
void kb_waiting_open(struct kb_waiting *);

/* From now on it counts. */
void kb_waiting_start(struct kb_waiting *);

/* False: not known. */
bool kb_waiting_end(struct kb_waiting *);

#endif
