// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * fib_lookup(): the route to an IPv4 address, in the caller's network namespace. Either one address again and again, which
 * the caches learn, or `addresses` seeded ones in random order, so that neither tree nor order is a small one. With
 * `prefixes` k they lie in k networks 11.X.Y.0/24, X.Y = j x 40503 modulo 65536 for j below k: whoever prepares the table
 * installs them.
 */
#include <net/ip_fib.h>

#define LOOKUP_ADDRESS __be32
#include "lookup.h"

static __always_inline int answer(struct lookup *lookup, const __be32 *address)
{
	struct flowi4 flow = { .daddr = *address };
	struct fib_result result;

	return fib_lookup(lookup->net, &flow, &result, 0);
}

static int op(struct kb_run *run, uint64_t n)
{
	struct lookup *lookup = run->state;
	int wrong = 0;

	KB_KERNEL_LOOP(n, wrong |= answer(lookup, next(lookup)) ^ lookup->expected);
	return wrong ? kb_fail(run, EBADMSG, "a lookup answered something else than %d", lookup->expected) : 0;
}

static void choose(struct kb_run *run, struct lookup *lookup)
{
	u64 prefixes = kb_param_number(run, "prefixes"), addresses = kb_param_number(run, "addresses");
	struct kb_rng rng;

	kb_rng_seed(&rng, run->seed + kb_kernel_thread(run));
	lookup->addresses[0] = kb_param_ip4(run, "flow_dst_ipaddr");
	for (u64 i = 0; i < addresses; i++) {
		u32 network = 11u << 24 | (u32)(kb_rng_below(&rng, prefixes) * 40503 & 0xffff) << 8;

		lookup->addresses[i] = htonl(prefixes ? network | (u32)kb_rng_below(&rng, 256) : (u32)kb_rng_next(&rng));
	}
}

/* What the first lookup finds, or what was requested. */
static int expect(struct kb_run *run, struct lookup *lookup)
{
	int first = answer(lookup, lookup->addresses);
	const __be32 *other;

	lookup->expected = kb_param_is(run, "expect", "first") ? first : kb_param_is(run, "expect", "route") ? 0 : -ENETUNREACH;
	other = lookup_other(lookup);
	if (other)
		return kb_fail(run, EBADMSG, "%pI4: fib_lookup() answers %d, expected %d", other, answer(lookup, other),
			       lookup->expected);
	if (kb_kernel_thread(run) == 0)
		kb_kernel_env(run, "fib_lookup=%d", lookup->expected);
	return 0;
}

static int setup(struct kb_run *run)
{
	run->state = current->nsproxy->net_ns;
	return 0;
}

/* Addresses of its own for each thread: a shared position would be what is measured. run->state is the caller's namespace. */
static int thread_setup(struct kb_run *run)
{
	return lookup_start(run, run->state);
}

static void thread_teardown(struct kb_run *run)
{
	lookup_free(run->state);
}

KB_KERNEL_ABOUT(
	.summary = "the route to an IPv4 address, fib_lookup()", .per = "lookup", .suite = KB_STANDARD, .needs = KB_NEED_ROOT,
	.portability = KB_PLATFORM, .assumes = "each lookup has the same answer, and this is checked", .bound = KB_KERNEL,
	.params = {
		{ "flow_dst_ipaddr", "destination, if addresses is 0", KB_IP4, "8.8.8.8" },
		{ "addresses", "seeded destinations in random order; 0: one", KB_NUMBER, "0", 0, 1 << 20 },
		{ "prefixes", "networks 11.X.Y.0/24 that they lie in; 0: anywhere", KB_NUMBER, "0", 0, 1 << 16 },
		{ "expect", "the answer", KB_CHOICE, "first", .choices = "first,route,unreachable" },
		{ "threads", "threads at the same time", KB_NUMBER, "1", 1, 256 },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .thread_setup = thread_setup, .op = op, .base = base, .thread_teardown = thread_teardown,
	.checked = true);
