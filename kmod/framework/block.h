/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Blocks of a plan. */
#ifndef KBENCH_FRAMEWORK_BLOCK_H
#define KBENCH_FRAMEWORK_BLOCK_H

#include "framework/state.h"

/* The author's hooks as kb_measure_block wants them, and its probe. */
void kb_block_hooks(struct kb_bench *bench, const struct kb_kernel_hooks *hooks);
void kb_block_probe(struct kb_kernel_process *process);
/* Executes process->block. */
int kb_block_run(struct kb_kernel_process *process);
/* `e` lines. */
void kb_block_evidence(struct kb_kernel_process *process);

#endif
