/* Copies of one result that ran side by side: a process is one record after another, copy by copy. */
#ifndef KB_RESULT_SUMMARY_PARALLEL_H
#define KB_RESULT_SUMMARY_PARALLEL_H

#include "result/summary/summary.h"

/* The part of a sample in which all copies were in theirs; below it the row is noisy. */
#define KB_OVERLAP_WANTED 0.95

/* How many copies a process's text says that it has; 0: it is of no parallel row, or says nothing. */
unsigned kb_parallel_copies(const struct kb_process_text *);

/* The record of one copy, from 0; empty if it is not there. */
struct kb_span kb_parallel_record(const struct kb_process_text *, unsigned copy);

/* Mean over the samples of op of all copies, warm-up and disturbed ones left out: the part of the sample in which all
   copies were in theirs. Negative: not known, as a record is missing. */
double kb_parallel_overlap(const struct kb_process_text *, unsigned copies);

/* kb_summarise for processes of several copies: cost of one copy, the mean over them, process by process. */
void kb_parallel_summarise(const struct kb_process_text *processes, size_t count, unsigned copies, const struct kb_summary_rules *,
                           struct kb_result *);

#endif
