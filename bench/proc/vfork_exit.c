/*
 * proc.vfork_exit: as proc.fork_exit, but the child borrows the memory of the parent, which stands still until the
 * child is gone: nothing is copied, whatever the size of the parent.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

#include <kbench_parties.h>

static unsigned turn;

/* The child may do nothing here but leave: it stands on the stack of its parent. */
static int vfork_once(struct kb_run *run)
{
	int code = (int)(++turn % 100 + 1);
	pid_t child = vfork();

	if (child == 0)
		_exit(code);
	return child < 0 ? kb_fail(run, errno, "vfork") : kb_reap(run, child, code);
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++) {
		error = vfork_once(run);
		kb_count(run, KB_SEEN, !error);
	}
	return error;
}

/* The parent sleeps until the child is gone, and at times once more until its status is there. */
KB_BENCHMARK(
	.summary = "vfork, exit of the child, wait", .per = "process",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "the child shares the memory of its parent",
	.expect = {
		{ KB_SEEN, .per_op = 1 }, { KB_SYSCALLS, .per_op = 3, .who = KB_ALL },
		{ KB_NVCSW, .per_op = 1.4, .tolerance = 0.8 },
	},
	.op = op,
);
