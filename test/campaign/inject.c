/*
 * inject [OPTION...] -- COMMAND...: runs a command whose system calls, and those of all that it starts, are seen one by one, and makes
 * one of them go wrong: all processes of some kinds are killed there, or it fails, is late, or writes half of what it should.
 *
 *   --list               only count: a line "count KIND CALL N" each
 *   --at KIND:CALL:K    the K-th call of this name by processes of this kind; CALL or KIND may be "*"
 *   --on                 from the K-th on, all of them
 *   --below PATH         count only calls about files whose path begins so
 *   --kill KIND,...     kill all processes of these kinds when that call begins; with --after when its thread begins its next one
 *   --error NUMBER       it fails with this errno
 *   --delay MS           it is late
 *   --torn               a write writes only its first half
 *   --limit SECONDS      how long processes may live when COMMAND has ended (default 20)
 *   --output FILE        what was seen
 *   --let-through        print the calls that are not looked at
 *
 * Classes: run (COMMAND's own process), pusher (the same, if it is `kbench runs push`), guardian, collector, fork (a process of kbench that
 * did not yet become one of these), other. A seccomp filter asks this program about each call, because kbench uses ptrace itself. The exit
 * code is COMMAND's. What it started may live longer; a process that asks goes on until they have ended, and then writes the last line of
 * FILE: "end N", N processes that had to be killed after the limit. trial.py compiles it: with calls.h, X(NAME) for each system call, and
 * THIS_MACHINE, as <linux/audit.h> calls the architecture.
 */
#define _GNU_SOURCE
#include "inject.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS 512
#define SEEN 65536
#define LATE 256

enum kind { RUN, PUSHER, GUARDIAN, COLLECTOR, FORK, OTHER, KINDS };
static const char *const kind_names[KINDS] = { "run", "pusher", "guardian", "collector", "fork", "other" };

static const char *const call_names[CALLS] = {
#define X(name) [SYS_##name] = #name,
#include "calls.h"
#undef X
};

/* Made very often, some of them inside of samples; to be killed there is the same as at the call before. */
static const int let_through[] = {
	SYS_getppid, SYS_getpid, SYS_gettid, SYS_clock_gettime, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday, SYS_futex,
	SYS_sched_yield, SYS_getcpu, SYS_getrusage, SYS_times, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_brk, SYS_mprotect,
	SYS_madvise, SYS_lseek,
};
#define LET_THROUGH (sizeof let_through / sizeof *let_through)

/* What shall happen, and where. */
static struct {
	bool list, on, after, torn;
	int kind, call; /* -1: any */
	unsigned long number, delay_ms;
	unsigned kill; /* bits of kinds */
	int error;
	const char *below;
	unsigned limit;
	FILE *output;
} wish = { .kind = -1, .call = -1, .limit = 20 };

struct process {
	pid_t pid;
	unsigned long long started;
};

static struct process seen[SEEN];
static size_t seen_count;
static unsigned long counts[KINDS][CALLS];
static unsigned long matched, fired;
static pid_t root, due_thread; /* due_thread: at whose next call the victims are killed */
static bool root_pushes, root_ended;
static int listener;
static struct { uint64_t id, due_ns; } late[LATE];
static unsigned late_count;

static void die(const char *what)
{
	fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
	exit(2);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static long read_all(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, text, size - 1);

	close(fd);
	text[got > 0 ? got : 0] = '\0';
	return got;
}

/* ---- whose call it is -------------------------------------------------------------------------------- */

/* The process of a thread, and the name that it has now; 0: it is gone. */
static pid_t identify(pid_t thread, char name[32])
{
	char path[64], text[2048];
	int group = 0;

	snprintf(path, sizeof path, "/proc/%d/status", thread);
	if (read_all(path, text, sizeof text) <= 0 || sscanf(text, "Name: %31[^\n]", name) != 1)
		return 0;
	const char *line = strstr(text, "\nTgid:");

	return line && sscanf(line, "\nTgid: %d", &group) == 1 ? group : 0;
}

/* When a process started, in clock ticks: its number may be another's one day. 0: it is gone or dead. */
static unsigned long long start_of(pid_t pid)
{
	char path[64], text[1024], state = 'X';
	unsigned long long started = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", pid);
	if (read_all(path, text, sizeof text) <= 0 || !strrchr(text, ')'))
		return 0;
	sscanf(strrchr(text, ')'), ") %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu",
		&state, &started);
	return state == 'Z' || state == 'X' ? 0 : started;
}

static enum kind kind_of(pid_t pid, const char *name)
{
	if (pid == root)
		return root_pushes ? PUSHER : RUN;
	if (!strcmp(name, "kbench-guardian"))
		return GUARDIAN;
	if (!strncmp(name, "kbench-collect", 14))
		return COLLECTOR;
	return !strcmp(name, "kbench") ? FORK : OTHER;
}

static void remember(pid_t pid)
{
	for (size_t i = seen_count; i-- > 0;) {
		if (seen[i].pid == pid)
			return;
	}
	if (seen_count < SEEN)
		seen[seen_count++] = (struct process){ pid, start_of(pid) };
}

