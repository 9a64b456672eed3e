/*
 * vdso.getcpu: on which CPU am I? Answered by code that the kernel maps into the process, or by a system call; each answer
 * must be the CPU on which this process is pinned.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench_parties.h>

static unsigned expected;
static bool by_library;
static uint64_t seen;

static int setup(struct kb_run *run)
{
	expected = (unsigned)kb_cpu(run, 0);
	by_library = kb_param_is(run, "via", "vdso");
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	unsigned cpu, node;

	seen = 0;
	for (uint64_t i = 0; i < n; i++) {
		cpu = ~0u;      /* or the last answer would count once more */
		if (by_library ? getcpu(&cpu, &node) : (int)syscall(SYS_getcpu, &cpu, &node, NULL))
			return kb_fail(run, errno, "getcpu");
		seen += cpu == expected;
	}
	kb_count(run, KB_SEEN, seen);
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	return seen == n ? 0 : kb_fail(run, EILSEQ, "an answer is another CPU");
}

KB_BENCHMARK(
	.summary = "getcpu, through the vDSO or a system call",
	.portability = KB_ASSUMING, .assumes = "the C library calls the vDSO, and the kernel provides the function there",
	.per = "call",
	.params = { { "via", "what answers", KB_CHOICE, "vdso,syscall", .choices = "vdso,syscall" } },
	.expect = {
		{ KB_SEEN, .per_op = 1 },
		{ KB_SYSCALLS, 0, 0, 0, KB_ALL, "via=vdso" }, { KB_SYSCALLS, 1, 0, 0, KB_ALL, "via=syscall" },
	},
	.setup = setup, .op = op, .check = check,
);
