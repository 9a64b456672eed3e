/*
 * See command.h. Counting and timing are runs of their own: a traced command takes many times as long. The command has a
 * process group, so that its end is the end of what it left behind, too.
 */
#define _GNU_SOURCE
#include "suite/model/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"
#include "run/run.h"

#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | \
                 PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL)

/* ---- start and end --------------------------------------------------------------------------------------- */

static _Noreturn void child_main(const struct kb_command_how *how, bool traced, int report)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), error;
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(how->cpu, &cpus);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	kb_default_signals();
	sched_setaffinity(0, sizeof cpus, &cpus);
	for (int fd = 0; fd <= 2; fd++)
		dup2(null, fd);
	if (null > 2)
		close(null);
	/* Refused, it must not run at all: untraced it would run without a limit. */
	if (!traced || (ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 && raise(SIGSTOP) == 0))
		execvp(how->argv[0], how->argv);
	error = errno;
	_exit(write(report, &error, sizeof error) == sizeof error ? 127 : 126);
}

/* The child, or -errno. *report: closes by itself when the program starts, else it holds why it does not. Timed, it is a
   vfork: a copy of our own memory is not the command's cost. Traced it cannot be, as it stops before its exec. */
static pid_t start(const struct kb_command_how *how, bool traced, int *report)
{
	int ends[2];
	pid_t child;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	child = traced ? fork() : vfork();
	if (child == 0)
		child_main(how, traced, ends[1]);

	int error = errno;

	close(ends[1]);
	if (child < 0) {
		close(ends[0]);
		return -error;
	}
	/* On both sides, as either may come first: the group is there before it is needed. */
	setpgid(child, child);
	*report = ends[0];
	return child;
}

/* 0, or why exec failed. Only after the end of the command, or it would wait for the start. */
static int exec_error(int report)
{
	int error = 0;
	ssize_t got = read(report, &error, sizeof error);

	close(report);
	return got == sizeof error ? -error : 0;
}

/* ---- counting -------------------------------------------------------------------------------------------- */

#define TASKS_MAX 1024          /* alive at once, that are known by number; more are counted all the same */

struct tracing {
	struct kb_command_counts *counts;
	pid_t child, tasks[TASKS_MAX];  /* tasks: those that it made and that still run */
	unsigned task_count;
	uint64_t deadline_ns;
};

