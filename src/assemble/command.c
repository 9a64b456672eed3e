/* posix_spawn, one pipe, one deadline. Not system(): no shell, no quoting, and a time limit. */
#define _GNU_SOURCE
#include "assemble/command.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

#define OUTPUT_MAX (64u << 20)

extern char **environ;

void kb_command_tool(const struct kb_target *target, const char *tool, char *name, size_t room)
{
	bool native = !strcmp(target->family, kb_target_host()->family);

	snprintf(name, room, "%s%s", native ? "" : target->prefix, tool);
}

/* The environment behind LC_ALL=C, for the first one of a name counts: messages are read by us; and behind a TMPDIR, unless that is "". The
   array is to be freed, its strings not. */
static char **make_environment(char *temporary)
{
	static char language[] = "LC_ALL=C";
	size_t count = 0, ours = 0;
	char **words;

	while (environ[count])
		count++;
	words = calloc(count + 3, sizeof(*words));
	if (!words)
		return NULL;
	words[ours++] = language;
	if (temporary[0])
		words[ours++] = temporary;
	memcpy(words + ours, environ, count * sizeof(*words));
	return words;
}

/* A child has the limits that its parent has when it starts; 0: those it has anyway. */
static int spawn(pid_t *pid, const char *const *words, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
	char **environment, size_t file_bytes)
{
	struct rlimit old, small;
	int error;

	if (file_bytes && getrlimit(RLIMIT_FSIZE, &old) == 0) {
		small = old;
		small.rlim_cur = old.rlim_cur < file_bytes ? old.rlim_cur : file_bytes;
		setrlimit(RLIMIT_FSIZE, &small);
	}
	error = posix_spawnp(pid, words[0], actions, attributes, (char *const *)(uintptr_t)words, environment);
	if (file_bytes)
		setrlimit(RLIMIT_FSIZE, &old);
	return error;
}

static int start(const char *const *words, int output, const struct kb_command_bounds *bounds, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char temporary[PATH_MAX + sizeof "TMPDIR="] = "", **environment;
	sigset_t none, usual;
	int error;

	if (bounds->temporary)
		snprintf(temporary, sizeof temporary, "TMPDIR=%s", bounds->temporary);
	environment = make_environment(temporary);
	if (!environment)
		return -ENOMEM;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, 1);
	posix_spawn_file_actions_adddup2(&actions, output, 2);
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	sigemptyset(&usual);
	sigaddset(&usual, SIGXFSZ);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	error = spawn(pid, words, &actions, &attributes, environment, bounds->file_bytes);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	return -error;
}

/* Reads to the end of the pipe; -ETIMEDOUT, -EFBIG or another error means that the program is to be killed. */
static int collect(int pipe_end, uint64_t deadline_ns, struct kb_command_output *output)
{
	size_t room = 0;

	for (;;) {
		struct pollfd ready = { pipe_end, POLLIN, 0 };
		uint64_t now = kb_monotonic_ns();

		if (room - output->length < 4096) {
			room = room ? 2 * room : 16384;
			char *grown = room <= OUTPUT_MAX ? realloc(output->text, room) : NULL;

			if (!grown)
				return room <= OUTPUT_MAX ? -ENOMEM : -EFBIG;
			output->text = grown;
		}
		output->text[output->length] = '\0';
		if (now >= deadline_ns)
			return -ETIMEDOUT;
		if (poll(&ready, 1, (int)((deadline_ns - now) / 1000000) + 1) <= 0)
			continue;

		ssize_t got = read(pipe_end, output->text + output->length, room - output->length - 1);

		if (got < 0 && errno != EINTR)
			return -errno;
		if (got == 0)
			return 0;
		output->length += got > 0 ? (size_t)got : 0;
	}
}

int kb_command(const char *const *words, unsigned limit_ms, struct kb_command_output *output)
{
	return kb_command_within(words, limit_ms, &(struct kb_command_bounds){ .temporary = NULL }, output);
}

int kb_command_within(const char *const *words, unsigned limit_ms, const struct kb_command_bounds *bounds, struct kb_command_output *output)
{
	uint64_t deadline_ns = kb_monotonic_ns() + limit_ms * UINT64_C(1000000);
	int ends[2], status = 0, error;
	pid_t pid;

	*output = (struct kb_command_output){ NULL, 0 };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	error = start(words, ends[1], bounds, &pid);
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return error;
	}
	error = collect(ends[0], deadline_ns, output);
	close(ends[0]);
	if (error)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (error)
		return error;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ)
		return -EFBIG;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

int kb_command_apart(void (*work)(void *context), void *context, unsigned limit_ms, int *signal)
{
	uint64_t deadline_ns = kb_monotonic_ns() + limit_ms * UINT64_C(1000000);
	int status = 0;
	pid_t child, ended;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		work(context);
		_exit(0);
	}
	while ((ended = waitpid(child, &status, WNOHANG)) == 0 && kb_monotonic_ns() < deadline_ns)
		kb_sleep_ns(200000);
	if (ended == 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		return -ETIMEDOUT;
	}
	*signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	return *signal ? -EINTR : WEXITSTATUS(status);
}
