/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The other threads of a process: parked between rounds, each on a CPU of its own. */
#ifndef KBENCH_FRAMEWORK_THREADS_H
#define KBENCH_FRAMEWORK_THREADS_H

#include "framework/state.h"

void kb_threads_init(struct kb_kernel_process *process);
/* Creates them and waits until each is set up. 0 or the first error. */
int kb_threads_create(struct kb_kernel_process *process);
/* Hands them work; then the caller lines up, too. */
void kb_threads_start(struct kb_kernel_process *process, void (*work)(struct kb_worker *));
/* Ends the round and waits for them. The first error of any of them. */
int kb_threads_stop(struct kb_kernel_process *process);
/* They tear down and exit. */
int kb_threads_join(struct kb_kernel_process *process);
int kb_worker_set_up(struct kb_worker *worker);
void kb_worker_tear_down(struct kb_worker *worker);
/* Reports that it is there and spins until all of them are: running, not merely woken. -EINTR. */
int kb_worker_line_up(struct kb_worker *worker);

#endif
