/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The log of trace points. */
#ifndef KBENCH_FRAMEWORK_TRACE_H
#define KBENCH_FRAMEWORK_TRACE_H

#include "framework/state.h"

/* The log of trace points as a record behind this process's. -ENODATA: it made none. */
int kb_trace_write(struct kb_kernel_process *process);
void kb_trace_release(void);

#endif
