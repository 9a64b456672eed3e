/* See child.h. vfork, as posix_spawn knows nothing of a death of the parent. */
#define _GNU_SOURCE
#include "run/process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

#define LOOK_NS 5000000

static int open_as(int fd, const char *path, int flags)
{
	int opened = open(path, flags, 0600);

	if (opened < 0)
		return -errno;
	if (opened != fd && dup2(opened, fd) < 0)
		return -errno;
	if (opened != fd)
		close(opened);
	return 0;
}

static int open_files(const struct kb_child_files *files)
{
	int error = open_as(STDIN_FILENO, files->input ? files->input : "/dev/null", O_RDONLY);

	if (!error)
		error = open_as(STDOUT_FILENO, files->output, O_WRONLY | O_CREAT | O_APPEND);
	if (!error && files->error)
		return open_as(STDERR_FILENO, files->error, O_WRONLY | O_CREAT | O_APPEND);
	return error ? error : dup2(STDOUT_FILENO, STDERR_FILENO) < 0 ? -errno : 0;
}

/* Shares our memory until its exec: only calls to the kernel. */
static _Noreturn void child_main(const char *const *words, const struct kb_child_files *files, enum kb_child_bond bond, pid_t parent, int *error)
{
	if (bond == KB_CHILD_FREE)
		setsid();
	else
		setpgid(0, 0);
	if (bond == KB_CHILD_BOUND)
		prctl(PR_SET_PDEATHSIG, SIGTERM);
	*error = bond == KB_CHILD_BOUND && getppid() != parent ? -ESRCH : open_files(files);
	kb_default_signals();
	if (!*error) {
		execvp(words[0], (char *const *)(uintptr_t)words);
		*error = -errno;
	}
	_exit(127);
}

int kb_child_start(const char *const *words, const struct kb_child_files *files, enum kb_child_bond bond, pid_t *child)
{
	volatile int error = 0;
	pid_t parent = getpid(), made = vfork();

	if (made == 0)
		child_main(words, files, bond, parent, (int *)(uintptr_t)&error);
	if (made < 0)
		return -errno;
	*child = made;
	if (error)
		waitpid(made, NULL, 0);
	return error;
}

static int code_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool kb_child_ended(pid_t child, int *code)
{
	int status;
	pid_t got = waitpid(child, &status, WNOHANG);

	if (got == child)
		*code = code_of(status);
	else if (got < 0)
		*code = -errno;
	return got == child || (got < 0 && errno != EINTR);
}

int kb_child_wait(pid_t child, uint64_t limit_ns)
{
	uint64_t deadline_ns = kb_monotonic_ns() + limit_ns;
	int code = 0;

	while (!kb_child_ended(child, &code)) {
		if (kb_monotonic_ns() >= deadline_ns)
			kill(-child, SIGKILL);
		kb_sleep_ns(LOOK_NS);
	}
	return code;
}

unsigned kb_child_list(pid_t *children, unsigned room)
{
	char path[64], text[8192], *at = text, *end;
	unsigned count = 0;

	snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)syscall(SYS_gettid));
	if (kb_read_file(path, text, sizeof text) <= 0)
		return 0;
	/* A space behind each: a number without it was cut off. */
	for (long child; count < room && (child = strtol(at, &end, 10)) > 0 && *end == ' '; at = end)
		children[count++] = (pid_t)child;
	return count;
}
