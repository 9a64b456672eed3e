/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* A benchmark that is loaded, and its module, which cannot go while it is held. */
#ifndef KBENCH_FRAMEWORK_ENTRY_H
#define KBENCH_FRAMEWORK_ENTRY_H

#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kobject.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "kbench_kernel.h"
#include "measure/params.h"

struct kb_kernel_process;
struct kb_entry_attribute;

struct kb_kernel_entry {
	struct kobject kobj;
	struct completion released;
	struct list_head list;
	struct kb_kernel_bench *kernel;
	struct kb_bench bench;          /* with the framework's parameters and hooks */
	char name[48];                  /* kernel.X */
	struct mutex lock;              /* of what follows */
	bool running;
	struct kb_settings settings;    /* of `cat run` */
	struct kb_kernel_process *kept;         /* its last run, for /dev/kbench; NULL: none */
	struct kb_entry_attribute *attributes;
	unsigned attribute_count;
};

/* Holds the module of an entry that is known to be there. -ENODEV: it is on its way out. */
static inline int kb_entry_hold(struct kb_kernel_entry *entry)
{
	return try_module_get(entry->kernel->owner) ? 0 : -ENODEV;
}

static inline void kb_entry_put(struct kb_kernel_entry *entry)
{
	module_put(entry->kernel->owner);
}

/* A hook may return any number; a system call must not. */
static inline int kb_errno(int error)
{
	return error > 0 || error < -MAX_ERRNO ? -EIO : error;
}

#endif
