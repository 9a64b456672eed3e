/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The benchmarks that are loaded, by name. */
#ifndef KBENCH_FRAMEWORK_REGISTRY_H
#define KBENCH_FRAMEWORK_REGISTRY_H

#include "framework/entry.h"

/* The entry of kernel.X by X, its module held. ERR_PTR: -ENOENT, -ENODEV (it is on its way out). */
struct kb_kernel_entry *kb_entry_get(const char *name);

#endif
