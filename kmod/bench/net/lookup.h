/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * What the route lookups of IPv4 and IPv6 share: addresses in random order, walked round and round, and one answer for all of
 * them, found before anything is timed. Whoever includes it names the type of an address, LOOKUP_ADDRESS, defines what a lookup
 * answers, answer(), which addresses are looked up, choose(), and what all of them must answer, expect().
 */
#ifndef KBENCH_LOOKUP_H
#define KBENCH_LOOKUP_H

#include <linux/mm.h>
#include <linux/nsproxy.h>
#include <linux/slab.h>
#include <net/net_namespace.h>

#include "kbench_kernel.h"

struct lookup { struct net *net; LOOKUP_ADDRESS *addresses; u64 count, at; int expected; };

static int answer(struct lookup *lookup, const LOOKUP_ADDRESS *address);
static void choose(struct kb_run *run, struct lookup *lookup);
static int expect(struct kb_run *run, struct lookup *lookup);

static __always_inline const LOOKUP_ADDRESS *next(struct lookup *lookup)
{
	lookup->at = lookup->at + 1 == lookup->count ? 0 : lookup->at + 1;
	return &lookup->addresses[lookup->at];
}

/* The walk without the lookups. */
static int base(struct kb_run *run, uint64_t n)
{
	struct lookup *lookup = run->state;

	KB_KERNEL_LOOP(n, kb_keep(*next(lookup)));
	return 0;
}

static void lookup_free(struct lookup *lookup)
{
	put_net(lookup->net);
	kvfree(lookup->addresses);
	kfree(lookup);
}

/* Room for `addresses` of them, but for one at least. NULL: no memory. */
static struct lookup *lookup_make(struct net *net, u64 addresses)
{
	struct lookup *lookup = kzalloc(sizeof *lookup, GFP_KERNEL);

	if (!lookup)
		return NULL;
	lookup->net = get_net(net);
	lookup->count = max_t(u64, addresses, 1);
	lookup->addresses = kvcalloc(lookup->count, sizeof *lookup->addresses, GFP_KERNEL);
	if (lookup->addresses)
		return lookup;
	lookup_free(lookup);
	return NULL;
}

/* The first address whose answer is not the expected one; NULL: all have it. */
static const LOOKUP_ADDRESS *lookup_other(struct lookup *lookup)
{
	for (u64 i = 0; i < lookup->count; i++) {
		if (answer(lookup, &lookup->addresses[i]) != lookup->expected)
			return &lookup->addresses[i];
		cond_resched();
	}
	return NULL;
}

/* run->state becomes addresses in that namespace, all of which have the expected answer. */
static int lookup_start(struct kb_run *run, struct net *net)
{
	struct lookup *lookup = lookup_make(net, kb_param_number(run, "addresses"));
	int error;

	if (!lookup)
		return -ENOMEM;
	run->state = lookup;
	choose(run, lookup);
	error = expect(run, lookup);
	if (error)
		lookup_free(lookup);
	return error;
}

#endif
