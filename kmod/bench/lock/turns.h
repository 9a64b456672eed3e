/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * Turns of threads under one lock, which counts them in a plain number: were two threads inside at once, it would fall short. A lost
 * turn never comes back, so the thread that finishes last sees it, whoever lost it.
 */
#include <linux/atomic.h>
#include <linux/cache.h>

#include "kbench_kernel.h"

static atomic64_t done ____cacheline_aligned_in_smp;    /* turns that threads have finished */

/* `inside`: the number, which take and leave, the calls of the lock, protect. */
#define KB_TURNS_CHECK(take, leave, inside) \
	static int check(struct kb_run *run, uint64_t n) \
	{ \
		uint64_t claimed = atomic64_add_return(n, &done), seen; \
		\
		take; \
		seen = inside; \
		leave; \
		return seen >= claimed ? 0 \
			: kb_fail(run, EBADMSG, "%llu turns under the lock were lost", (unsigned long long)(claimed - seen)); \
	}
