/*
 * See proof.h. Every task that the operation makes is traced from its first instruction, so that a call cannot hide in a child;
 * signals are handed on, stops that tracing itself makes are not. A traced call takes many times as long, so nothing is timed here.
 */
#define _GNU_SOURCE
#include "evidence/proof.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/text.h"
#include "evidence/leftovers.h"
#include "io.h"
#include "syscall_name.h"

#define MARK 0x4b42     /* far beyond the system call tables of all architectures */
#define RESTART 512     /* and some above: errors between the kernel and its signal handling, which no program sees */
#define EVENT_BYTES 8   /* what a read or write of an eventfd moves: a signal, no data */

#define NAP_NS 10000000 /* at most, until the deadline is looked at again */

#define OPTIONS (PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)

#define TRANSFERS "read,pread64,readv,preadv,write,pwrite64,writev,pwritev,recvfrom,recvmsg,sendto,sendmsg,sendfile,splice,vmsplice,tee," \
	"copy_file_range,msgrcv,getrandom,process_vm_readv,process_vm_writev"
#define SILENT_TRANSFERS "recvmmsg,sendmmsg,msgsnd,io_uring_enter,io_submit"    /* return something else, or nothing */

#define STARTS "clone,clone3,fork,vfork"

struct tracer {
	const struct kb_proof_request *request;
	struct kb_proof *proof;
	pid_t child;
	enum kb_proof_part part;
	unsigned parts;                         /* bits of those that were marked */
	struct kb_calls calls[KB_PROOF_PARTS];
	struct kb_tasks tasks;
	struct kb_leftovers leftovers;
	uint64_t deadline_ns;
	sigset_t child_signal, signals;         /* SIGCHLD, which is blocked meanwhile, and the mask before */
	cpu_set_t allowed;                      /* to the tracer, but while it shares the CPU of the child */
};

void kb_proof_mark(enum kb_proof_part part, uint64_t n)
{
	syscall(MARK, part, n);
}

/* ---- the CPU ------------------------------------------------------------------------------------- */

static void go_anywhere(struct tracer *tracer)
{
	sched_setaffinity(0, sizeof tracer->allowed, &tracer->allowed);
}

/* ---- what a call does ---------------------------------------------------------------------------- */

static void take_mark(struct tracer *tracer, const uint64_t *arguments)
{
	if (tracer->parts == 0)
		go_anywhere(tracer);
	tracer->part = arguments[0] < KB_PROOF_PARTS ? (enum kb_proof_part)arguments[0] : KB_PROOF_APART;
	tracer->parts |= 1u << tracer->part;
	if (tracer->part != KB_PROOF_APART) /* a part that comes again is made anew */
		tracer->calls[tracer->part] = (struct kb_calls){ .made = 0 };
	if (tracer->part == KB_PROOF_OP)
		tracer->proof->operations = arguments[1];
}

static void entered(struct tracer *tracer, struct kb_task *task, uint64_t number, const uint64_t *arguments)
{
	if (number == MARK) {
		take_mark(tracer, arguments);
		return;
	}
	task->number = number;
	task->file = (int)arguments[0];
	task->part = tracer->part;
	tracer->calls[task->part].made++;
	tracer->calls[task->part].own += task->pid == tracer->child;
	kb_leftovers_entered(task, arguments);
}

/* A futex that has another value already, or a wait that was over in time, is no failure: libraries that lock meet both. */
static bool is_expected(const struct tracer *tracer, const char *call, int error)
{
	const char *name = strerrorname_np(error);

	if (!strcmp(call, "futex") && (error == EAGAIN || error == ETIMEDOUT))
		return true;
	return error == EINTR || (name && tracer->request->errors && kb_list_has(tracer->request->errors, name));
}

static void count_failed(struct tracer *tracer, enum kb_proof_part part, const char *call, int error)
{
	tracer->calls[part].failed++;
	if (part == KB_PROOF_APART || tracer->proof->error[0])
		return;
	snprintf(tracer->proof->error, sizeof tracer->proof->error, "%s", strerrorname_np(error) ? strerrorname_np(error) : "?");
	snprintf(tracer->proof->call, sizeof tracer->proof->call, "%s", call);
}

