/* See journal.h. The file: "kbench-journal/1 RUN BOOT", then lines "add OWNER ENTRY", "drop OWNER ENTRY" and "group ID". */
#define _GNU_SOURCE
#include "run/process/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "grown.h"
#include "io.h"
#include "run/process/mark.h"
#include "scratch.h"

#define MAGIC "kbench-journal/1"
#define SUFFIX ".journal"
#define BOOT_MAX 64
#define USUAL_DIRECTORY "/var/tmp"      /* on a disk, not in memory, as /tmp may be: benchmarks of page faults from files need one */

void kb_run_directory(char directory[PATH_MAX])
{
	const char *set = getenv("TMPDIR");

	if (!set || !set[0])
		set = USUAL_DIRECTORY;
	if (!realpath(set, directory))
		snprintf(directory, PATH_MAX, "%s", set);       /* who makes a file there is told why it cannot be */
}

/* ---- entries ----------------------------------------------------------------------------------------------- */

/* What is behind it is part of a line, and what is added to that would be lost. */
static void cut_off(const struct kb_journal *journal, off_t end)
{
	if (ftruncate(journal->file, end) < 0)
		syslog(LOG_WARNING, "kbench: %s: %s", journal->path, strerror(errno));
}

static int write_line(const struct kb_journal *journal, const char *format, ...) __attribute__((format(printf, 2, 3)));

static int write_line(const struct kb_journal *journal, const char *format, ...)
{
	char *line;
	va_list list;

	va_start(list, format);
	int length = vasprintf(&line, format, list);

	va_end(list);
	if (length < 0)
		return -ENOMEM;
	off_t end = lseek(journal->file, 0, SEEK_END);
	int error = kb_write_all(journal->file, line, (size_t)length);

	if (error && end >= 0)
		cut_off(journal, end);
	free(line);
	return error;
}

static int keep(struct kb_journal *journal, const char *line, pid_t owner)
{
	char *copy = strdup(line);

	if (!copy || !KB_GROW(journal->entries, journal->count)) {
		free(copy);
		return -ENOMEM;
	}
	journal->entries[journal->count++] = (struct kb_journal_entry){ copy, owner, { .lock = -1 } };
	return 0;
}

static void lose(struct kb_journal *journal, size_t entry)
{
	kb_module_let_go(&journal->entries[entry].hold);
	free(journal->entries[entry].line);
	memmove(&journal->entries[entry], &journal->entries[entry + 1], (--journal->count - entry) * sizeof *journal->entries);
}

int kb_journal_add(struct kb_journal *journal, const char *line, pid_t owner)
{
	if (strchr(line, '\n'))
		return -EINVAL;
	return write_line(journal, "add %d %s\n", (int)owner, line) ?: keep(journal, line, owner);
}

/* A full disk is no reason to keep it: what is undone twice is as it was, too. */
void kb_journal_drop(struct kb_journal *journal, size_t entry)
{
	write_line(journal, "drop %d %s\n", (int)journal->entries[entry].owner, journal->entries[entry].line);
	lose(journal, entry);
}

void kb_journal_set_group(struct kb_journal *journal, pid_t group)
{
	write_line(journal, "group %d\n", (int)group);
	journal->group = group;
}

/* ---- undoing ----------------------------------------------------------------------------------------------- */

static void restore(char *pair)
{
	char *value = strchr(pair, '\t');

	if (!value)
		return;
	*value = '\0';
	int error = kb_write_file(pair, value + 1);

	if (error)      /* there is no terminal any more */
		syslog(LOG_WARNING, "kbench: %s is not back at %s: %s", pair, value + 1, strerror(-error));
	*value = '\t';
}

void kb_journal_undo(struct kb_journal *journal, size_t entry)
{
	char *line = journal->entries[entry].line;

	if (!strncmp(line, "remove ", 7)) {
		kb_remove_tree(line + 7);
	} else if (!strncmp(line, "unload ", 7)) {
		int error = kb_module_give_back(line + 7, &journal->entries[entry].hold);

		if (error)
			syslog(LOG_WARNING, "kbench: module %s stays loaded: %s", line + 7, strerror(-error));
	} else if (!strncmp(line, "restore ", 8)) {
		restore(line + 8);
	}
	kb_journal_drop(journal, entry);
}

