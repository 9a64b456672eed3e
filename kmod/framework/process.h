/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A process from set-up to teardown, and its record. */
#ifndef KBENCH_FRAMEWORK_PROCESS_H
#define KBENCH_FRAMEWORK_PROCESS_H

#include "framework/state.h"

/* Takes the machine's only place; -EBUSY. */
int kb_claim(void);
void kb_release(void);

/* A process of an entry, whose module the caller holds. ERR_PTR(-ENOMEM). It starts with settings of the caller's. */
struct kb_kernel_process *kb_process_new(struct kb_kernel_entry *entry, const struct kb_settings *settings);
/* Header, calibration, set-up. `lines`: header lines of the host, may be NULL. 0, or -errno with a `fail` line. */
int kb_process_begin(struct kb_kernel_process *process, char *lines);
/* Teardown and `end`. */
int kb_process_end(struct kb_kernel_process *process);
/* Teardown if that is still due, and memory. */
void kb_process_free(struct kb_kernel_process *process);
/* Tears down, writes the fail line (and the note of a kb_skip) and returns error. */
int kb_process_fail(struct kb_kernel_process *process, const char *stage, int error);
/* After a step whose fail line is written: tears down. */
void kb_process_abandon(struct kb_kernel_process *process);
/* Writes the line that ends the record once no samples are pending before it. */
void kb_process_last_line(struct kb_kernel_process *process);

/* Sets a parameter. 0 or -errno: a refused value leaves the old one. threads: the most, a bound that the machine sets. */
int kb_process_param(struct kb_settings *, struct kb_span name, struct kb_span value, unsigned threads);

#endif