/* kill_all KINDS: the living of them; returns how many. */
static unsigned kill_all(unsigned kinds)
{
	unsigned killed = 0;

	for (size_t i = 0; i < seen_count; i++) {
		char name[32];

		if (seen[i].started && start_of(seen[i].pid) == seen[i].started && identify(seen[i].pid, name) &&
			(kinds >> kind_of(seen[i].pid, name) & 1) && !kill(seen[i].pid, SIGKILL)) {
			fprintf(wish.output, "killed %d %s\n", seen[i].pid, name);
			killed++;
		}
	}
	return killed;
}

static bool concerns(pid_t pid, const struct seccomp_data *data)
{
	return !wish.below ||
		changes_below(pid, call_names[data->nr] ? call_names[data->nr] : "", data->args, wish.below);
}

/* ---- what happens to it ------------------------------------------------------------------------------------ */

static void answer(uint64_t id, int64_t value, int error, bool goes_on)
{
	struct seccomp_notif_resp response = {
		.id = id, .val = value, .error = -error, .flags = goes_on ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0
	};

	/* ENOENT: it was killed meanwhile. */
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response) < 0 && errno != ENOENT)
		die("cannot answer");
}

/* Whether this call is the one. */
static bool matches(pid_t pid, enum kind kind, const struct seccomp_data *data)
{
	if (wish.list || (wish.kind >= 0 && wish.kind != (int)kind) || (wish.call >= 0 && wish.call != data->nr) ||
		!concerns(pid, data))
		return false;
	matched++;
	return wish.on ? matched >= wish.number : matched == wish.number;
}

static void happen(const struct seccomp_notif *call, pid_t pid)
{
	bool torn = wish.torn && (call->data.nr == SYS_write || call->data.nr == SYS_pwrite64);

	if (!fired++)
		fprintf(wish.output, "fired %s %lu\n", call_names[call->data.nr] ? call_names[call->data.nr] : "?",
			matched);
	if (wish.kill && wish.after)
		due_thread = (pid_t)call->pid;
	else if (wish.kill)
		kill_all(wish.kill);
	if (torn) {
		int64_t done = write_half(pid, call->data.args, call->data.nr == SYS_pwrite64);

		answer(call->id, done, done < 0 ? (int)-done : 0, false);
	} else if (wish.delay_ms && late_count < LATE) {
		late[late_count].id = call->id;
		late[late_count++].due_ns = now_ns() + wish.delay_ms * UINT64_C(1000000);
	} else {
		answer(call->id, 0, wish.error, !wish.error);
	}
}

static void serve_call(const struct seccomp_notif *call)
{
	char name[32];
	pid_t pid = identify((pid_t)call->pid, name);

	if (pid) {
		enum kind kind = kind_of(pid, name);

		remember(pid);
		if (call->data.nr < CALLS && concerns(pid, &call->data))
			counts[kind][call->data.nr]++;
		if (due_thread == (pid_t)call->pid) {
			due_thread = 0;
			kill_all(wish.kill);
		}
		if (matches(pid, kind, &call->data)) {
			happen(call, pid);
			return;
		}
	}
	answer(call->id, 0, 0, true);
}

/* ---- the one that asks -------------------------------------------------------------------------------------- */

static void answer_late(void)
{
	for (unsigned i = 0; i < late_count;) {
		if (late[i].due_ns > now_ns()) {
			i++;
			continue;
		}
		answer(late[i].id, 0, 0, true);
		late[i] = late[--late_count];
	}
}

/* Its exit code goes to the process that waits for it; nobody may wait for the streams of this one. */
static void tell_end(int to)
{
	int status, null;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != root)
			continue;
		int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);

		root_ended = true;
		null = open("/dev/null", O_RDWR);
		for (int fd = 0; fd < 3; fd++)
			dup2(null, fd);
		close(null);
		if (write(to, &code, sizeof code) != sizeof code)
			exit(2);
		close(to);
	}
}

static void print_counts(void)
{
	for (int kind = 0; kind < KINDS; kind++) {
		for (int call = 0; call < CALLS; call++) {
			if (counts[kind][call])
				fprintf(wish.output, "count %s %s %lu\n", kind_names[kind],
					call_names[call] ? call_names[call] : "?", counts[kind][call]);
		}
	}
}

static void supervise(int to)
{
	struct pollfd line = { .fd = listener, .events = POLLIN };
	uint64_t end_ns = 0;
	unsigned left = 0;

	while (!(line.revents & POLLHUP)) {
		if (poll(&line, 1, late_count ? 1 : 50) < 0 && errno != EINTR)
			die("poll");
		if (line.revents & POLLIN) {
			struct seccomp_notif call = { 0 };

			/* ENOENT: the process was killed meanwhile. */
			if (!ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &call))
				serve_call(&call);
			else if (errno != ENOENT && errno != EINTR)
				die("cannot receive");
		}
		answer_late();
		if (!root_ended) {
			tell_end(to);
			end_ns = now_ns() + wish.limit * UINT64_C(1000000000);
		} else if (now_ns() > end_ns) {
			left += kill_all((1u << KINDS) - 1);
			end_ns = now_ns() + 1000000000;
		}
	}
	while (!root_ended)
		tell_end(to);
	print_counts();
	fprintf(wish.output, "matched %lu fired %lu\nend %u\n", matched, fired, left);
	fclose(wish.output);
}

