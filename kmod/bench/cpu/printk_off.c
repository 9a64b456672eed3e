// SPDX-License-Identifier: MIT OR GPL-2.0-only
/*
 * A message that is not printed, as it stands in paths that must be fast. pr_debug: the site is switched off, a jump that is
 * patched out (without CONFIG_DYNAMIC_DEBUG: nothing at all). no_printk: nothing at all. ratelimited: a limit that lets nothing
 * pass, so a lock is tried and given back. The arguments are counted: none may be looked at, for then it would be printed.
 */
#undef DEBUG
#include <linux/printk.h>
#include <linux/ratelimit.h>

#include "kbench_kernel.h"

#define LONG (3600 * HZ)

static struct ratelimit_state limit;
static uint64_t printed;
static enum { PR_DEBUG, NO_PRINTK, RATELIMITED } kind;

static noinline uint64_t argument(void)
{
	return ++printed;
}

static int setup(struct kb_run *run)
{
	printed = 0;
	ratelimit_state_init(&limit, LONG, 0);
	ratelimit_set_flags(&limit, RATELIMIT_MSG_ON_RELEASE);
	kind = kb_param_is(run, "kind", "pr_debug") ? PR_DEBUG : kb_param_is(run, "kind", "no_printk") ? NO_PRINTK : RATELIMITED;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	(void)run;
	if (kind == PR_DEBUG)
		KB_KERNEL_LOOP(n, pr_debug("message %llu\n", (unsigned long long)argument()));
	else if (kind == NO_PRINTK)
		KB_KERNEL_LOOP(n, no_printk("message %llu\n", (unsigned long long)argument()));
	else
		KB_KERNEL_LOOP(n, if (__ratelimit(&limit)) pr_info("message %llu\n", (unsigned long long)argument()));
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	(void)n;
	return printed ? kb_fail(run, EBADMSG, "%llu messages were printed; is dynamic debug on for kbench_printk_off?",
		(unsigned long long)printed) : 0;
}

KB_KERNEL_ABOUT(
	.summary = "a message that is not printed: pr_debug switched off, no_printk, or over its rate limit",
	.per = "message", .portability = KB_PLATFORM, .bound = KB_KERNEL, .needs = KB_NEED_ROOT,
	.assumes = "no message is printed, and no argument is evaluated",
	.params = { { "kind", "how it is kept back", KB_CHOICE, "ratelimited;pr_debug,no_printk", 0, 0,
		"pr_debug,no_printk,ratelimited" } },
);
KB_KERNEL_BENCHMARK(.setup = setup, .op = op, .base = kb_empty_loop, .check = check);
