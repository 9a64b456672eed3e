#define _GNU_SOURCE
#include "run/process/guardian.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include "grown.h"
#include "io.h"
#include "run/backend/module.h"

#define LINE_MAX_BYTES 4096
#define HUNT_ROUNDS 50          /* new processes may appear while the old ones are killed */
#define HUNT_PAUSE_NS 20000000
#define STOP_LIMIT_NS UINT64_C(10000000000)

/* ---- the guardian's own process ------------------------------------------------------------------ */

/* "remove PATH", "unload MODULE" or "restore PATH\tVALUE". */
struct entry {
	char *line;
	pid_t owner;            /* the group of the process that asked; 0: the run itself */
	struct kb_module_hold hold;     /* on the module, where it is about one */
};

struct journal {
	struct entry *entries;
	size_t count;
	pid_t group;            /* of the process in flight */
};

static int add(struct journal *journal, const char *line, pid_t owner)
{
	char *copy = strdup(line);

	if (!copy || !KB_GROW(journal->entries, journal->count)) {
		free(copy);
		return -ENOMEM;
	}
	journal->entries[journal->count++] = (struct entry){ copy, owner, { .lock = -1 } };
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
	int error = kb_write_file(pair, value);

	if (error)      /* there is no terminal any more */
		syslog(LOG_WARNING, "kbench: %s is not back at %s: %s", pair, value, strerror(-error));
}

