/* See output_file.h: a temporary file beside the target, on the disk before it gets the target's name. */
#define _GNU_SOURCE
#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

/* Closing may be the first to learn that a network's disk is full. */
static int finish(int file, int error)
{
	return close(file) && !error ? -errno : error;
}

static int write_to(const char *path, int flags, const char *bytes, size_t length)
{
	int file = open(path, O_WRONLY | O_CLOEXEC | flags, 0666);

	return file < 0 ? -errno : finish(file, kb_write_all(file, bytes, length));
}

static int replace(const char *path, mode_t mode, const char *bytes, size_t length)
{
	char name[PATH_MAX];
	int file, error;

	if (snprintf(name, sizeof name, "%s.XXXXXX", path) >= (int)sizeof name)
		return -ENAMETOOLONG;
	file = mkostemp(name, O_CLOEXEC);
	if (file < 0)
		return -errno;
	error = kb_write_all(file, bytes, length);
	if (!error && (fchmod(file, mode) || fsync(file)))
		error = -errno;
	error = finish(file, error);
	if (!error && rename(name, path))
		error = -errno;
	if (error)
		unlink(name);
	return error;
}

/* A link stays a link: what it leads to is replaced. One may name a file that is not there yet, which is made first: only what is there
   has a path to look a link through. A new file is as open() would have made it; mkstemp makes files for the user alone. */
static int write_file(const char *path, const char *bytes, size_t length)
{
	char target[PATH_MAX];
	struct stat facts;
	bool there = stat(path, &facts) == 0, made = !there && lstat(path, &facts) == 0;
	int error = made ? write_to(path, O_CREAT, "", 0) : 0;
	mode_t mask = umask(0);

	umask(mask);
	if (error)
		return error;
	if (there && !S_ISREG(facts.st_mode))
		return write_to(path, 0, bytes, length);
	if ((there || made) && !realpath(path, target))
		return -errno;
	error = replace(there || made ? target : path, there ? facts.st_mode & 07777 : 0666 & ~mask, bytes, length);
	if (error && made)
		unlink(target);
	return error;
}

void kb_output_write(const struct kb_command *command, const char *path, const char *bytes, size_t length)
{
	if (!path || strcmp(path, "-") == 0) {
		/* What could not be written, kb_finish_output sees. */
		fwrite(bytes, 1, length, stdout);
		return;
	}
	int error = write_file(path, bytes, length);

	if (error)
		kb_die(command, KB_EXIT_USAGE, "cannot write '%.400s': %s", path, strerror(-error));
}
