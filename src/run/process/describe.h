/* What a plug-in says of itself, from a collector that loads it: its code never runs in kbench. */
#ifndef KB_RUN_PROCESS_DESCRIBE_H
#define KB_RUN_PROCESS_DESCRIBE_H

#include "description.h"

#define KB_DESCRIBE_NS UINT64_C(10000000000)    /* where nobody says how long it may take */

/* Asks the collector, which has limit_ns for it. 0: found is whole and checked. Else -errno with one line in error; -ETIME: it took longer. */
int kb_describe_plugin(const char *collector, const char *plugin, uint64_t limit_ns, struct kb_described *found, char error[256]);

/* The same as the text that it said. */
int kb_describe_text(const char *collector, const char *plugin, uint64_t limit_ns, char text[KB_DESCRIPTION_MAX], char error[256]);

/* Of a text: reads and checks it. */
int kb_describe_read(struct kb_span text, struct kb_described *found, char error[256]);

#endif
