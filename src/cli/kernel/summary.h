/* The line and the graph that `cat /sys/kernel/kbench/NAME/run` answers, made on the host from what was measured there. */
#ifndef KB_CLI_KERNEL_SUMMARY_H
#define KB_CLI_KERNEL_SUMMARY_H

#include "run/run.h"

bool kb_order_is_for(const struct kb_result *);

/* Of a row of the kernel's with single operations, in ticks; nothing for others. */
void kb_order_print(const struct kb_result *, const struct kb_launch_text *texts, size_t count);

#endif
