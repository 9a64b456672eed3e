/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* Readings of the clock inside the kernel: those of the architecture, where this processor has them. */
#ifndef KBENCH_KERNEL_STAMP_H
#define KBENCH_KERNEL_STAMP_H

#include <linux/jump_label.h>

#include "stamp.h"

/* Off where a processor does not have the instruction of kb_stamp_end() (a Nehalem in an emulator); the reading that begins a sample
   then ends it, too: it is ordered as well, and costs a fence more. */
DECLARE_STATIC_KEY_TRUE(kb_kernel_has_stop);

static __always_inline uint64_t kb_kernel_begin(void)
{
	return kb_stamp_begin();
}

static __always_inline uint64_t kb_kernel_end(void)
{
	return static_branch_likely(&kb_kernel_has_stop) ? kb_stamp_end() : kb_stamp_begin();
}

#endif
