/* See tracee.h. */
#define _GNU_SOURCE
#include "cli/trace/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "io.h"

#define PATIENCE_NS UINT64_C(1000000000)        /* from SIGTERM to SIGKILL */
#define LOOK_NS 50000000                        /* how often enough() is asked */

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

static bool silence(void)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);

	return nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0 && dup2(nowhere, STDERR_FILENO) >= 0;
}

/* The command does not outlive who traces it. */
static _Noreturn void run(const int go[2], const int failed[2], pid_t parent, const sigset_t *mask, char **argv, bool quiet)
{
	char byte;
	int error;

	close(go[1]);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (getppid() != parent || read(go[0], &byte, 1) != 1)
		_exit(127);
	if (!quiet || silence())
		execvp(argv[0], argv);
	error = errno;
	while (write(failed[1], &error, sizeof error) < 0 && errno == EINTR)
		;
	_exit(127);
}

static void start(const struct kb_command *command, struct kb_tracee *tracee, char **argv, bool quiet)
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
		return;
	/* Where it was ignored by who called us, a child leaves no status and would be waited for without end. */
	signal(SIGCHLD, SIG_DFL);
	if (pipe2(go, O_CLOEXEC) || pipe2(failed, O_CLOEXEC))
		kb_die(command, KB_EXIT_FAILED, "cannot make a pipe: %s", strerror(errno));
	fflush(stdout);
	tracee->name = argv[0];
	tracee->pid = fork();
	if (tracee->pid < 0)
		kb_die(command, KB_EXIT_FAILED, "cannot start a process: %s", strerror(errno));
	if (tracee->pid == 0)
		run(go, failed, parent, &former, argv, quiet);
	close(go[0]);
	close(failed[1]);
	tracee->go = go[1];
	tracee->failed = failed[0];
}

void kb_tracee_start(const struct kb_command *command, struct kb_tracee *tracee, char **argv)
{
	start(command, tracee, argv, false);
}

void kb_tracee_start_quietly(const struct kb_command *command, struct kb_tracee *tracee, char **argv)
{
	start(command, tracee, argv, true);
}

void kb_tracee_go(const struct kb_command *command, struct kb_tracee *tracee)
{
	void (*pipes)(int) = signal(SIGPIPE, SIG_IGN);
	int error = 0;
	ssize_t got = tracee->pid ? write(tracee->go, "", 1) : 0;

	signal(SIGPIPE, pipes);
	if (!tracee->pid)
		return;
	if (got != 1)
		kb_die(command, KB_EXIT_FAILED, "%.100s ended before it was traced", tracee->name);
	close(tracee->go);
	/* Nothing comes if exec works: the pipe is closed by it. */
	do {
		got = read(tracee->failed, &error, sizeof error);
	} while (got < 0 && errno == EINTR);
	close(tracee->failed);
	if (got == sizeof error)
		kb_die(command, KB_EXIT_USAGE, "cannot run %.100s: %s", tracee->name, strerror(error));
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
	uint64_t until = kb_monotonic_ns() + PATIENCE_NS;

	kill(tracee->pid, SIGTERM);
	while (!reap(tracee, WNOHANG) && kb_monotonic_ns() < until)
		sigtimedwait(&set, NULL, &(struct timespec){ .tv_nsec = LOOK_NS });
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

void kb_tracee_wait(struct kb_tracee *tracee, uint64_t seconds, bool (*enough)(void *context), void *context)
{
	uint64_t until = seconds ? kb_monotonic_ns() + seconds * 1000000000u : UINT64_MAX;

	while (!reap(tracee, WNOHANG) && kb_monotonic_ns() < until && !(enough && enough(context)) &&
	       !came(tracee, tracee->look_ns ? tracee->look_ns : LOOK_NS))
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

const char *kb_tracee_words(const struct kb_tracee *tracee, char *buffer, size_t room)
{
	buffer[0] = '\0';
	if (!tracee->pid)
		return buffer;
	if (WIFSIGNALED(tracee->status))
		snprintf(buffer, room, "%.100s was ended by signal %d", tracee->name, WTERMSIG(tracee->status));
	else if (WEXITSTATUS(tracee->status))
		snprintf(buffer, room, "%.100s exited with %d", tracee->name, WEXITSTATUS(tracee->status));
	kb_make_visible(buffer, '?');
	return buffer;
}

int kb_tracee_exit(const struct kb_tracee *tracee)
{
	return tracee->signal ? KB_EXIT_SIGNAL + tracee->signal : KB_EXIT_DONE;
}
