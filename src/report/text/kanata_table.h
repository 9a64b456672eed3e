/* One launch of method kanata as the source document's application prints it (its picture 4.1), byte for byte. */
#ifndef KB_REPORT_TEXT_KANATA_TABLE_H
#define KB_REPORT_TEXT_KANATA_TABLE_H

#include <stdio.h>

#include "result/samples.h"

/* Skipped tests are not in it. It says "clock cycles" whatever the clock: only the record knows what the ticks are. False,
   with nothing printed: the launch has no full table of groups. */
bool kb_kanata_table(FILE *out, const struct kb_samples *samples);

#endif
