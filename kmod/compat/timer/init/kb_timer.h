/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Making a timer, where the kernel has no hrtimer_setup() yet (up to 6.12). */
#ifndef KBENCH_TIMER_H
#define KBENCH_TIMER_H

#include <linux/hrtimer.h>

static inline void kb_timer_init(struct hrtimer *timer, enum hrtimer_restart (*handler)(struct hrtimer *), enum hrtimer_mode mode)
{
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = handler;
}

#endif
