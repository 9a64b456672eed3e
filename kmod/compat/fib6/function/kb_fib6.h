/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* fib6_lookup(), where IPv6 is a part of the kernel and the function is open to modules. */
#ifndef KBENCH_FIB6_H
#define KBENCH_FIB6_H

#include <net/ip6_fib.h>

static __always_inline int kb_fib6_lookup(struct net *net, struct flowi6 *flow, struct fib6_result *result)
{
	return fib6_lookup(net, 0, flow, result, 0);
}

#endif
