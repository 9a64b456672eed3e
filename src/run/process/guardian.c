#define _GNU_SOURCE
#include "run/process/guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"
#include "run/process/mark.h"

#define LINE_MAX_BYTES (PATH_MAX + 512)
#define STOP_LIMIT_NS UINT64_C(10000000000)
#define REVIVALS 100            /* guardians of one run: somebody kills them all */

/* ---- the guardian's own process ------------------------------------------------------------------ */

/* "restore PATH\t": what two entries about one file have in common; 0: the line is none. */
static size_t about(const char *line)
{
	const char *tab = strchr(line, '\t');

	return tab && !strncmp(line, "restore ", 8) ? (size_t)(tab - line) + 1 : 0;
}

static const char *entry_about(const struct kb_journal *journal, const char *line, size_t length)
{
	for (size_t i = 0; i < journal->count; i++) {
		if (!strncmp(journal->entries[i].line, line, length))
			return journal->entries[i].line;
	}
	return NULL;
}

/* A process will change a setting. Where another that still lives has changed it, what it found is no state to go back to. */
static int remember_setting(struct kb_journal *journal, const char *line, pid_t owner)
{
	size_t length = about(line);
	const char *before = length ? entry_about(journal, line, length) : NULL;

	return length ? kb_journal_add(journal, before ? before : line, owner) : -EINVAL;
}

static bool is_needed_elsewhere(const struct kb_journal *journal, size_t entry)
{
	const char *line = journal->entries[entry].line;
	size_t length = about(line);

	for (size_t i = 0; i < journal->count; i++) {
		if (i != entry && !strncmp(journal->entries[i].line, line, length))
			return true;
	}
	return false;
}

/* A process ended: its settings are put back, but for those that another process still needs. */
static void settle(struct kb_journal *journal, pid_t owner)
{
	for (size_t i = journal->count; owner > 0 && i-- > 0;) {
		if (journal->entries[i].owner != owner)
			continue;
		if (is_needed_elsewhere(journal, i))
			kb_journal_drop(journal, i);
		else
			kb_journal_undo(journal, i);
	}
}

/* What was to be undone is meant to stay, or was never done. "unload " is all modules. */
static void forget(struct kb_journal *journal, const char *line)
{
	bool all = line[0] && line[strlen(line) - 1] == ' ';

	for (size_t i = journal->count; i-- > 0;) {
		const char *found = journal->entries[i].line;

		if (all ? !strncmp(found, line, strlen(line)) : !strcmp(found, line))
			kb_journal_drop(journal, i);
	}
}

/* "MODULE\tPATH": journalled before it is there. keep: until the run says that it may stay it is unloaded all the same, but other
   runs are not to think that they have to. */
static int load(struct kb_journal *journal, char *pair, bool keep)
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
	result = kb_journal_add(journal, line, 0);
	if (result)
		return result;
	hold = &journal->entries[journal->count - 1].hold;
	result = kb_module_take(pair, path, hold);
	if (!hold->ours || (keep && result == KB_MODULE_SHARED))
		forget(journal, line);
	else if (keep)
		kb_module_loosen(hold);
	return result;
}

static int remember(struct kb_journal *journal, const char *line)
{
	if (!strncmp(line, "group ", 6))
		kb_journal_set_group(journal, (pid_t)atoi(line + 6));
	else if (!strncmp(line, "forget ", 7))
		forget(journal, line + 7);
	else if (!strncmp(line, "settle ", 7))
		settle(journal, (pid_t)atoi(line + 7));
	else
		return kb_journal_add(journal, line, 0);
	return 0;
}

#define LIFELINE 3              /* the guardian's own numbers */
#define SETTINGS 4
#define JOURNAL 5

