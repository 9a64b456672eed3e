/* See tracee.h. */
#define _GNU_SOURCE
#include "workflow/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "io.h"
#include "lacking.h"

#define TERM_NS UINT64_C(1000000000)    /* from SIGTERM to SIGKILL */
#define POLL_NS 50000000                /* how often enough() is asked */

static sigset_t waited_for(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	return set;
}

/* The command does not outlive its tracer. */
static _Noreturn void run(const int go[2], const int failed[2], pid_t parent, const sigset_t *mask, char **argv, bool quiet)
{
	int nowhere = quiet ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1, error;
	char byte;

	close(go[1]);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
	kb_default_signals();
	if (getppid() != parent || read(go[0], &byte, 1) != 1)
		_exit(127);
	if (!quiet || (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0))
		execvp(argv[0], argv);
	error = errno;
	while (write(failed[1], &error, sizeof error) < 0 && errno == EINTR)
		;
	_exit(127);
}

int kb_tracee_start(struct kb_tracee *tracee, char **argv, bool quiet, struct kb_failure *failure)
{
	static sigset_t former;
	static bool blocked;
	sigset_t set = waited_for();
	pid_t parent = getpid();
	int go[2], failed[2];

	*tracee = (struct kb_tracee){ .go = -1, .failed = -1 };
	/* The command gets what this process began with, also a second one. */
	sigprocmask(SIG_BLOCK, &set, blocked ? NULL : &former);
	blocked = true;
	if (!argv || !argv[0])
		return 0;
	/* Where the caller ignores it, a child leaves no status and would be waited for without end. */
	signal(SIGCHLD, SIG_DFL);
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		return kb_refuse(failure, KB_EXIT_FAILED, "cannot make a pipe: %s", kb_lack(errno));
	fflush(stdout);
	tracee->name = argv[0];
	tracee->pid = fork();
	if (tracee->pid < 0)
		return kb_refuse(failure, KB_EXIT_FAILED, "cannot start a process: %s", kb_start_lack(errno));
	if (tracee->pid == 0)
		run(go, failed, parent, &former, argv, quiet);
	close(go[0]);
	close(failed[1]);
	tracee->go = go[1];
	tracee->failed = failed[0];
	return 0;
}

int kb_tracee_go(struct kb_tracee *tracee, struct kb_failure *failure)
{
	void (*pipes)(int) = signal(SIGPIPE, SIG_IGN);
	int error = 0;
	ssize_t got = tracee->pid ? write(tracee->go, "", 1) : 0;

	signal(SIGPIPE, pipes);
	if (!tracee->pid)
		return 0;
	if (got != 1)
		return kb_refuse(failure, KB_EXIT_FAILED, "%.100s ended before it was traced", tracee->name);
	close(tracee->go);
	/* Nothing comes if exec works: the pipe is closed by it. */
	do {
		got = read(tracee->failed, &error, sizeof error);
	} while (got < 0 && errno == EINTR);
	close(tracee->failed);
	return got == sizeof error ? kb_refuse(failure, KB_EXIT_USAGE, "cannot run %.100s: %s", tracee->name, strerror(error)) : 0;
}

static bool reap(struct kb_tracee *tracee, int flags)
{
	if (tracee->pid && !tracee->ended)
		tracee->ended = waitpid(tracee->pid, &tracee->status, flags) == tracee->pid;
	return tracee->ended;
}

/* SIGTERM first: it may have something to put away. */
static void end(struct kb_tracee *tracee)
{
	sigset_t set = waited_for();
	uint64_t until = kb_monotonic_ns() + TERM_NS;

	kill(tracee->pid, SIGTERM);
	while (!reap(tracee, WNOHANG) && kb_monotonic_ns() < until)
		sigtimedwait(&set, NULL, &(struct timespec){ .tv_nsec = POLL_NS });
	if (!tracee->ended) {
		kill(tracee->pid, SIGKILL);
		reap(tracee, 0);
	}
}

/* Whether one of the signals that end the waiting came within so many ns. SIGCHLD, the highest, is told after them. */
static bool came(struct kb_tracee *tracee, long ns)
{
	sigset_t set = waited_for();
	int number = sigtimedwait(&set, NULL, &(struct timespec){ .tv_nsec = ns });

	if (number <= 0 || number == SIGCHLD)
		return false;
	tracee->signal = tracee->pid ? number : 0;
	return true;
}

void kb_tracee_wait(struct kb_tracee *tracee, uint64_t ns, bool (*enough)(void *context), void *context)
{
	uint64_t until = ns ? kb_monotonic_ns() + ns : UINT64_MAX;

	while (!reap(tracee, WNOHANG) && kb_monotonic_ns() < until && !(enough && enough(context)) &&
	       !came(tracee, tracee->poll_ns ? tracee->poll_ns : POLL_NS))
		;
	/* Ctrl-C ends the command, too, which may be seen first. */
	if (!tracee->signal)
		(void)came(tracee, 0);
	if (tracee->pid && !tracee->ended)
		end(tracee);
}

void kb_tracee_cancel(struct kb_tracee *tracee)
{
	if (!tracee->pid)
		return;
	close(tracee->go);
	close(tracee->failed);
	reap(tracee, 0);
}

const char *kb_tracee_ending(const struct kb_tracee *tracee)
{
	static char text[160];

	text[0] = '\0';
	if (tracee->pid && WIFSIGNALED(tracee->status))
		snprintf(text, sizeof text, "%.100s was ended by signal %d", tracee->name, WTERMSIG(tracee->status));
	else if (tracee->pid && WEXITSTATUS(tracee->status))
		snprintf(text, sizeof text, "%.100s exited with %d", tracee->name, WEXITSTATUS(tracee->status));
	kb_make_visible(text, '?');
	return text;
}

int kb_tracee_exit(const struct kb_tracee *tracee)
{
	return tracee->signal ? KB_EXIT_SIGNAL + tracee->signal : KB_EXIT_DONE;
}
