/* SPDX-License-Identifier: MIT OR GPL-2.0-only */
/*
 * kbench_kernel.h - all that the author of a benchmark of a kernel function sees, besides the headers of the function itself.
 *
 * A benchmark is one file kmod/bench/DOMAIN/X.c and becomes the module kbench_X.ko, which gives the benchmark kernel.X and the directory
 * /sys/kernel/kbench/X. It describes itself in KB_KERNEL_ABOUT and ends in KB_KERNEL_BENCHMARK. Hooks get a struct kb_run and
 * return 0 or -errno, as everywhere; doc/kernel.md walks through an example.
 */
#ifndef KBENCH_KERNEL_H
#define KBENCH_KERNEL_H

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/types.h>

#include "base/module_version.h"
#include "base/rng.h"
#include "kbench.h"
#include "kbench_kernel_stamp.h"

/*
 * The hooks. op and base may run with preemption or interrupts off unless may_sleep forbids that; they never call
 * what may sleep without it, and neither do prepare and check of such a benchmark. setup, teardown, thread_setup and
 * thread_teardown may always sleep. Contended benchmarks declare a parameter `threads`; thread_setup is then called in each
 * thread and may replace run->state, which is that of setup, for its own.
 */
struct kb_kernel_hooks {
	int (*setup)(struct kb_run *);                          /* once a process */
	int (*thread_setup)(struct kb_run *);                   /* once a thread, after setup */
	int (*prepare)(struct kb_run *, uint64_t n);            /* before each sample, not timed */
	int (*op)(struct kb_run *, uint64_t n);                 /* exactly n operations */
	int (*base)(struct kb_run *, uint64_t n);               /* the same without the operation */
	int (*observe)(struct kb_run *, uint64_t n, uint64_t *ticks);   /* instead of op: takes its own stamps, kb_now() */
	int (*check)(struct kb_run *, uint64_t n);              /* after each sample of op: did it happen? */
	void (*thread_teardown)(struct kb_run *);
	void (*teardown)(struct kb_run *);
	bool may_sleep;
	bool checked;                   /* op or setup fails where it was not done; else that takes check, or an expectation */
};

/* One benchmark as its module hands it to the framework. */
struct kb_kernel_bench {
	const struct kb_bench *about;
	const struct kb_kernel_hooks *hooks;
	/* One sample with op, and what it calls in its own file, inlined between the two readings: a call through a pointer
	   would cost as much as a short operation. */
	int (*timed)(struct kb_run *, uint64_t n, uint64_t *start, uint64_t *ticks);
	const char *name;               /* X of X.c */
	struct module *owner;
	struct kb_kernel_entry *entry;  /* the framework's */
};

int kb_kernel_register(struct kb_kernel_bench *);
void kb_kernel_unregister(struct kb_kernel_bench *);

/* n turns of the statement, with nothing moved from one to the next. kb_empty_loop() is the same without a statement. In the statement
   KB_TURN is the number of the turn, from 0: what is the same in each turn may be done only once, as by a timer that is set to its own time. */
#define KB_TURN (kb_turns - kb_left)
#define KB_KERNEL_LOOP(n, ...) \
	do { \
		const uint64_t kb_turns = (n); \
		for (uint64_t kb_left = kb_turns; kb_left > 0; kb_left--) { \
			__VA_ARGS__; \
			kb_clobber(); \
		} \
	} while (0)

/* The number of the calling thread, from 0, and how many there are. */
unsigned kb_kernel_thread(const struct kb_run *);
unsigned kb_kernel_threads(const struct kb_run *);

/* A parameter of kind KB_IP4, in the order of the network. */
__be32 kb_param_ip4(const struct kb_run *, const char *name);

/* A fact about this process for the record, `env` with key=value fields. In setup. */
void kb_kernel_env(struct kb_run *, const char *format, ...) __printf(2, 3);

/* Whether the run shall end: a loop that may sleep asks, and returns -EINTR. */
bool kb_kernel_stopping(struct kb_run *);

/* Fields of struct kb_bench, data only: the host reads this text, too. */
#define KB_KERNEL_ABOUT(...) \
	static const struct kb_bench kb_kernel_about = { .abi = KB_ABI, .size = sizeof(struct kb_bench), __VA_ARGS__ }

/* "kbench_X" is the name of the module, X the benchmark's. */
#define KB_KERNEL_NAME (KBUILD_MODNAME + sizeof("kbench_") - 1)

#define KB_KERNEL_BENCHMARK(...) \
	static const struct kb_kernel_hooks kb_kernel_hooks = { __VA_ARGS__ }; \
	static __attribute__((__flatten__)) int kb_kernel_timed(struct kb_run *run, uint64_t n, uint64_t *start, uint64_t *ticks) \
	{ \
		int error = 0; \
		*start = kb_kernel_begin(); \
		if (kb_kernel_hooks.op) \
			error = kb_kernel_hooks.op(run, n); \
		*ticks = kb_kernel_end() - *start; \
		return error; \
	} \
	static struct kb_kernel_bench kb_kernel_bench = { \
		.about = &kb_kernel_about, .hooks = &kb_kernel_hooks, .timed = kb_kernel_timed, .owner = THIS_MODULE, \
	}; \
	static int __init kb_kernel_load(void) \
	{ \
		kb_kernel_bench.name = KB_KERNEL_NAME; \
		return kb_kernel_register(&kb_kernel_bench); \
	} \
	static void __exit kb_kernel_unload(void) \
	{ \
		kb_kernel_unregister(&kb_kernel_bench); \
	} \
	module_init(kb_kernel_load); \
	module_exit(kb_kernel_unload); \
	MODULE_DESCRIPTION("A benchmark of KBench"); \
	MODULE_VERSION(KB_MODULE_VERSION); \
	MODULE_LICENSE("Dual MIT/GPL")

#endif