/* False: there are too few descriptors. It must not stay then: with an end of its own lifeline still open it would live for ever. */
static bool detach(int lifeline, int settings, int journal)
{
	int null = open("/dev/null", O_RDWR);

	/* Out of the way of the numbers that they get. */
	lifeline = fcntl(lifeline, F_DUPFD, JOURNAL + 1);
	settings = fcntl(settings, F_DUPFD, JOURNAL + 1);
	journal = fcntl(journal, F_DUPFD, JOURNAL + 1);
	if (null < 0 || lifeline < 0 || settings < 0 || journal < 0)
		return false;

	setsid();
	for (int number = 1; number < NSIG; number++) {
		if (number != SIGCHLD)
			signal(number, SIG_IGN); /* Ctrl-C is for the run; the guardian ends when the run does */
	}
	for (int fd = 0; fd < 3; fd++)
		dup2(null, fd);
	dup2(lifeline, LIFELINE);
	dup2(settings, SETTINGS);
	dup2(journal, JOURNAL);
	close_range(JOURNAL + 1, ~0u, 0); /* a copy of any pipe or database would keep it open */
	prctl(PR_SET_NAME, "kbench-guardian");
	kb_mark(NULL);          /* a run may be part of another one, whose guardian is not to end this one before its work is done */
	return true;
}

/* SOCK_SEQPACKET: one entry a message, which stays there until it is answered for. False at the end of the line. */
static bool hear(int fd, char line[LINE_MAX_BYTES])
{
	ssize_t got;

	do {
		got = recv(fd, line, LINE_MAX_BYTES - 1, MSG_DONTWAIT | MSG_PEEK);
	} while (got < 0 && errno == EINTR);
	line[got > 0 ? got : 0] = '\0';
	return got > 0 || (got < 0 && errno == EAGAIN);
}

