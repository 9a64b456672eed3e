// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * fib6_lookup(): the route to an IPv6 address, in the caller's network namespace. With `addresses` n there are n seeded ones
 * in random order in `prefixes` networks 2001:db8:X::/48, X = j x 40503 modulo 65536 for j below their number. A lookup always
 * finds an entry: that of no route has a type of its own.
 */
#include "kb_fib6.h"

#define LOOKUP_ADDRESS struct in6_addr
#include "lookup.h"

static __always_inline int answer(struct lookup *lookup, const struct in6_addr *address)
{
	struct flowi6 flow = { .daddr = *address };
	struct fib6_result result = { 0 };
	int error;

	rcu_read_lock();
	error = kb_fib6_lookup(lookup->net, &flow, &result);
	rcu_read_unlock();
	return error ? error : result.fib6_type;
}

static int op(struct kb_run *run, uint64_t n)
{
	struct lookup *lookup = run->state;
	int wrong = 0;

	KB_KERNEL_LOOP(n, wrong |= answer(lookup, next(lookup)) ^ lookup->expected);
	return wrong ? kb_fail(run, EBADMSG, "a lookup answered something else than type %d", lookup->expected) : 0;
}

static void choose(struct kb_run *run, struct lookup *lookup)
{
	u64 prefixes = kb_param_number(run, "prefixes"), addresses = kb_param_number(run, "addresses");
	struct kb_rng rng;

	kb_rng_seed(&rng, run->seed);
	lookup->addresses[0] = (struct in6_addr)IN6ADDR_LOOPBACK_INIT;
	for (u64 i = 0; i < addresses; i++) {
		struct in6_addr *address = &lookup->addresses[i];

		*address = (struct in6_addr){ .s6_addr32 = { htonl(0x20010db8), 0, htonl((u32)kb_rng_next(&rng)), htonl(1) } };
		address->s6_addr16[2] = htons((u16)(kb_rng_below(&rng, prefixes) * 40503));
	}
}

static int expect(struct kb_run *run, struct lookup *lookup)
{
	const struct in6_addr *other;

	lookup->expected = answer(lookup, lookup->addresses);
	if (lookup->expected == -EAFNOSUPPORT)
		return kb_skip(run, "IPv6 is off");
	other = lookup_other(lookup);
	if (other)
		return kb_fail(run, EBADMSG, "%pI6c: type %d, the first had %d", other, answer(lookup, other), lookup->expected);
	kb_kernel_env(run, "fib_lookup6=%d", lookup->expected);
	return 0;
}

static int setup(struct kb_run *run)
{
	return lookup_start(run, current->nsproxy->net_ns);
}

static void teardown(struct kb_run *run)
{
	lookup_free(run->state);
}

KB_KERNEL_ABOUT(
	.summary = "the route to an IPv6 address, fib6_lookup()", .per = "lookup", .suite = KB_FULL, .needs = KB_NEED_ROOT,
	.portability = KB_PLATFORM, .assumes = "each lookup has the same answer, and this is checked", .bound = KB_KERNEL,
	.params = {
		{ "addresses", "seeded destinations in random order; 0: ::1 alone", KB_NUMBER, "0", 0, 1 << 20 },
		{ "prefixes", "networks 2001:db8:X::/48 that they lie in", KB_NUMBER, "1", 1, 1 << 16 },
	},
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = base, .teardown = teardown, .checked = true);
