#define _GNU_SOURCE
#include "run/guardian.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

#define LINE_MAX_BYTES 4096
#define HUNT_ROUNDS 50          /* new processes may appear while the old ones are killed */
#define HUNT_PAUSE_NS 20000000
#define STOP_LIMIT_NS UINT64_C(10000000000)

/* ---- the guardian's own process ------------------------------------------------------------------ */

struct journal {
	char **lines;
	size_t count;
	pid_t group;            /* of the launch in flight */
};

static int remember(struct journal *journal, const char *line)
{
	if (!strncmp(line, "group ", 6)) {
		journal->group = (pid_t)atoi(line + 6);
		return 0;
	}

	char **grown = realloc(journal->lines, (journal->count + 1) * sizeof *grown);
	char *copy = strdup(line);

	if (grown)
		journal->lines = grown;
	if (!grown || !copy) {
		free(copy);
		return -ENOMEM;
	}
	journal->lines[journal->count++] = copy;
	return 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)info, (void)type, (void)walk;
	remove(path);
	return 0;
}

static void restore(char *pair)
{
	char *value = strchr(pair, '\t');

	if (!value)
		return;
	*value++ = '\0';
	int fd = open(pair, O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		kb_write_all(fd, value, strlen(value));
		close(fd);
	}
}

static void undo(char *line)
{
	if (!strncmp(line, "remove ", 7))
		nftw(line + 7, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	else if (!strncmp(line, "restore ", 8))
		restore(line + 8);
}

static bool carries(const char *pid, const char *mark)
{
	static char text[1 << 17];
	char path[64];

	snprintf(path, sizeof path, "/proc/%.20s/environ", pid);
	long length = kb_read_file(path, text, sizeof text);

	return length > 0 && memmem(text, (size_t)length + 1, mark, strlen(mark) + 1);
}

/* Kills every process that carries the run's id. Returns how many there were. */
static unsigned hunt_once(const char *mark)
{
	DIR *proc = opendir("/proc");
	unsigned found = 0;

	for (struct dirent *entry; proc && (entry = readdir(proc));) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 1 && pid != getpid() && carries(entry->d_name, mark)) {
			kill(pid, SIGKILL);
			found++;
		}
	}
	if (proc)
		closedir(proc);
	return found;
}

static void hunt(const char *run_id)
{
	char mark[64];

	snprintf(mark, sizeof mark, "KBENCH_RUN=%s", run_id);
	for (int round = 0; round < HUNT_ROUNDS && hunt_once(mark) > 0; round++)
		kb_sleep_ns(HUNT_PAUSE_NS);
}

static void clean_up(struct journal *journal, const char *run_id)
{
	/* First the processes, then what they might still be using, newest first. */
	if (journal->group > 1)
		kill(-journal->group, SIGKILL);
	hunt(run_id);
	while (journal->count > 0)
		undo(journal->lines[--journal->count]);
}

static void detach(int lifeline)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	for (int number = 1; number < NSIG; number++) {
		if (number != SIGCHLD)
			signal(number, SIG_IGN); /* Ctrl-C is for the run; the guardian ends when the run does */
	}
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	dup2(lifeline, 3);
	close_range(4, ~0u, 0); /* a copy of any pipe or database would keep it open */
	prctl(PR_SET_NAME, "kbench-guardian");
}

static void guard(int lifeline, const char *run_id)
{
	struct journal journal = { NULL, 0, 0 };
	char line[LINE_MAX_BYTES];

	detach(lifeline);
	for (;;) {
		ssize_t got = recv(3, line, sizeof line - 1, 0); /* SOCK_SEQPACKET: one entry a message */

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		line[got] = '\0';
		char answer = remember(&journal, line) ? 'n' : 'y';

		send(3, &answer, 1, MSG_NOSIGNAL);
	}
	clean_up(&journal, run_id);
	_exit(0);
}

/* ---- the run's side ------------------------------------------------------------------------------ */

int kb_guardian_start(struct kb_guardian *guardian, const char *run_id)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	guardian->pid = fork();
	if (guardian->pid == 0) {
		close(ends[0]);
		guard(ends[1], run_id);
	}
	int error = guardian->pid < 0 ? -errno : 0;

	close(ends[1]);
	guardian->lifeline = ends[0];
	if (error)
		close(ends[0]);
	return error;
}

static int tell(struct kb_guardian *guardian, const char *line)
{
	char answer = 'n';

	if (send(guardian->lifeline, line, strlen(line), MSG_NOSIGNAL) < 0)
		return -EPIPE;
	ssize_t got;

	do {
		got = recv(guardian->lifeline, &answer, 1, 0);
	} while (got < 0 && errno == EINTR);
	return got == 1 && answer == 'y' ? 0 : -EPIPE;
}

int kb_guardian_group(struct kb_guardian *guardian, pid_t group)
{
	char line[64];

	snprintf(line, sizeof line, "group %d", (int)group);
	return tell(guardian, line);
}

int kb_guardian_remove(struct kb_guardian *guardian, const char *path)
{
	char line[LINE_MAX_BYTES];

	if ((size_t)snprintf(line, sizeof line, "remove %s", path) >= sizeof line)
		return -ENAMETOOLONG;
	return tell(guardian, line);
}

int kb_guardian_restore(struct kb_guardian *guardian, const char *path, const char *value)
{
	char line[LINE_MAX_BYTES];

	if ((size_t)snprintf(line, sizeof line, "restore %s\t%s", path, value) >= sizeof line)
		return -ENAMETOOLONG;
	return tell(guardian, line);
}

void kb_guardian_stop(struct kb_guardian *guardian)
{
	uint64_t deadline = kb_wall_ns() + STOP_LIMIT_NS;

	close(guardian->lifeline);
	while (waitpid(guardian->pid, NULL, WNOHANG) == 0 && kb_wall_ns() < deadline)
		kb_sleep_ns(1000000);
}
