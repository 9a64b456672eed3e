/*
 * Says: a file is locked and unlocked, two system calls an operation. Hidden: a filter answers them before the kernel does
 * what is asked.
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "liar.h"

static int file = -1;

/* flock() says 0 and does nothing. */
static int answer_flock(struct kb_run *run)
{
	struct sock_filter lines[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_flock, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof lines / sizeof *lines, lines };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0))
		return kb_skip(run, "no filter of system calls here");
	return 0;
}

static int setup(struct kb_run *run)
{
	file = memfd_create("liar", MFD_CLOEXEC);
	if (file < 0)
		return kb_fail(run, errno, "a file in memory");
	return lie(run, "filtered") ? answer_flock(run) : 0;
}

static int lock_once(void)
{
	return flock(file, LOCK_EX) || flock(file, LOCK_UN) ? -errno : 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	int error = 0;

	for (uint64_t i = 0; i < n && !error; i++)
		error = lock_once();
	return error ? kb_fail(run, -error, "a lock") : 0;
}

KB_BENCHMARK(
	.summary = "locking and unlocking a file", .per = "pair",
	.params = { LIE_PARAM("filtered") },
	.expect = { { KB_SYSCALLS, .per_op = 2, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop,
);
