/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Trace points inside a kernel benchmark: include this instead of kbench_trace.h. A process has one log, which setup makes by
 * kb_trace_begin(entries) and the framework frees; interrupt and thread write to it in turn, never at the same time. The line
 * `trace` brings it out of /dev/kbench as a record, for `kbench trace analyze`.
 */
#ifndef KBENCH_KERNEL_TRACE_H
#define KBENCH_KERNEL_TRACE_H

#include "kbench_kernel.h"

struct kb_trace_thread;
extern struct kb_trace_thread kb_kernel_trace_log;

#define KB_TRACE_THREAD kb_kernel_trace_log
#define KB_TRACE_BEGIN_STAMP kb_kernel_begin
#define KB_TRACE_END_STAMP kb_kernel_end
#include "kbench_trace.h"

#endif