static void answer(int fd, const char *text)
{
	char heard[1];

	send(fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
	recv(fd, heard, sizeof heard, MSG_DONTWAIT);
}

static bool serve_run(struct kb_journal *journal)
{
	char line[LINE_MAX_BYTES];

	if (!hear(LIFELINE, line))
		return false;
	if (line[0]) {
		bool keep = !strncmp(line, "keep ", 5);
		char text[16];
		int result = keep || !strncmp(line, "load ", 5) ? load(journal, line + 5, keep) : remember(journal, line);

		snprintf(text, sizeof text, "%d", result);
		answer(LIFELINE, text);
	}
	return true;
}

/* "GROUP NUMBER restore PATH\tVALUE". All collectors share the line, and a guardian may answer again what one that was killed had answered, so
   an answer says to what it is one: "y GROUP NUMBER". */
static void serve_process(struct kb_journal *journal, const char *line)
{
	int group = 0, number = 0, end = 0;
	char text[48];
	bool taken = sscanf(line, "%d %d %n", &group, &number, &end) == 2 && end > 0 && group > 0 &&
		     !remember_setting(journal, line + end, (pid_t)group);

	snprintf(text, sizeof text, "%c %d %d", taken ? 'y' : 'n', group, number);
	answer(SETTINGS, text);
}

static bool serve_processes(struct kb_journal *journal)
{
	char line[LINE_MAX_BYTES];

	while (hear(SETTINGS, line)) {
		if (!line[0])
			return true;
		serve_process(journal, line);
	}
	return false;
}

static void guard(struct kb_journal *journal, int lifeline, int settings)
{
	struct pollfd lines[2] = { { .fd = LIFELINE, .events = POLLIN }, { .fd = SETTINGS, .events = POLLIN } };
	pid_t run = getppid();

	if (!detach(lifeline, settings, journal->file))
		_exit(1);
	journal->file = JOURNAL;
	if (kb_journal_read(journal))   /* what a guardian before this one had promised */
		_exit(1);
	for (;;) {
		poll(lines, 2, -1);
		/* All that processes said, before the run says that one of them ended: else it would be journalled too late. */
		if (lines[1].revents && !serve_processes(journal))
			lines[1].fd = -1;       /* no collector can ask any more; the run may still live */
		if (lines[0].revents && !serve_run(journal))
			break;
	}
	kb_journal_finish(journal, run);
	_exit(0);
}

/* ---- the run's side ------------------------------------------------------------------------------ */

static int make_line(int ends[2])
{
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0 ? -errno : 0;
}

/* Starts one, the first or another one. */
static int launch(struct kb_guardian *guardian)
{
	int ends[2], error = make_line(ends);

	if (error)
		return error;
	guardian->pid = fork();
	if (guardian->pid == 0)
		guard(&guardian->journal, ends[1], guardian->heard);
	error = guardian->pid < 0 ? -errno : 0;
	close(ends[1]);
	if (error)
		close(ends[0]);
	else
		guardian->lifeline = ends[0];
	return error;
}

static void close_all(struct kb_guardian *guardian)
{
	close(guardian->settings);
	close(guardian->heard);
	close(guardian->journal.file);
}

int kb_guardian_start(struct kb_guardian *guardian, const char *run_id)
{
	int ends[2], error;

	*guardian = (struct kb_guardian){ .lifeline = -1, .settings = -1, .heard = -1, .pid = -1 };
	kb_journal_sweep();
	error = kb_journal_create(&guardian->journal, run_id);
	if (error)
		return error;
	error = make_line(ends);
	if (!error) {
		guardian->settings = ends[0];
		guardian->heard = ends[1];
		error = launch(guardian);
	}
	if (error) {
		if (guardian->journal.path[0])
			unlink(guardian->journal.path);
		close_all(guardian);
		guardian->pid = -1;
	} else {
		kb_journal_publish(&guardian->journal);
	}
	return error;
}

/* Somebody killed it: the next one reads the journal. False: there is none. */
static bool revive(struct kb_guardian *guardian)
{
	if (guardian->pid <= 0 || guardian->revivals++ >= REVIVALS)
		return false;
	if (waitpid(guardian->pid, NULL, WNOHANG) == 0) {       /* it is ending */
		kill(guardian->pid, SIGKILL);
		waitpid(guardian->pid, NULL, 0);
	}
	close(guardian->lifeline);
	guardian->lifeline = -1;
	return launch(guardian) == 0;
}

void kb_guardian_leave(struct kb_guardian *guardian)
{
	close(guardian->lifeline);
	close(guardian->heard);
	close(guardian->journal.file);
}

void kb_guardian_look(struct kb_guardian *guardian)
{
	if (guardian->pid > 0 && waitpid(guardian->pid, NULL, WNOHANG) != 0)
		revive(guardian);
}

/* What it answers; -EPIPE where it does not. */
static int say(const struct kb_guardian *guardian, const char *line)
{
	char text[16];
	ssize_t got;

	if (send(guardian->lifeline, line, strlen(line), MSG_NOSIGNAL) < 0)
		return -EPIPE;
	do {
		got = recv(guardian->lifeline, text, sizeof text - 1, 0);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return -EPIPE;
	text[got] = '\0';
	return atoi(text);
}

static int ask(struct kb_guardian *guardian, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int ask(struct kb_guardian *guardian, const char *format, ...)
{
	char line[LINE_MAX_BYTES];
	va_list list;
	int result;

	va_start(list, format);
	size_t length = (size_t)vsnprintf(line, sizeof line, format, list);

	va_end(list);
	if (length >= sizeof line)
		return -ENAMETOOLONG;
	do {
		result = say(guardian, line);
	} while (result == -EPIPE && revive(guardian));
	return result;
}

int kb_guardian_group(struct kb_guardian *guardian, pid_t group)
{
	return ask(guardian, "group %d", (int)group);
}

int kb_guardian_settle(struct kb_guardian *guardian, pid_t group)
{
	return ask(guardian, "settle %d", (int)group);
}

/* Who undoes it may be in another directory. */
int kb_guardian_remove(struct kb_guardian *guardian, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/')
		return ask(guardian, "remove %s", path);
	return getcwd(here, sizeof here) ? ask(guardian, "remove %s/%s", here, path) : -errno;
}

int kb_guardian_load(struct kb_guardian *guardian, const char *module, const char *path, bool keep)
{
	return ask(guardian, "%s %s\t%s", keep ? "keep" : "load", module, path);
}

int kb_guardian_keep_modules(struct kb_guardian *guardian)
{
	return ask(guardian, "forget unload ");
}

/* Where it was killed instead, the run does its work. */
void kb_guardian_stop(struct kb_guardian *guardian)
{
	uint64_t deadline = kb_wall_ns() + STOP_LIMIT_NS;
	int status = 0;
	pid_t ended;

	if (guardian->pid <= 0)
		return;
	close(guardian->lifeline);
	while ((ended = waitpid(guardian->pid, &status, WNOHANG)) == 0 && kb_wall_ns() < deadline)
		kb_sleep_ns(1000000);
	if (ended != 0 && (ended < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0) && !kb_journal_read(&guardian->journal)) {
		kb_journal_finish(&guardian->journal, 0);
		kb_journal_release(&guardian->journal);
	}
	close_all(guardian);
	guardian->pid = -1;
}
