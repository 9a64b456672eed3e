// SPDX-License-Identifier: MIT OR GPL-2.0-only
/* kbench.ko: /sys/kernel/kbench and /dev/kbench come and go with it. */
#include <linux/module.h>

#include "base/module_version.h"
#include "framework/device.h"
#include "framework/sysfs.h"

static int __init load(void)
{
	int error = kb_sysfs_open();

	if (error)
		return error;
	error = kb_device_open();
	if (error)
		kb_sysfs_close();
	return error;
}

static void __exit unload(void)
{
	kb_device_close();
	kb_sysfs_close();
}

module_init(load);
module_exit(unload);
MODULE_DESCRIPTION("KBench: benchmarks of kernel functions");
MODULE_VERSION(KB_MODULE_VERSION);
MODULE_LICENSE("Dual MIT/GPL");
