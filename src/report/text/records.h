/* The samples of a result, from the records of its processes: as pictures, and as the source document's tables. */
#ifndef KB_REPORT_TEXT_RECORDS_H
#define KB_REPORT_TEXT_RECORDS_H

#include <stdio.h>

#include "result/result.h"
#include "result/samples.h"
#include "workflow/exit.h"

/* Run order with changes of the level, histogram and quantiles, at most as wide as the terminal. All that was measured is shown,
   disturbed samples too: why they are there is what pictures are for. */
void kb_records_plot(const struct kb_result *, const struct kb_process_text *texts, size_t count);

/* Method kanata: the tables of all processes, or of the last one, and the statistics of that. Nothing for other methods.
   half_width: as it was asked for; the confidence stands in the record. 0, or the code of the failure. */
int kb_records_tables(const struct kb_result *, const struct kb_process_text *texts, size_t count, double half_width, bool all,
		      struct kb_failure *);

/* The tests of one process of method kanata as the source document's application prints them (its picture 4.1), byte for byte. Skipped
   ones are not among them. It prints "clock cycles" whatever the clock: only the record knows what the ticks are. False, with nothing
   printed: the process has no full table of groups. */
bool kb_kanata_table(FILE *out, const struct kb_samples *samples);

#endif