static void undo(struct entry *entry)
{
	char *line = entry->line;

	if (!strncmp(line, "remove ", 7)) {
		nftw(line + 7, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	} else if (!strncmp(line, "unload ", 7)) {
		int error = kb_module_give_back(line + 7, &entry->hold);

		if (error)
			syslog(LOG_WARNING, "kbench: module %s stays loaded: %s", line + 7, strerror(-error));
	} else if (!strncmp(line, "restore ", 8)) {
		restore(line + 8);
	}
}

/* "restore PATH\t": what two entries about one file have in common; 0: the line is none. */
static size_t about(const char *line)
{
	const char *tab = strchr(line, '\t');

	return tab && !strncmp(line, "restore ", 8) ? (size_t)(tab - line) + 1 : 0;
}

static const char *entry_about(const struct journal *journal, const char *line, size_t length)
{
	for (size_t i = 0; i < journal->count; i++) {
		if (!strncmp(journal->entries[i].line, line, length))
			return journal->entries[i].line;
	}
	return NULL;
}

/* A process will change a setting. Where another that still lives has changed it, what it found is no state to go back to. */
static int remember_setting(struct journal *journal, const char *line, pid_t owner)
{
	size_t length = about(line);
	const char *before = length ? entry_about(journal, line, length) : NULL;

	return length ? add(journal, before ? before : line, owner) : -EINVAL;
}

/* A process ended: its settings are put back, but for those that another process still needs. */
static void settle(struct journal *journal, pid_t owner)
{
	for (size_t i = journal->count; owner > 0 && i-- > 0;) {
		struct entry entry = journal->entries[i];

		if (entry.owner != owner)
			continue;
		memmove(&journal->entries[i], &journal->entries[i + 1], (--journal->count - i) * sizeof *journal->entries);
		if (!entry_about(journal, entry.line, about(entry.line)))
			undo(&entry);
		free(entry.line);
	}
}

/* What was to be undone is meant to stay, or was never done. "unload " is all modules. */
static void forget(struct journal *journal, const char *line)
{
	bool all = line[0] && line[strlen(line) - 1] == ' ';

	for (size_t i = journal->count; i-- > 0;) {
		if (all ? strncmp(journal->entries[i].line, line, strlen(line)) != 0 : strcmp(journal->entries[i].line, line) != 0)
			continue;
		kb_module_let_go(&journal->entries[i].hold);
		free(journal->entries[i].line);
		memmove(&journal->entries[i], &journal->entries[i + 1], (--journal->count - i) * sizeof *journal->entries);
	}
}

/* "MODULE\tPATH": journalled before it is there. keep: until the run says that it may stay it is unloaded all the same, but other
   runs are not to think that they have to. */
static int load(struct journal *journal, char *pair, bool keep)
{
	char *path = strchr(pair, '\t'), line[128];
	struct kb_module_hold *hold;
	int result;

	if (!path)
		return -EINVAL;
	*path++ = '\0';
	if ((size_t)snprintf(line, sizeof line, "unload %s", pair) >= sizeof line)
		return -ENAMETOOLONG;
	if (entry_about(journal, line, strlen(line) + 1) && kb_module_is_live(pair))
		return 0;
	forget(journal, line);  /* another process has unloaded it */
	if (add(journal, line, 0))
		return -ENOMEM;
	hold = &journal->entries[journal->count - 1].hold;
	result = kb_module_take(pair, path, hold);
	if (!hold->ours || (keep && result == KB_MODULE_SHARED))
		forget(journal, line);
	else if (keep)
		kb_module_loosen(hold);
	return result;
}

static int remember(struct journal *journal, const char *line)
{
	if (!strncmp(line, "group ", 6))
		journal->group = (pid_t)atoi(line + 6);
	else if (!strncmp(line, "forget ", 7))
		forget(journal, line + 7);
	else if (!strncmp(line, "settle ", 7))
		settle(journal, (pid_t)atoi(line + 7));
	else
		return add(journal, line, 0);
	return 0;
}

/* Kills every process that carries the mark in its environment. Returns how many there were. */
static unsigned hunt(const char *mark)
{
	static char text[1 << 17];
	DIR *proc = opendir("/proc");
	unsigned found = 0;

	for (struct dirent *entry; proc && (entry = readdir(proc));) {
		pid_t pid = (pid_t)atoi(entry->d_name);
		char path[64];

		snprintf(path, sizeof path, "/proc/%.20s/environ", entry->d_name);
		long length = pid > 1 && pid != getpid() ? kb_read_file(path, text, sizeof text) : 0;

		if (length <= 0 || !memmem(text, (size_t)length + 1, mark, strlen(mark) + 1))
			continue;
		kill(pid, SIGKILL);
		found++;
	}
	if (proc)
		closedir(proc);
	return found;
}

/* First the processes of the run, then what they might still be using, newest first. */
static void clean_up(struct journal *journal, const char *run_id)
{
	char mark[64];

	if (journal->group > 1)
		kill(-journal->group, SIGKILL);
	snprintf(mark, sizeof mark, "KBENCH_RUN=%s", run_id);
	for (int round = 0; round < HUNT_ROUNDS && hunt(mark) > 0; round++)
		kb_sleep_ns(HUNT_PAUSE_NS);
	while (journal->count > 0)
		undo(&journal->entries[--journal->count]);
}

#define LIFELINE 3              /* the guardian's own numbers */
#define SETTINGS 4

static void detach(int lifeline, int settings)
{
	int null = open("/dev/null", O_RDWR);

	/* Out of the way of the numbers that they get. */
	lifeline = fcntl(lifeline, F_DUPFD, SETTINGS + 1);
	settings = fcntl(settings, F_DUPFD, SETTINGS + 1);

	setsid();
	for (int number = 1; number < NSIG; number++) {
		if (number != SIGCHLD)
			signal(number, SIG_IGN); /* Ctrl-C is for the run; the guardian ends when the run does */
	}
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	dup2(lifeline, LIFELINE);
	dup2(settings, SETTINGS);
	close_range(SETTINGS + 1, ~0u, 0); /* a copy of any pipe or database would keep it open */
	prctl(PR_SET_NAME, "kbench-guardian");
}

/* SOCK_SEQPACKET: one entry a message. False at the end of the line. */
static bool hear(int fd, char line[LINE_MAX_BYTES])
{
	ssize_t got;

	do {
		got = recv(fd, line, LINE_MAX_BYTES - 1, MSG_DONTWAIT);
	} while (got < 0 && errno == EINTR);
	line[got > 0 ? got : 0] = '\0';
	return got > 0 || (got < 0 && errno == EAGAIN);
}

static bool serve_run(struct journal *journal)
{
	char line[LINE_MAX_BYTES];

	if (!hear(LIFELINE, line))
		return false;
	if (line[0]) {
		bool keep = !strncmp(line, "keep ", 5);
		char answer[16];
		int result = keep || !strncmp(line, "load ", 5) ? load(journal, line + 5, keep) : remember(journal, line);

		snprintf(answer, sizeof answer, "%d", result);
		send(LIFELINE, answer, strlen(answer), MSG_NOSIGNAL);
	}
	return true;
}

/* "GROUP restore PATH\tVALUE". All collectors share the line, so an answer says whose it is: "y GROUP". */
static void serve_process(struct journal *journal, const char *line)
{
	char answer[32], *rest;
	pid_t owner = (pid_t)strtol(line, &rest, 10);
	bool taken = owner > 0 && *rest == ' ' && !remember_setting(journal, rest + 1, owner);

	snprintf(answer, sizeof answer, "%c %d", taken ? 'y' : 'n', (int)owner);
	send(SETTINGS, answer, strlen(answer), MSG_NOSIGNAL | MSG_DONTWAIT);
}

static bool serve_processes(struct journal *journal)
{
	char line[LINE_MAX_BYTES];

	while (hear(SETTINGS, line)) {
		if (!line[0])
			return true;
		serve_process(journal, line);
	}
	return false;
}

static void guard(int lifeline, int settings, const char *run_id)
{
	struct journal journal = { NULL, 0, 0 };
	struct pollfd lines[2] = { { .fd = LIFELINE, .events = POLLIN }, { .fd = SETTINGS, .events = POLLIN } };

	detach(lifeline, settings);
	for (;;) {
		poll(lines, 2, -1);
		/* All that processes said, before the run says that one of them ended: else it would be journalled too late. */
		if (lines[1].revents && !serve_processes(&journal))
			lines[1].fd = -1;       /* no collector can ask any more; the run may still live */
		if (lines[0].revents && !serve_run(&journal))
			break;
	}
	clean_up(&journal, run_id);
	_exit(0);
}

/* ---- the run's side ------------------------------------------------------------------------------ */

int kb_guardian_start(struct kb_guardian *guardian, const char *run_id)
{
	int ends[2] = { -1, -1 }, settings[2] = { -1, -1 }, error = 0;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, settings) < 0)
		error = -errno;
	else if ((guardian->pid = fork()) < 0)
		error = -errno;
	else if (guardian->pid == 0)
		guard(ends[1], settings[1], run_id);
	close(ends[1]);
	close(settings[1]);
	guardian->lifeline = ends[0];
	guardian->settings = settings[0];
	if (error) {
		close(ends[0]);
		close(settings[0]);
	}
	return error;
}

