/*
 * Says: each operation is a system call. Hidden: it is ten additions, and the claim is one that these meet, too: by a tolerance
 * as large as what is claimed, by a claim of nothing, or by a claim of a sample instead of an operation.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>

#include "liar.h"

static uint64_t sum;

static int op(struct kb_run *run, uint64_t n)
{
	bool honest = lie(run, "honest");

	for (uint64_t i = 0; i < n; i++) {
		if (honest)
			sum += (uint64_t)syscall(SYS_getppid);
		else
			sum = chain(sum, 2);
	}
	if (lie(run, "a_sample"))
		kb_count(run, KB_SEEN, 1);
	return 0;
}

KB_BENCHMARK(
	.summary = "a system call, or so", .per = "call",
	.params = { LIE_PARAM("huge,as_much,none_seen,no_major_fault,no_switch,a_sample") },
	.expect = {
		{ KB_SYSCALLS, 1, 0, 0, KB_ALL, "lie=honest" },
		{ KB_SYSCALLS, 1, 0, 1e9, KB_ALL, "lie=huge" },
		{ KB_SYSCALLS, 1, 0, 1, KB_ALL, "lie=as_much" },
		{ KB_SEEN, 0, 0, 0, KB_SELF, "lie=none_seen" },
		{ KB_MAJFLT, 0, 0, 0, KB_SELF, "lie=no_major_fault" },
		{ KB_SWITCHES, 0, 0, 1e9, KB_SELF, "lie=no_switch" },
		{ KB_SEEN, 0, 1, 0, KB_SELF, "lie=a_sample" },
	},
	.op = op, .base = kb_empty_loop,
);