static bool is_exec(const char *call)
{
	return !strcmp(call, "execve") || !strcmp(call, "execveat");
}

/* A shell looks for a program in several places, and so does posix_spawn: one that is found in the end did start. */
static void failed(struct tracer *tracer, struct kb_task *task, const char *call, int error)
{
	if (is_exec(call)) {
		task->exec_error = error;
		task->exec_part = task->part;
	} else if (task->pid == tracer->child && !is_expected(tracer, call, error)) {
		count_failed(tracer, task->part, call, error);
	}
}

static bool is_event(const struct kb_task *task, int64_t bytes)
{
	char link[64], target[64];

	if (bytes != EVENT_BYTES)
		return false;
	snprintf(link, sizeof link, "/proc/%d/fd/%d", task->pid, task->file);

	ssize_t length = readlink(link, target, sizeof target - 1);

	target[length > 0 ? length : 0] = '\0';
	return strstr(target, "[eventfd]") || strstr(target, "[timerfd]");
}

static void transferred(struct tracer *tracer, const struct kb_task *task, int64_t bytes)
{
	if (task->part == KB_PROOF_APART || is_event(task, bytes))
		return;
	tracer->calls[task->part].transfers++;
	tracer->calls[task->part].bytes += bytes > 0 ? (uint64_t)bytes : 0;
}

static void left(struct tracer *tracer, struct kb_task *task, int64_t value, bool is_error)
{
	const char *name = kb_syscall_name(task->number);

	if (is_error && value <= -RESTART) { /* it is entered again behind the signal, and counted then */
		tracer->calls[task->part].made--;
		tracer->calls[task->part].own -= task->pid == tracer->child;
		return;
	}
	if (is_error)
		failed(tracer, task, name ? name : "unknown", (int)-value);
	if (!name)
		return;
	if (!is_error && is_exec(name))
		task->exec_error = 0;
	if (kb_list_has(TRANSFERS, name))
		transferred(tracer, task, is_error ? 0 : value);
	else if (kb_list_has(SILENT_TRANSFERS, name))
		tracer->proof->counts_bytes &= task->part == KB_PROOF_APART;
	else if (kb_list_has(STARTS, name) && value > 0)
		tracer->calls[task->part].tasks++;
	else if (!strcmp(name, "sched_setaffinity") && task->pid == tracer->child)
		tracer->calls[task->part].changes++;
	if (!is_error)
		kb_leftovers_left(&tracer->leftovers, task, value);
}

/* ---- stops --------------------------------------------------------------------------------------- */

static void called(struct tracer *tracer, pid_t pid)
{
	struct kb_task *task = kb_task_of(&tracer->tasks, pid);
	struct __ptrace_syscall_info info;

	memset(&info, 0, sizeof info);
	if (!task || ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0)
		return;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		entered(tracer, task, info.entry.nr, info.entry.args);
	} else if (info.op == PTRACE_SYSCALL_INFO_EXIT && task->number != KB_NO_CALL) {
		left(tracer, task, info.exit.rval, info.exit.is_error);
		task->number = KB_NO_CALL;
	}
}

/* A stop is a system call, a new task, an exec, or a signal to hand on. */
static void stopped(struct tracer *tracer, pid_t pid, int status)
{
	int signal = WSTOPSIG(status), forward = 0;

	if (signal == (SIGTRAP | 0x80))
		called(tracer, pid);
	else if (signal != SIGSTOP && signal != SIGTRAP)
		forward = signal;
	ptrace(PTRACE_SYSCALL, pid, 0, forward);
}

static void ended(struct tracer *tracer, pid_t pid)
{
	struct kb_task *task = kb_task_of(&tracer->tasks, pid);

	if (!task)
		return;
	if (task->exec_error && !is_expected(tracer, "execve", task->exec_error))
		count_failed(tracer, task->exec_part, "execve", task->exec_error);
	kb_task_forget(&tracer->tasks, pid);
}

