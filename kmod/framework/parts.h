/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The two faces of kbench.ko, as the registry starts and ends them. */
#ifndef KBENCH_PARTS_H
#define KBENCH_PARTS_H

#include "framework/framework.h"

/* /sys/kernel/kbench. */
int kb_sysfs_open(void);
void kb_sysfs_close(void);
/* The folder of a benchmark. Removing it waits until nobody is in it and nobody refers to it any more. */
int kb_sysfs_add(struct kb_kernel_entry *entry);
void kb_sysfs_remove(struct kb_kernel_entry *entry);

/* /dev/kbench. */
int kb_device_open(void);
void kb_device_close(void);

#endif