/* What it answers; -EPIPE where it does not. */
static int ask(const struct kb_guardian *guardian, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int ask(const struct kb_guardian *guardian, const char *format, ...)
{
	char line[LINE_MAX_BYTES], answer[16];
	va_list list;
	ssize_t got;

	va_start(list, format);
	size_t length = (size_t)vsnprintf(line, sizeof line, format, list);

	va_end(list);
	if (length >= sizeof line)
		return -ENAMETOOLONG;
	if (send(guardian->lifeline, line, length, MSG_NOSIGNAL) < 0)
		return -EPIPE;
	do {
		got = recv(guardian->lifeline, answer, sizeof answer - 1, 0);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return -EPIPE;
	answer[got] = '\0';
	return atoi(answer);
}

int kb_guardian_group(struct kb_guardian *guardian, pid_t group)
{
	return ask(guardian, "group %d", (int)group);
}

int kb_guardian_settle(struct kb_guardian *guardian, pid_t group)
{
	return ask(guardian, "settle %d", (int)group);
}

int kb_guardian_remove(struct kb_guardian *guardian, const char *path)
{
	return ask(guardian, "remove %s", path);
}

int kb_guardian_load(struct kb_guardian *guardian, const char *module, const char *path, bool keep)
{
	return ask(guardian, "%s %s\t%s", keep ? "keep" : "load", module, path);
}

int kb_guardian_keep_modules(struct kb_guardian *guardian)
{
	return ask(guardian, "forget unload ");
}

void kb_guardian_stop(struct kb_guardian *guardian)
{
	uint64_t deadline = kb_wall_ns() + STOP_LIMIT_NS;

	close(guardian->settings);
	close(guardian->lifeline);
	while (waitpid(guardian->pid, NULL, WNOHANG) == 0 && kb_wall_ns() < deadline)
		kb_sleep_ns(1000000);
}
