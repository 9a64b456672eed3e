/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* The flag of a queue whose work runs on the CPU that asks for it, where such queues have to say so. */
#ifndef KBENCH_WORKQUEUE_H
#define KBENCH_WORKQUEUE_H

#include <linux/workqueue.h>

#define KB_WORKQUEUE_BOUND WQ_PERCPU

#endif