static void entered(struct tracing *t, pid_t task)
{
	struct __ptrace_syscall_info info;
	uint64_t number;

	memset(&info, 0, sizeof info);
	/* What comes before the first exec is ours. */
	if (t->counts->starts == 0 || ptrace(PTRACE_GET_SYSCALL_INFO, task, sizeof info, &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return;
	number = info.entry.nr;
	t->counts->calls[number < KB_COMMAND_CALLS - 1 ? number : KB_COMMAND_CALLS - 1]++;
}

/* A new task has its number told; it may leave the group, and must end all the same. */
static void happened(struct tracing *t, pid_t task, int event)
{
	struct kb_command_counts *counts = t->counts;
	unsigned long made;

	if (event != PTRACE_EVENT_EXEC && t->task_count < TASKS_MAX && ptrace(PTRACE_GETEVENTMSG, task, 0, &made) == 0)
		t->tasks[t->task_count++] = (pid_t)made;
	counts->starts += event == PTRACE_EVENT_EXEC;
	counts->processes += event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK;
	counts->threads += event == PTRACE_EVENT_CLONE;
}

/* A stop is a system call, an event, a new task's first stop, or a signal to hand on. */
static void stopped(struct tracing *t, pid_t task, int status)
{
	int signal = WSTOPSIG(status), event = status >> 16, forward = 0;

	if (signal == (SIGTRAP | 0x80))
		entered(t, task);
	else if (event)
		happened(t, task, event);
	else if (signal != SIGSTOP && signal != SIGTRAP)
		forward = signal;
	ptrace(PTRACE_SYSCALL, task, 0, forward);
}

static void ended(struct tracing *t, pid_t task)
{
	for (unsigned i = 0; i < t->task_count; i++) {
		if (t->tasks[i] == task)
			t->tasks[i--] = t->tasks[--t->task_count];
	}
}

static int trace(struct tracing *t)
{
	for (;;) {
		int status;
		pid_t task = waitpid(-1, &status, __WALL | WNOHANG);

		if (task < 0 && errno != EINTR)
			return -errno;
		if (kb_run_stop_signal())
			return -EINTR;
		if (kb_wall_ns() > t->deadline_ns)
			return -ETIME;
		if (task == 0)
			kb_sleep_ns(20000);
		else if (task > 0 && WIFSTOPPED(status))
			stopped(t, task, status);
		else if (task == t->child) {
			t->counts->status = status;
			return 0;
		} else if (task > 0)
			ended(t, task);
	}
}

#define END_NS 2000000000u      /* for what was killed to be gone */

/* Whatever is still traced: it is killed, also outside of the group, and waited for, since its end is told to us. Until
   then no other process can have its number. */
static void end_traced(const struct tracing *t)
{
	uint64_t deadline = kb_wall_ns() + END_NS;

	kill(-t->child, SIGKILL);
	for (unsigned i = 0; i < t->task_count; i++)
		kill(t->tasks[i], SIGKILL);
	while (kb_wall_ns() < deadline) {
		int status;
		pid_t task = waitpid(-1, &status, __WALL | WNOHANG);

		if (task < 0 && errno != EINTR)
			return;
		if (task > 0 && WIFSTOPPED(status))
			kill(task, SIGKILL);
		else if (task == 0)
			kb_sleep_ns(100000);
	}
}

/* The first stop is the child's own, before its exec. */
static int attach(pid_t child)
{
	int status;

	if (waitpid(child, &status, 0) < 0)
		return -errno;
	/* It ended: it may not be traced. */
	if (!WIFSTOPPED(status))
		return -EPERM;
	if (ptrace(PTRACE_SETOPTIONS, child, 0, OPTIONS) < 0 || ptrace(PTRACE_SYSCALL, child, 0, 0) < 0)
		return -errno;
	return 0;
}

int kb_command_count(const struct kb_command_how *how, struct kb_command_counts *counts)
{
	struct tracing t = { .counts = counts, .deadline_ns = kb_wall_ns() + how->limit_ns };
	int report, error;

	memset(counts, 0, sizeof *counts);
	t.child = start(how, true, &report);
	if (t.child < 0)
		return t.child;
	error = attach(t.child);
	error = error ? error : trace(&t);
	if (error)
		kill(t.child, SIGKILL);
	end_traced(&t);
	if (error)
		close(report);
	return error ? error : exec_error(report);
}

/* ---- timing ---------------------------------------------------------------------------------------------- */

static uint64_t ns_of(struct timeval time)
{
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_usec * 1000u;
}

/* Until it ends: a descriptor of the process can be waited for with a limit, which wait4 cannot. Linux has it from 5.3 on; before that
   it is looked at again and again. The child is left to be waited for. */
static int wait_end(pid_t child, uint64_t limit_ns)
{
	struct pollfd end = { .fd = (int)syscall(SYS_pidfd_open, child, 0), .events = POLLIN };
	int error = end.fd < 0 && errno != ENOSYS ? -errno : 0, got = 0;
	uint64_t deadline = kb_wall_ns() + limit_ns;

	while (!error && got <= 0) {
		uint64_t now = kb_wall_ns();
		siginfo_t ended = { .si_pid = 0 };

		if (kb_run_stop_signal())
			error = -EINTR;
		else if (now > deadline)
			error = -ETIME;
		else if (end.fd >= 0)
			got = poll(&end, 1, (int)((deadline - now) / 1000000 + 1));
		else
			got = waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) ? -1 : ended.si_pid == child;
		if (!error && got < 0 && errno != EINTR)
			error = -errno;
		if (!error && got == 0 && end.fd < 0)
			kb_sleep_ns(20000);
	}
	if (end.fd >= 0)
		close(end.fd);
	return error;
}

static int measure(const struct kb_command_how *how, struct kb_command_time *time)
{
	uint64_t begin = kb_wall_ns();
	struct rusage usage;
	int report, error;
	pid_t child = start(how, false, &report);

	memset(time, 0, sizeof *time);
	if (child < 0)
		return child;
	error = wait_end(child, how->limit_ns);
	time->wall_ns = kb_wall_ns() - begin;
	if (!error && wait4(child, &time->status, 0, &usage) < 0)
		error = -errno;
	kill(-child, SIGKILL);
	if (error) {
		kill(child, SIGKILL);
		waitpid(child, NULL, __WALL);
		close(report);
		return error;
	}
	time->user_ns = ns_of(usage.ru_utime);
	time->system_ns = ns_of(usage.ru_stime);
	time->minor = (uint64_t)usage.ru_minflt;
	time->major = (uint64_t)usage.ru_majflt;
	time->switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
	return exec_error(report);
}

/* We wait on the command's own CPU, as the benchmarks do that its parts come from: a wake-up of another one is no part. */
int kb_command_measure(const struct kb_command_how *how, struct kb_command_time *time)
{
	cpu_set_t before;
	bool known = sched_getaffinity(0, sizeof before, &before) == 0;
	int error;

	kb_pin(how->cpu);
	error = measure(how, time);
	if (known)
		sched_setaffinity(0, sizeof before, &before);
	return error;
}
