/* posix_spawn, one pipe, one deadline. Not system(): no shell, no quoting, and a time limit. */
#define _GNU_SOURCE
#include "assemble/command.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_MAX (64u << 20)

extern char **environ;

void kb_command_tool(const struct kb_target *target, const char *tool, char *name, size_t room)
{
	bool native = !strcmp(target->family, kb_target_host()->family);

	snprintf(name, room, "%s%s", native ? "" : target->prefix, tool);
}

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* The environment with LC_ALL=C: messages are read by us. The array is to be freed, its strings not. */
static char **english(void)
{
	static char language[] = "LC_ALL=C";
	size_t count = 0, kept = 0;
	char **words;

	while (environ[count])
		count++;
	words = calloc(count + 2, sizeof(*words));
	if (!words)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (strncmp(environ[i], "LC_ALL=", 7))
			words[kept++] = environ[i];
	words[kept] = language;
	return words;
}

static int start(const char *const *words, int output, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	char **environment = english();
	sigset_t none;
	int error;

	if (!environment)
		return -ENOMEM;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, output, 1);
	posix_spawn_file_actions_adddup2(&actions, output, 2);
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	error = posix_spawnp(pid, words[0], &actions, &attributes, (char *const *)(uintptr_t)words, environment);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	free(environment);
	return -error;
}

/* Reads to the end of the pipe; -ETIMEDOUT, -EFBIG or another error means that the program is to be killed. */
static int collect(int pipe_end, int64_t deadline_ms, struct kb_command_output *output)
{
	size_t room = 0;

	for (;;) {
		struct pollfd ready = { pipe_end, POLLIN, 0 };
		int64_t left = deadline_ms - now_ms();

		if (room - output->length < 4096) {
			room = room ? 2 * room : 16384;
			char *grown = room <= OUTPUT_MAX ? realloc(output->text, room) : NULL;

			if (!grown)
				return room <= OUTPUT_MAX ? -ENOMEM : -EFBIG;
			output->text = grown;
		}
		output->text[output->length] = '\0';
		if (left <= 0)
			return -ETIMEDOUT;
		if (poll(&ready, 1, (int)left) <= 0)
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
	int64_t deadline_ms = now_ms() + limit_ms;
	int ends[2], status = 0, error;
	pid_t pid;

	*output = (struct kb_command_output){ NULL, 0 };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	error = start(words, ends[1], &pid);
	close(ends[1]);
	if (error) {
		close(ends[0]);
		return error;
	}
	error = collect(ends[0], deadline_ms, output);
	close(ends[0]);
	if (error)
		kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (error)
		return error;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}