static int trace(struct tracer *tracer)
{
	for (;;) {
		int status;
		pid_t pid = waitpid(-1, &status, __WALL | WNOHANG);

		if (pid < 0 && errno != EINTR)
			return -errno;
		if (kb_wall_ns() > tracer->deadline_ns)
			return -ETIME;
		if (pid == 0)
			sigtimedwait(&tracer->child_signal, NULL, &(struct timespec){ 0, NAP_NS });
		else if (pid > 0 && WIFSTOPPED(status))
			stopped(tracer, pid, status);
		else if (pid > 0)
			ended(tracer, pid);
		if (pid == tracer->child && !WIFSTOPPED(status)) {
			tracer->proof->status = status;
			return 0;
		}
	}
}

/* ---- a proof ------------------------------------------------------------------------------------- */

static void child_main(const struct tracer *tracer)
{
	const struct kb_proof_request *request = tracer->request;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, &tracer->signals, NULL);
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) < 0)
		_exit(127);
	raise(SIGSTOP);
	_exit(request->traced(request->context, request->n) ? 1 : 0);
}

static int start(const struct tracer *tracer)
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

static uint64_t more(uint64_t twice, uint64_t once)
{
	return twice > once ? twice - once : 0;
}

/* Calls that are made less often in more operations are no calls of operations at all: `made` shows it as a huge number. */
static struct kb_calls further(const struct kb_calls *once, const struct kb_calls *twice)
{
	return (struct kb_calls){ twice->made - once->made, more(twice->own, once->own), more(twice->failed, once->failed), more(twice->transfers, once->transfers),
	                          more(twice->bytes, once->bytes), more(2 * once->changes, twice->changes),
	                          more(2 * once->tasks, twice->tasks) };
}

static int conclude(struct tracer *tracer)
{
	const unsigned needed = 1u << KB_PROOF_OP | 1u << KB_PROOF_OP_TWICE;
	struct kb_proof *proof = tracer->proof;

	proof->op = further(&tracer->calls[KB_PROOF_OP], &tracer->calls[KB_PROOF_OP_TWICE]);
	proof->base = further(&tracer->calls[KB_PROOF_BASE], &tracer->calls[KB_PROOF_BASE_TWICE]);
	if (!proof->status)
		kb_leftovers_find(&tracer->leftovers, tracer->request->scratch, proof->left, sizeof proof->left);
	return (tracer->parts & needed) == needed || proof->status ? 0 : -EPROTO;
}

static int run(struct tracer *tracer)
{
	tracer->child = fork();
	if (tracer->child < 0)
		return -errno;
	if (tracer->child == 0)
		child_main(tracer);

	sched_getaffinity(0, sizeof tracer->allowed, &tracer->allowed);
	kb_pin(tracer->request->cpu);

	kb_proof_child = tracer->child;
	int error = start(tracer) ?: trace(tracer);

	kb_proof_child = 0;
	go_anywhere(tracer);
	if (!error)
		return conclude(tracer);
	kill(tracer->child, SIGKILL);
	waitpid(tracer->child, NULL, __WALL);
	return error;
}

volatile int kb_proof_child;

int kb_proof_make(const struct kb_proof_request *request, struct kb_proof *proof)
{
	struct tracer tracer = { .request = request, .proof = proof, .deadline_ns = kb_wall_ns() + request->limit_ns };

	*proof = (struct kb_proof){ .counts_bytes = true };
	sigemptyset(&tracer.child_signal);
	sigaddset(&tracer.child_signal, SIGCHLD);
	sigprocmask(SIG_BLOCK, &tracer.child_signal, &tracer.signals);

	int error = run(&tracer);

	sigprocmask(SIG_SETMASK, &tracer.signals, NULL);
	kb_leftovers_free(&tracer.leftovers);
	kb_tasks_free(&tracer.tasks);
	return error;
}
