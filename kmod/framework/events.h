/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Counters of the processor, or of the kernel, around samples: of the thread that measures, read inside the window. */
#ifndef KBENCH_FRAMEWORK_EVENTS_H
#define KBENCH_FRAMEWORK_EVENTS_H

#include <linux/perf_event.h>

#include "base/record.h"

#define KB_KERNEL_EVENTS 8

struct kb_kernel_event {
	char name[56];
	struct perf_event_attr attr;
	struct perf_event *event;       /* NULL: this machine cannot count it */
	bool lost;                      /* it was not counting all the time: others use the counters, too */
	u64 before, op, base;           /* the last reading; sums over samples */
};

struct kb_kernel_events { struct kb_kernel_event at[KB_KERNEL_EVENTS]; unsigned count; };

/* One more, as the host writes it: "0:1:0:0:0:instructions". 0, -EINVAL or -ENOSPC. */
int kb_events_add(struct kb_kernel_events *events, char *text);
/* Of the calling thread, on from here. What cannot be counted is left out. */
void kb_events_open(struct kb_kernel_events *events);
void kb_events_close(struct kb_kernel_events *events);

/* Around a sample, outside its two clock readings. */
void kb_events_before(struct kb_kernel_events *events);
void kb_events_after(struct kb_kernel_events *events, bool base);

/* `e` or `eb` lines of those that counted all the time, of so many operations and samples. */
void kb_events_report(const struct kb_kernel_events *events, struct kb_record_writer *out, bool base, u64 operations, u64 samples);

#endif
