/*
 * See proof.h. Every task that the operation makes is traced from its first instruction, so that a call cannot hide in a child;
 * signals are handed on, stops that tracing itself makes are not. A traced call takes many times as long, so nothing is timed here.
 */
#define _GNU_SOURCE
#include "evidence/proof.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

#define MARK 0x4b42 /* far beyond the system call tables of all architectures */

#define MARKS 4 /* around n, around 2n */

#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)

struct tracer {
	pid_t child;
	unsigned marks;
	uint64_t calls[MARKS + 1];      /* system calls seen after each mark */
	uint64_t deadline_ns;
	int status;
};

void kb_proof_mark(void)
{
	syscall(MARK);
}

static void entered(struct tracer *tracer, pid_t task)
{
	struct __ptrace_syscall_info info;

	memset(&info, 0, sizeof info);
	if (ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof info, &info) <= 0 || info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	if (info.entry.nr != MARK)
		tracer->calls[tracer->marks]++;
	else if (tracer->marks < MARKS)
		tracer->marks++;
}

/* A stop is a system call, a new task, an exec, or a signal to hand on. */
static void stopped(struct tracer *tracer, pid_t task, int status)
{
	int signal = WSTOPSIG(status), forward = 0;

	if (signal == (SIGTRAP | 0x80))
		entered(tracer, task);
	else if (signal != SIGSTOP && signal != SIGTRAP)
		forward = signal;
	ptrace(PTRACE_SYSCALL, task, 0, forward);
}

static int trace(struct tracer *tracer)
{
	for (;;) {
		int status;
		pid_t task = waitpid(-1, &status, __WALL | WNOHANG);

		if (task < 0 && errno != EINTR)
			return -errno;
		if (kb_wall_ns() > tracer->deadline_ns)
			return -ETIME;
		if (task == 0)
			kb_sleep_ns(20000);
		else if (task > 0 && WIFSTOPPED(status))
			stopped(tracer, task, status);
		else if (task == tracer->child) {
			tracer->status = status;
			return 0;
		}
	}
}

static int child_main(int (*traced)(void *, uint64_t), void *context, uint64_t n)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
		_exit(127);
	raise(SIGSTOP);
	_exit(traced(context, n) ? 1 : 0);
}

static int start(struct tracer *tracer)
{
	int status;

	if (waitpid(tracer->child, &status, 0) < 0)
		return -errno;
	if (!WIFSTOPPED(status))
		return -EPERM;
	if (ptrace(PTRACE_SETOPTIONS, tracer->child, 0, OPTIONS) < 0 || ptrace(PTRACE_SYSCALL, tracer->child, 0, 0) < 0)
		return -errno;
	return 0;
}

int kb_proof_count(int (*traced)(void *, uint64_t), void *context, uint64_t n, uint64_t limit_ns, struct kb_proof *proof)
{
	struct tracer tracer = { .deadline_ns = kb_wall_ns() + limit_ns };

	tracer.child = fork();
	if (tracer.child < 0)
		return -errno;
	if (tracer.child == 0)
		child_main(traced, context, n);

	int error = start(&tracer);

	if (!error)
		error = trace(&tracer);
	if (error) {
		kill(tracer.child, SIGKILL);
		waitpid(tracer.child, NULL, __WALL);
		return error;
	}
	*proof = (struct kb_proof){ tracer.calls[3] - tracer.calls[1], n, tracer.status };
	return tracer.marks == MARKS || tracer.status ? 0 : -EPROTO;
}
