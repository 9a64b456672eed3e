/* The line and the graph that `cat /sys/kernel/kbench/NAME/run` answers, made on the host from what was measured there. */
#ifndef KB_RESULT_SUMMARY_KERNEL_H
#define KB_RESULT_SUMMARY_KERNEL_H

#include "result/samples.h"

bool kb_kernel_has_summary(const struct kb_result *);

/* Of a result of the kernel with single operations, in ticks, below a line that names it; "" for others. graph: of UTF-8 characters,
   too. Stands until the next call. */
const char *kb_kernel_summary(const struct kb_result *, const struct kb_process_text *texts, size_t count, bool graph);

#endif
