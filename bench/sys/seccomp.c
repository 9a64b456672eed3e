/*
 * sys.seccomp: a system call under a filter of so many instructions; the row with 0 is the same call without a filter,
 * and the difference is what the filter costs. Each instruction reads an argument of the call: a filter that does not
 * ask for arguments is answered from a table in newer kernels, without running.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <kbench.h>

#define INSTRUCTIONS_MAX 4000u
#define REFUSED 0x4b42u         /* argument with which the filter refuses the call: so it is seen to be there */

static struct sock_filter filter[INSTRUCTIONS_MAX];
static uint64_t instructions, sum;

/* Ends: not the call, or not the argument: allow. The low half of the argument stands first on all our machines. */
static const struct sock_filter decision[] = {
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REFUSED, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOANO),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
#define DECISION (sizeof decision / sizeof *decision)

static int setup(struct kb_run *run)
{
	struct sock_fprog program = { .filter = filter };

	instructions = kb_param_number(run, "instructions");
	if (instructions == 0)
		return 0;
	if (instructions <= DECISION)
		return kb_skip(run, "a filter has at least %u instructions", (unsigned)DECISION + 1);
	for (size_t i = 0; i < instructions - DECISION; i++)
		filter[i] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
	for (size_t i = 0; i < DECISION; i++)
		filter[instructions - DECISION + i] = decision[i];
	program.len = (unsigned short)instructions;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return kb_skip(run, "this system takes no filter (errno %d)", errno);
	return 0;
}

static int op(struct kb_run *run, uint64_t n)
{
	sum = 0;
	for (uint64_t i = 0; i < n; i++) {
		long parent = syscall(SYS_getppid, 0);

		if (parent < 0)
			return kb_fail(run, errno, "getppid");
		sum += (uint64_t)parent;
	}
	return 0;
}

static int check(struct kb_run *run, uint64_t n)
{
	bool refused = syscall(SYS_getppid, REFUSED) < 0 && errno == ENOANO;

	if (sum != n * (uint64_t)syscall(SYS_getppid, 0) || refused != (instructions > 0))
		return kb_fail(run, EPROTO, "not %llu calls, or the filter is %s", (unsigned long long)n, refused ? "on" : "off");
	return 0;
}

KB_BENCHMARK(
	.summary = "system call under a seccomp filter", .per = "call",
	.suite = KB_FULL, .portability = KB_PLATFORM, .assumes = "the kernel runs the filter on every call",
	.params = { { "instructions", "of the filter; 0: none", KB_NUMBER, "0,10,100", 0, INSTRUCTIONS_MAX, NULL } },
	.expect = { { KB_SYSCALLS, .per_op = 1, .who = KB_ALL } },
	.setup = setup, .op = op, .base = kb_empty_loop, .check = check,
);
