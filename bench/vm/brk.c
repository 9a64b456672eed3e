/*
 * vm.brk: the end of the heap goes up and comes down in turn; an operation is one call. Nothing is touched in between,
 * and nobody else may move the end: each call tells where it is.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

static uintptr_t low, high;

/* The system call itself: the library's brk keeps a note of its own, which ends where it began. */
static uintptr_t move_end(uintptr_t to)
{
	return (uintptr_t)syscall(SYS_brk, to);
}

static int before(struct kb_run *run, uint64_t n)
{
	(void)n;
	low = move_end(0);
	high = low + kb_param_number(run, "size");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		uintptr_t to = i & 1 ? low : high;

		if (move_end(to) != to)
			return kb_fail(run, ENOMEM, "the end of the heap did not move");
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	uintptr_t end = move_end(0);

	move_end(low);
	return end == (n & 1 ? high : low) ? 0 : kb_fail(run, EPROTO, "the heap does not end where %llu calls leave it",
	                                                 (unsigned long long)n);
}

KB_BENCHMARK(
	.summary = "brk: move the end of the heap up or down", .per = "call",
	.suite = KB_FULL, .portability = KB_PLATFORM,
	.params = { { "size", "of the step, bytes", KB_SIZE, "64K", 65536, 64u << 20, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL }, { KB_MINFLT }, { KB_MAJFLT } },
	.before = before, .op = op, .base = kb_empty_loop, .check = check,
);
