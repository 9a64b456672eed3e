/* What the clock is worth, measured once a run: rate, step, cost, and whether it keeps time. */
#ifndef KB_RUN_CALIBRATE_H
#define KB_RUN_CALIBRATE_H

#include "run/run.h"

/* Fills outcome->clock and ladder. Takes about 250 ms. name NULL or "auto": the architecture's counter, or clock_gettime
   where that one stands still or fails the self-test. -EINVAL: no such clock; -ERANGE: it stands still. */
int kb_calibrate(const char *name, unsigned cpu, struct kb_run_outcome *outcome);

/* What the architecture's counter counts here, found once, in some milliseconds; of instructions also whether a tick is one. */
enum kb_clock_counts kb_machine_counts(bool *one_by_one);

/* The judgement alone: rungs are ticks of n, 2n, 3n ... operations. Fills text with what was seen. */
bool kb_ladder_fits(const uint64_t *ticks, unsigned rungs, char *text, size_t room);

#endif
