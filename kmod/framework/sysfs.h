/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* /sys/kernel/kbench. */
#ifndef KBENCH_FRAMEWORK_SYSFS_H
#define KBENCH_FRAMEWORK_SYSFS_H

#include "framework/entry.h"

int kb_sysfs_open(void);
void kb_sysfs_close(void);
/* The directory of a benchmark. Removing it waits until nobody is in it and nobody refers to it any more. */
int kb_sysfs_add(struct kb_kernel_entry *entry);
void kb_sysfs_remove(struct kb_kernel_entry *entry);

#endif