/* ---- the one that is asked about ----------------------------------------------------------------------------- */

static int install_filter(void)
{
	struct sock_filter program[LET_THROUGH + 8];
	struct sock_fprog filter = { 0, program };
	unsigned short n = 0;

	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 1, 0);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < LET_THROUGH; i++)
		program[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)let_through[i], (unsigned char)(LET_THROUGH - i), 0);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	filter.len = n;
	if (geteuid() && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		die("no_new_privs");
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
}

/* From its filter on each call waits for the other one, which cannot answer before it has the descriptor: no call between that is asked about. */
static void become(char **command, _Atomic int *shared)
{
	int fd = install_filter();

	*shared = fd < 0 ? -errno : fd;
	if (fd < 0)
		_exit(2);
	while (*shared >= 0)
		sched_yield();
	execvp(command[0], command);
	die(command[0]);
}

static void start(char **command)
{
	_Atomic int *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int fd;

	if (shared == MAP_FAILED)
		die("mmap");
	*shared = -1;
	root = fork();
	if (root == 0)
		become(command, shared);
	while ((fd = *shared) == -1)
		sched_yield();
	errno = fd < 0 ? -fd : 0;
	if (fd < 0)
		die("no filter");
	int process = (int)syscall(SYS_pidfd_open, root, 0);

	listener = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	close(process);
	if (listener < 0)
		die("no listener");
	fcntl(listener, F_SETFD, FD_CLOEXEC);
	*shared = -1;
}

/* ---- options --------------------------------------------------------------------------------------------------- */

static int find_name(const char *const *names, int count, const char *name)
{
	for (int i = 0; i < count; i++) {
		if (names[i] && !strcmp(names[i], name))
			return i;
	}
	fprintf(stderr, "inject: there is no '%s'\n", name);
	exit(2);
}

static void read_place(char *text)
{
	char *call = strchr(text, ':'), *number = call ? strchr(call + 1, ':') : NULL;

	if (!number) {
		fprintf(stderr, "inject: --at KIND:CALL:K, not '%s'\n", text);
		exit(2);
	}
	*call++ = *number++ = '\0';
	wish.kind = strcmp(text, "*") ? find_name(kind_names, KINDS, text) : -1;
	wish.call = strcmp(call, "*") ? find_name(call_names, CALLS, call) : -1;
	wish.number = strtoul(number, NULL, 10);
}

static void read_victims(char *text)
{
	for (char *name = strtok(text, ","); name; name = strtok(NULL, ","))
		wish.kill |= 1u << find_name(kind_names, KINDS, name);
}

static void print_let_through(void)
{
	for (size_t i = 0; i < LET_THROUGH; i++)
		puts(call_names[let_through[i]]);
	exit(0);
}

static void read_options(int argc, char **argv)
{
	static const struct option known[] = {
		{ "list", 0, 0, 'l' }, { "at", 1, 0, 'a' }, { "on", 0, 0, 'o' }, { "below", 1, 0, 'b' }, { "kill", 1, 0, 'k' },
		{ "after", 0, 0, 'f' }, { "error", 1, 0, 'e' }, { "delay", 1, 0, 'd' }, { "torn", 0, 0, 't' }, { "limit", 1, 0, 'L' },
		{ "output", 1, 0, 'O' }, { "let-through", 0, 0, 'p' }, { 0 },
	};

	wish.output = stderr;
	for (int option; (option = getopt_long(argc, argv, "+", known, NULL)) >= 0;) {
		switch (option) {
		case 'l': wish.list = true; break;
		case 'a': read_place(optarg); break;
		case 'o': wish.on = true; break;
		case 'b': wish.below = optarg; break;
		case 'k': read_victims(optarg); break;
		case 'f': wish.after = true; break;
		case 'e': wish.error = atoi(optarg); break;
		case 'd': wish.delay_ms = strtoul(optarg, NULL, 10); break;
		case 't': wish.torn = true; break;
		case 'L': wish.limit = (unsigned)atoi(optarg); break;
		case 'O': wish.output = fopen(optarg, "we"); break;
		case 'p': print_let_through(); break;
		default: exit(2);
		}
	}
	if (!wish.output || optind == argc) {
		fputs("usage: inject [OPTION...] -- COMMAND...; its first lines tell what they are\n", stderr);
		exit(2);
	}
	setvbuf(wish.output, NULL, _IOLBF, 0);
}

int main(int argc, char **argv)
{
	int ends[2], code = 2;

	read_options(argc, argv);
	for (int i = optind; i < argc; i++)
		root_pushes |= !strcmp(argv[i], "push");
	if (pipe2(ends, O_CLOEXEC))
		die("pipe");
	if (fork() == 0) {
		close(ends[0]);
		start(argv + optind);
		supervise(ends[1]);
		_exit(0);
	}
	close(ends[1]);
	return read(ends[0], &code, sizeof code) == sizeof code ? code : 2;
}
