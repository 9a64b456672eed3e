/*
 * Copies of one row that run side by side: each is a collector of its own on a CPU of its own, and all of them stand on
 * one line before each interval. A launch of the row is then one record after another, copy by copy.
 */
#ifndef KB_RUN_PARALLEL_H
#define KB_RUN_PARALLEL_H

#include "run/guardian.h"
#include "run/transport.h"

/* The part of an interval in which all copies were in theirs; below it the row is noisy. */
#define KB_OVERLAP_WANTED 0.95

struct kb_gang;

/* The transport of a run that has rows of several copies. NULL without memory. */
struct kb_gang *kb_gang_new(const struct kb_run_options *, struct kb_guardian *, const char *scratch);
struct kb_transport kb_gang_transport(struct kb_gang *);
void kb_gang_free(struct kb_gang *);

/* ---- pure part ----------------------------------------------------------------------------------- */

/* How many copies a launch's text says that it has; 0: it is of no parallel row, or says nothing. */
unsigned kb_parallel_copies(const struct kb_launch_text *);

/* The record of one copy, from 0; empty if it is not there. */
struct kb_span kb_parallel_record(const struct kb_launch_text *, unsigned copy);

/* Mean over the intervals of op of all copies, warm-up and disturbed ones left out: the part of the interval in which all
   copies were in theirs. Negative: not known, as a record is missing. */
double kb_parallel_overlap(const struct kb_launch_text *, unsigned copies);

/* kb_summarise for launches of several copies: cost of one copy, the mean over them, launch by launch. */
void kb_parallel_summarise(const struct kb_launch_text *launches, size_t count, unsigned copies, const struct kb_summary_rules *,
                           struct kb_result *);

#endif