void kb_journal_finish(struct kb_journal *journal, pid_t spared)
{
	if (journal->group > 1)
		kill(-journal->group, SIGKILL);
	kb_mark_hunt(journal->run_id, spared);
	while (journal->count > 0)
		kb_journal_undo(journal, journal->count - 1);
	if (journal->path[0])
		unlink(journal->path);
}

void kb_journal_release(struct kb_journal *journal)
{
	while (journal->count > 0)
		lose(journal, journal->count - 1);
	free(journal->entries);
	journal->entries = NULL;
}

/* ---- the file ---------------------------------------------------------------------------------------------- */

static void read_boot(char boot[BOOT_MAX])
{
	if (kb_read_file("/proc/sys/kernel/random/boot_id", boot, BOOT_MAX) <= 0)
		snprintf(boot, BOOT_MAX, "unknown");
	boot[strcspn(boot, "\n")] = '\0';
}

/* Somebody who cleans up may look at it before it is ours, and remove it as one that says nothing. 1: so it is. */
static int take_new(const struct kb_journal *journal)
{
	struct stat info;

	if (flock(journal->file, LOCK_EX) < 0 || fstat(journal->file, &info) < 0)
		return -errno;
	return info.st_nlink == 0;
}

static int open_named(struct kb_journal *journal)
{
	for (int try = 0; try < 100; try++) {
		journal->file = open(journal->path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
		int error = journal->file < 0 ? -errno : take_new(journal);

		if (error == 0)
			return 0;
		if (journal->file >= 0)
			close(journal->file);
		if (error < 0)
			return error;
	}
	return -EAGAIN;
}

/* Without a name, where the file system has such files. */
static int open_new(struct kb_journal *journal, const char *directory)
{
	journal->file = open(directory, O_RDWR | O_TMPFILE | O_APPEND | O_CLOEXEC, 0600);
	journal->nameless = journal->file >= 0;
	return journal->nameless ? flock(journal->file, LOCK_EX) < 0 ? -errno : 0 : open_named(journal);
}

void kb_journal_publish(struct kb_journal *journal)
{
	if (journal->nameless && journal->path[0] && kb_name_file(journal->file, journal->path))
		journal->path[0] = '\0';
}

/* On error there is no file. */
static int write_header(struct kb_journal *journal, const char *boot)
{
	int error = write_line(journal, MAGIC " %s %s\n", journal->run_id, boot);

	if (error) {
		if (journal->path[0])
			unlink(journal->path);
		close(journal->file);
		journal->file = -1;
	}
	return error;
}

static int create_file(struct kb_journal *journal, const char *boot)
{
	char directory[PATH_MAX];
	size_t length;

	kb_run_directory(directory);
	length = strlen(directory);
	if (length + sizeof journal->run_id + sizeof "/kbench-" SUFFIX > PATH_MAX)
		return -ENAMETOOLONG;
	memcpy(journal->path, directory, length);
	snprintf(journal->path + length, PATH_MAX - length, "/kbench-%s" SUFFIX, journal->run_id);
	return open_new(journal, directory) ?: write_header(journal, boot);
}

/* Where no scratch directory can be made either. Settings of the machine are still put back where only the guardian dies. */
static int create_in_memory(struct kb_journal *journal, const char *boot)
{
	journal->path[0] = '\0';
	journal->file = memfd_create("kbench-journal", MFD_CLOEXEC);
	return journal->file < 0 ? -errno : write_header(journal, boot);
}

int kb_journal_create(struct kb_journal *journal, const char *run_id)
{
	char boot[BOOT_MAX];

	*journal = (struct kb_journal){ .file = -1 };
	snprintf(journal->run_id, sizeof journal->run_id, "%s", run_id);
	read_boot(boot);
	return create_file(journal, boot) ? create_in_memory(journal, boot) : 0;
}

/* Of a line that was dropped the last one goes: an owner may note a thing twice. */
static void lose_line(struct kb_journal *journal, const char *line, pid_t owner)
{
	for (size_t i = journal->count; i-- > 0;) {
		if (journal->entries[i].owner == owner && !strcmp(journal->entries[i].line, line)) {
			lose(journal, i);
			return;
		}
	}
}

/* "OWNER ENTRY" behind `add` or `drop`. */
static char *read_owner(char *text, pid_t *owner)
{
	char *rest;

	*owner = (pid_t)strtol(text, &rest, 10);
	return *rest == ' ' ? rest + 1 : NULL;
}

static int read_line(struct kb_journal *journal, char *line)
{
	pid_t owner;
	char *entry;

	if (!strncmp(line, "group ", 6))
		journal->group = (pid_t)atoi(line + 6);
	else if (!strncmp(line, "add ", 4) && (entry = read_owner(line + 4, &owner)))
		return keep(journal, entry, owner);
	else if (!strncmp(line, "drop ", 5) && (entry = read_owner(line + 5, &owner)))
		lose_line(journal, entry, owner);
	return 0;
}

/* "MAGIC RUN BOOT". What another boot changed in the kernel is gone with it. */
static int read_header(struct kb_journal *journal, const char *line, bool *this_boot)
{
	char found[BOOT_MAX], boot[BOOT_MAX];

	if (sscanf(line, MAGIC " %63s %63s", journal->run_id, found) != 2)
		return -EPROTO;
	read_boot(boot);
	*this_boot = !strcmp(found, boot);
	return 0;
}

/* Settings and modules of this boot, and files of any. */
static void prepare_entries(struct kb_journal *journal, bool this_boot)
{
	for (size_t i = journal->count; i-- > 0;) {
		struct kb_journal_entry *entry = &journal->entries[i];

		if (!this_boot && strncmp(entry->line, "remove ", 7) != 0)
			lose(journal, i);
		else if (!strncmp(entry->line, "unload ", 7))
			kb_module_rely_again(entry->line + 7, &entry->hold);
	}
}

/* A line without its end was not acknowledged: nothing has changed. */
int kb_journal_read(struct kb_journal *journal)
{
	int copy = dup(journal->file), error = -errno;
	FILE *file = copy < 0 ? NULL : fdopen(copy, "r");
	size_t room = 0, lines = 0;
	bool this_boot = false;
	char *line = NULL;
	off_t end = 0;

	if (!file)
		return error;
	kb_journal_release(journal);
	rewind(file);
	error = -ENODATA;
	for (ssize_t length; (lines == 0 || !error) && (length = getline(&line, &room, file)) > 0; end += length) {
		if (line[length - 1] != '\n') {
			cut_off(journal, end);
			break;
		}
		line[length - 1] = '\0';
		error = lines++ == 0 ? read_header(journal, line, &this_boot) : read_line(journal, line);
	}
	free(line);
	fclose(file);
	if (!error)
		prepare_entries(journal, this_boot);
	return error;
}

/* ---- what dead runs left ----------------------------------------------------------------------------------- */

/* A file of ours that nobody else can have put there, and whose run and guardian are gone. */
static bool claim(int file)
{
	struct stat info;

	return fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() && info.st_nlink == 1 && !(info.st_mode & 077) &&
	       flock(file, LOCK_EX | LOCK_NB) == 0 && fstat(file, &info) == 0 && info.st_nlink == 1;
}

static void sweep_one(const char *directory, const char *name)
{
	struct kb_journal journal = { .file = -1 };

	if ((size_t)snprintf(journal.path, sizeof journal.path, "%s/%s", directory, name) >= sizeof journal.path)
		return;
	journal.file = open(journal.path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (journal.file < 0)
		return;
	if (claim(journal.file)) {
		int error = kb_journal_read(&journal);

		journal.group = 0;      /* its number may be another's by now; the mark is not */
		if (!error)
			kb_journal_finish(&journal, 0);
		else if (error == -ENODATA)     /* killed before it said anything; of another version it is that one's */
			unlink(journal.path);
		kb_journal_release(&journal);
	}
	close(journal.file);
}

static void sweep(const char *directory)
{
	DIR *all = opendir(directory);

	for (struct dirent *entry; all && (entry = readdir(all));) {
		size_t length = strlen(entry->d_name), suffix = sizeof SUFFIX - 1;

		if (!strncmp(entry->d_name, "kbench-", 7) && length > suffix && !strcmp(entry->d_name + length - suffix, SUFFIX))
			sweep_one(directory, entry->d_name);
	}
	if (all)
		closedir(all);
}

/* Who sets TMPDIR at times has settings to put back from the other times, too. */
void kb_journal_sweep(void)
{
	char directory[PATH_MAX];

	kb_run_directory(directory);
	sweep(directory);
	if (strcmp(directory, USUAL_DIRECTORY) != 0)
		sweep(USUAL_DIRECTORY);
}
