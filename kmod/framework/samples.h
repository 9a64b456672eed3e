/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Single operations: taken, kept, written. */
#ifndef KBENCH_FRAMEWORK_SAMPLES_H
#define KBENCH_FRAMEWORK_SAMPLES_H

#include "framework/state.h"

/* N samples a thread, all threads at once. -ETIME, -EINTR: those that were made are kept. */
int kb_samples_run(struct kb_kernel_process *process, u64 count);
/* Writes the next samples as `q` lines, about 32 KiB of them. */
int kb_samples_emit(struct kb_kernel_process *process);
bool kb_samples_pending(const struct kb_kernel_process *process);
void kb_samples_free(struct kb_kernel_process *process);
/* Sorted ticks of all samples, kvmalloc'ed. NULL: no memory, or no
   samples. Unsorted only if the caller is being killed. */
u64 *kb_samples_sorted(const struct kb_kernel_process *process, size_t *count);

#endif
