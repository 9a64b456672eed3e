/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Windows without preemption or interrupts, what an operation costs, and until when a step may last. */
#ifndef KBENCH_FRAMEWORK_WINDOW_H
#define KBENCH_FRAMEWORK_WINDOW_H

#include "framework/state.h"

/* Begins a step that ends by max_ms. */
void kb_window_arm(struct kb_kernel_process *process);
/* 0, -EINTR (a fatal signal, or the process is stopped), -ETIME. */
int kb_window_may_go_on(const struct kb_kernel_process *process);

/* Longest window of a mode, ticks. */
u64 kb_window_limit(const struct kb_kernel_process *process, unsigned mode);
/* The strongest mode up to the process's whose window holds so many ticks. */
unsigned kb_window_mode(const struct kb_kernel_process *process, u64 ticks);
void kb_window_open(struct kb_window *window, unsigned mode);
/* Returns its length in ticks, and lets others run. */
u64 kb_window_close(struct kb_window *window);
/* What n operations may take, ticks. */
u64 kb_expected_ticks(const struct kb_kernel_process *process, u64 n);
void kb_learn_cost(struct kb_kernel_process *process, u64 n, u64 ticks);
/* The same for the next window, which is shut longer where others contend, with the two contention probes inside it; and what is
   learnt of the last, of that length. */
u64 kb_window_ticks(const struct kb_kernel_process *process, u64 n);
void kb_learn_window(struct kb_kernel_process *process, u64 n, u64 ticks, u64 length);
/* Where locks and allocators sleep (a real-time kernel), no operation that takes one may run with preemption off. */
bool kb_may_sleep(const struct kb_kernel_process *process);
/* One untimed sample: prepare, op, check. */
int kb_take_sample(struct kb_worker *worker, u64 n, u64 *ticks);
/* What one operation costs, so that a window can be bounded before it opens. */
int kb_window_first_cost(struct kb_kernel_process *process);

#endif
