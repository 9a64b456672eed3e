/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/* fib6_lookup(), where IPv6 may be a module and gives its functions through a table. -EAFNOSUPPORT: it is not there. */
#ifndef KBENCH_FIB6_H
#define KBENCH_FIB6_H

#include <net/ip6_fib.h>
#include <net/ipv6_stubs.h>

static __always_inline int kb_fib6_lookup(struct net *net, struct flowi6 *flow, struct fib6_result *result)
{
	return ipv6_stub->fib6_lookup(net, 0, flow, result, 0);
}

#endif
