/* See describe.h. The collector has a process group, so that its end is the end of what a constructor started. */
#define _GNU_SOURCE
#include "run/process/describe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "evidence/evidence.h"
#include "io.h"
#include "lacking.h"

#define NOT_RUN 127             /* exit code of the child: there is no such program */

static _Noreturn void child_main(const char *collector, const char *plugin, int answer)
{
	char option[PATH_MAX + sizeof "--plugin="], name[] = "kbench-collect", describe[] = "--describe";
	char *words[] = { name, describe, option, NULL };
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	snprintf(option, sizeof option, "--plugin=%s", plugin);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	kb_default_signals();
	dup2(null, STDIN_FILENO);
	dup2(answer, STDOUT_FILENO);
	execv(collector, words);
	_exit(NOT_RUN);
}

/* Until the description is whole, the pipe is closed or time is up. */
static int read_answer(int pipe, uint64_t deadline, char text[KB_DESCRIPTION_MAX])
{
	size_t used = 0;

	text[0] = '\0';
	while (!kb_description_is_whole((struct kb_span){ text, used }) && used < KB_DESCRIPTION_MAX - 1) {
		uint64_t now = kb_wall_ns();
		struct pollfd ready = { .fd = pipe, .events = POLLIN };
		ssize_t got;

		if (now >= deadline)
			return -ETIME;
		if (poll(&ready, 1, (int)((deadline - now) / 1000000 + 1)) <= 0)
			continue;
		got = read(pipe, text + used, KB_DESCRIPTION_MAX - 1 - used);
		if (got == 0)
			break;
		used += got > 0 ? (size_t)got : 0;
		text[used] = '\0';
	}
	return 0;
}

/* What became of a collector that described nothing. */
static int tell_end(const char *collector, const char *plugin, int status, char error[256])
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_RUN)
		snprintf(error, 256, "cannot run %.200s", collector);
	else if (WIFSIGNALED(status))
		snprintf(error, 256, "%.120s: it ended the collector by SIG%s while it was loaded", plugin, sigabbrev_np(WTERMSIG(status)));
	else
		snprintf(error, 256, "%.120s: it ended the collector with exit code %d while it was loaded", plugin, WEXITSTATUS(status));
	return -ENOEXEC;
}

/* One that only closed its output has until the deadline to end by itself, so that its end can be told. */
static int await_end(pid_t child, uint64_t deadline)
{
	siginfo_t ended = { .si_pid = 0 };

	while (waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid == 0) {
		if (kb_wall_ns() >= deadline)
			return -ETIME;
		kb_sleep_ns(1000000);
	}
	return 0;
}

/* All that it started ends with it. It is reaped last: until then its process number cannot be given to another. */
static int end_group(pid_t child)
{
	int status = 0;

	kill(-child, SIGKILL);
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		continue;
	return status;
}

int kb_describe_text(const char *collector, const char *plugin, uint64_t limit_ns, char text[KB_DESCRIPTION_MAX], char error[256])
{
	uint64_t deadline = kb_wall_ns() + limit_ns;
	int ends[2] = { -1, -1 }, late, status;
	pid_t child = pipe2(ends, O_CLOEXEC) < 0 ? -1 : fork();

	if (child == 0)
		child_main(collector, plugin, ends[1]);
	if (child < 0) {
		status = errno;
		snprintf(error, 256, "cannot start %.120s: %s", collector, kb_start_lack(status));
		close(ends[0]);
		close(ends[1]);
		return -status;
	}
	setpgid(child, child);
	close(ends[1]);
	late = read_answer(ends[0], deadline, text);
	close(ends[0]);

	bool whole = kb_description_is_whole((struct kb_span){ text, strlen(text) });

	if (!whole && !late)
		late = await_end(child, deadline);
	status = end_group(child);
	if (late)
		snprintf(error, 256, "%.120s: it was not loaded within %.3g s; does a constructor of it hang?", plugin, (double)limit_ns * 1e-9);
	return whole || late ? late : tell_end(collector, plugin, status, error);
}

int kb_describe_read(struct kb_span text, struct kb_described *found, char error[256])
{
	struct kb_text why = kb_text_in(error, 256);
	int wrong = kb_description_read(text, found, error);

	if (!wrong && (wrong = kb_descriptor_check(&found->bench, &why)))
		free(found->words);
	return wrong;
}

int kb_describe_plugin(const char *collector, const char *plugin, uint64_t limit_ns, struct kb_described *found, char error[256])
{
	char *text = malloc(KB_DESCRIPTION_MAX);
	int wrong = text ? kb_describe_text(collector, plugin, limit_ns, text, error) : -ENOMEM;

	if (!text)
		snprintf(error, 256, "out of memory");
	if (!wrong)
		wrong = kb_describe_read((struct kb_span){ text, strlen(text) }, found, error);
	free(text);
	return wrong;
}
