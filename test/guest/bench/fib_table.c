// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * fib_table_lookup() alone, for the test bed: what fib_lookup() does around it is known then. part=frame is all of the turn but
 * the call, so that the difference of two runs is the function with its call; part=pinned runs as a BPF program does, without
 * migration, which a trampoline then need not switch off.
 */
#include <linux/nsproxy.h>
#include <net/ip_fib.h>
#include <net/net_namespace.h>

#include "kbench_kernel.h"

static struct { struct net *net; __be32 address; bool is_frame, is_pinned; } lookup;

static __always_inline int answer(struct fib_table *table)
{
	struct flowi4 flow = { .daddr = READ_ONCE(lookup.address) };
	struct fib_result result;

	return fib_table_lookup(table, &flow, &result, FIB_LOOKUP_NOREF);
}

static __always_inline int frame(struct fib_table *table)
{
	struct flowi4 flow = { .daddr = READ_ONCE(lookup.address) };
	struct fib_result result;

	kb_keep(table);
	kb_keep(&flow);
	kb_keep(&result);
	return 0;
}

static int setup(struct kb_run *run)
{
	lookup.net = current->nsproxy->net_ns;
	lookup.address = kb_param_ip4(run, "flow_dst_ipaddr");
	lookup.is_frame = kb_param_is(run, "part", "frame");
	lookup.is_pinned = kb_param_is(run, "part", "pinned");
	return lookup.net->ipv4.fib_main ? 0 : kb_skip(run, "there is no table");
}

static int op(struct kb_run *run, uint64_t n)
{
	int wrong = 0;

	if (lookup.is_pinned)
		migrate_disable();
	rcu_read_lock();
	if (lookup.is_frame)
		KB_KERNEL_LOOP(n, wrong |= frame(rcu_dereference(lookup.net->ipv4.fib_main)));
	else
		KB_KERNEL_LOOP(n, wrong |= answer(rcu_dereference(lookup.net->ipv4.fib_main)));
	rcu_read_unlock();
	if (lookup.is_pinned)
		migrate_enable();
	return wrong ? kb_fail(run, EBADMSG, "no route") : 0;
}

KB_KERNEL_ABOUT(
	.summary = "fib_table_lookup() without fib_lookup()", .per = "lookup", .portability = KB_PLATFORM,
	.assumes = "each lookup finds a route", .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.params = {
		{ "flow_dst_ipaddr", "destination", KB_IP4, "127.0.0.1" },
		{ "part", "the whole turn, all but the call, the whole without migration", KB_CHOICE, "lookup",
		  .choices = "lookup,frame,pinned" },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop);
