/* See scratch.h. */
#define _GNU_SOURCE
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "types.h"

#define DRAWN (sizeof "XXXXXX" - 1)
#define TRIES 40        /* a tenth of a second each: a compiler that outlives us may still be writing */
#define LOCK_TRIES 100

static int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
	(void)facts, (void)kind, (void)where;
	remove(path);
	return 0;
}

/* What is below goes before what it is in. */
int kb_remove_tree(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return remove(path) < 0 && errno != ENOENT ? -errno : 0;
}

/* ---- what others left -------------------------------------------------------------------------------------- */

/* Ours, of a process that is gone, as its keeper is. The lock is held until it is removed. */
static void sweep_one(int parent, const char *directory, const char *name)
{
	char path[PATH_MAX];
	struct stat facts;
	int lock = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (lock < 0)
		return;
	if (fstat(lock, &facts) == 0 && facts.st_uid == geteuid() && !(facts.st_mode & 077) && flock(lock, LOCK_EX | LOCK_NB) == 0 &&
	    (size_t)snprintf(path, sizeof path, "%s/%s", directory, name) < sizeof path)
		kb_remove_tree(path);
	close(lock);
}

/* Those of the same name, but for what is drawn at its end. */
static void sweep(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	char directory[PATH_MAX];
	size_t length = strlen(name), common = length - DRAWN;

	snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
	DIR *all = opendir(directory[0] ? directory : "/");

	for (struct dirent *entry; all && (entry = readdir(all));) {
		if (strlen(entry->d_name) == length && strncmp(entry->d_name, name, common) == 0)
			sweep_one(dirfd(all), directory, entry->d_name);
	}
	if (all)
		closedir(all);
}

/* ---- ours -------------------------------------------------------------------------------------------------- */

/* In a session of its own: Ctrl-C reaches all processes of the terminal's group. Nothing that others wait for stays open. */
static _Noreturn void keep(const char *path, int line, int lock)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	char byte;

	setsid();
	line = fcntl(line, F_DUPFD, 2); /* out of the way of the numbers that they get */
	lock = fcntl(lock, F_DUPFD, 2);
	dup2(line, 0);
	dup2(lock, 1);
	close_range(2, ~0u, 0);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		continue;
	for (int i = 0; i < TRIES && access(path, F_OK) == 0; i++) {
		if (i)
			nanosleep(&pause, NULL);
		kb_remove_tree(path);
	}
	_exit(0);
}

/* Who sweeps may look at it before it is locked, and remove it: 1. A file system without locks is never swept. */
static int take_lock(struct kb_scratch *scratch)
{
	struct stat facts;

	scratch->lock = open(scratch->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (scratch->lock < 0)
		return errno == ENOENT ? 1 : -errno;
	if (flock(scratch->lock, LOCK_EX) == 0 && fstat(scratch->lock, &facts) == 0 && facts.st_nlink == 0) {
		close(scratch->lock);
		return 1;
	}
	return 0;
}

static int make_locked(struct kb_scratch *scratch, char *path)
{
	char *drawn = path + strlen(path) - DRAWN;
	int error = 1;

	for (int i = 0; i < LOCK_TRIES && error > 0; i++) {
		memset(drawn, 'X', DRAWN);
		error = mkdtemp(path) ? take_lock(scratch) : -errno;
	}
	return error > 0 ? -EAGAIN : error;
}

int kb_scratch_open(struct kb_scratch *scratch, char *path)
{
	int ends[2], error;

	*scratch = (struct kb_scratch){ .path = path, .line = -1, .lock = -1, .keeper = -1 };
	sweep(path);
	error = make_locked(scratch, path);
	if (error)
		return error;
	if (pipe2(ends, O_CLOEXEC))
		return 0;
	scratch->keeper = fork();
	if (scratch->keeper == 0) {
		close(ends[1]);
		keep(path, ends[0], scratch->lock);
	}
	close(ends[0]);
	if (scratch->keeper < 0)
		close(ends[1]);
	else
		scratch->line = ends[1];
	return 0;
}

void kb_scratch_close(struct kb_scratch *scratch)
{
	if (scratch->keeper >= 0) {
		close(scratch->line);
		while (waitpid(scratch->keeper, NULL, 0) < 0 && errno == EINTR)
			continue;
	}
	/* Without a keeper, or behind one that was killed. */
	kb_remove_tree(scratch->path);
	close(scratch->lock);
}
