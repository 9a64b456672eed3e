/*
 * proc.clone: a child by clone(2) that shares with its parent nothing, the memory, or all that can be shared without
 * being a thread of it; it returns at once and is waited for. What is shared need not be copied. Sharing is seen: the
 * child adds to a number, which the parent finds changed or not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/types.h>

#include <kbench_parties.h>

static unsigned turn;
static int flags;
static volatile uint64_t number;
static uint64_t number_before;
static unsigned char stack[65536] __attribute__((aligned(64)));

static int child_main(void *data)
{
	number = number + 1;
	return *(int *)data;
}

static int setup(struct kb_run *run)
{
	flags = kb_param_is(run, "share", "nothing") ? SIGCHLD : kb_param_is(run, "share", "memory") ? CLONE_VM | SIGCHLD
		: CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_SYSVSEM | SIGCHLD;
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	number_before = number;
	for (uint64_t i = 0; i < n && !error; i++) {
		int code = (int)(++turn % 100 + 1);
		int child = clone(child_main, stack + sizeof stack, flags, &code);

		error = child < 0 ? kb_fail(run, errno, "clone") : kb_reap(run, child, code);
		kb_count(run, KB_SEEN, !error);
	}
	return error;
}

static int check(struct kb_run *run, uint64_t n)
{
	uint64_t seen = number - number_before, expected = flags & CLONE_VM ? n : 0;

	if (seen != expected)
		return kb_fail(run, EPROTO, "%llu of %llu children wrote into the memory of the parent",
			       (unsigned long long)seen, (unsigned long long)expected);
	return 0;
}

KB_BENCHMARK(
	.summary = "clone, exit of the child, wait", .per = "process",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "Linux",
	.params = { { "share", "what the child has in common", KB_CHOICE, "nothing,memory,all", .choices = "nothing,memory,all" } },
	.expect = { { KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, .per_op = 3, .who = KB_ALL },
	            { KB_NVCSW, .per_op = 1, .tolerance = 0.9 }, { KB_MINFLT, .per_op = 8, .tolerance = 8 } },
	.setup = setup, .op = op, .check = check,
);
