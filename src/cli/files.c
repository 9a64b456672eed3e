/* See files.h. A file is a nameless one in the directory of the target, on the disk before it gets the target's name. */
#define _GNU_SOURCE
#include "cli/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"
#include "places.h"
#include "run/process/trust.h"

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

/* A file without a name, which a kill leaves nowhere; where the file system has none, one with a drawn name, else "". */
static int open_new(const char *path, char name[PATH_MAX])
{
	const char *slash = strrchr(path, '/');
	size_t above = slash ? (size_t)(slash - path) + 1 : 0;
	int file;

	if (snprintf(name, PATH_MAX, "%.*s.", (int)above, path) >= PATH_MAX)
		return -ENAMETOOLONG;
	file = access("/proc/self/fd", X_OK) ? -1 : open(name, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600); /* it gets its name there */
	if (file >= 0) {
		name[0] = '\0';
		return file;
	}
	if (snprintf(name, PATH_MAX, "%s.XXXXXX", path) >= PATH_MAX)
		return -ENAMETOOLONG;
	file = mkostemp(name, O_CLOEXEC);
	return file < 0 ? -errno : file;
}

/* Only a name can take another file's place: that one is there for a moment. */
static int put_in_place(int file, char name[PATH_MAX], const char *path)
{
	int error = 0;

	if (!name[0]) {
		error = kb_name_file(file, path);
		if (error != -EEXIST)
			return error;
		if (snprintf(name, PATH_MAX, "%s.%d", path, (int)getpid()) >= PATH_MAX)
			return -ENAMETOOLONG;
		error = kb_name_file(file, name);
	}
	if (!error && rename(name, path))
		error = -errno;
	return error;
}

static int replace(const char *path, mode_t mode, const char *bytes, size_t length)
{
	char name[PATH_MAX];
	int file = open_new(path, name), error;

	if (file < 0)
		return file;
	error = kb_write_all(file, bytes, length);
	if (!error && (fchmod(file, mode) || fsync(file)))
		error = -errno;
	error = error ?: put_in_place(file, name, path);
	error = finish(file, error);
	if (error && name[0])
		unlink(name);
	return error;
}

/* A link stays a link: what it leads to is replaced. One may name a file that is not there yet, which is made first: only what is there
   has a path to look a link through. A new file is as open() would have made it; the one that is written is for the user alone first. */
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

/* A directory that takes a file takes the new one. */
static int try_file(const char *path)
{
	char name[PATH_MAX];
	struct stat facts;
	int file;

	if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode))
		return S_ISDIR(facts.st_mode) ? -EISDIR : access(path, W_OK) ? -errno : 0;
	file = open_new(path, name);
	if (file < 0)
		return file;
	if (name[0])
		unlink(name);
	return finish(file, 0);
}

/* A link that another user planted where everybody may write: what it leads to would be written with our rights. The rule is the kernel's
   (fs.protected_symlinks), which may be off, but for one's own directory, which others may have been given. */
static bool is_planted(const char *path)
{
	char directory[PATH_MAX];
	const char *slash = strrchr(path, '/');
	struct stat link, around;

	if (snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".") >= (int)sizeof directory ||
	    lstat(path, &link) || !S_ISLNK(link.st_mode) || stat(directory, &around))
		return false;
	return (around.st_mode & S_IWOTH) && link.st_uid != geteuid() && link.st_uid != around.st_uid;
}

static void refuse_planted(const struct kb_command *command, const char *path)
{
	if (is_planted(path))
		kb_die(command, KB_EXIT_USAGE, "cannot write '%.200s': it is another user's link, where everybody can write; name another file", path);
}

static void die_unwritten(const struct kb_command *command, const char *path, int error)
{
	if (error)
		kb_die(command, KB_EXIT_USAGE, "cannot write '%.400s': %s", path, strerror(-error));
}

void kb_output_check(const struct kb_command *command, const char *path)
{
	if (!path || strcmp(path, "-") == 0)
		return;
	refuse_planted(command, path);
	die_unwritten(command, path, try_file(path));
}

void kb_output_write(const struct kb_command *command, const char *path, const char *bytes, size_t length)
{
	if (!path || strcmp(path, "-") == 0) {
		/* What could not be written, kb_finish_output sees. */
		fwrite(bytes, 1, length, stdout);
		return;
	}
	refuse_planted(command, path);
	die_unwritten(command, path, write_file(path, bytes, length));
}

FILE *kb_output_begin(const struct kb_command *command, struct kb_output *output)
{
	return output->out = kb_need_memory(command, open_memstream(&output->text, &output->length));
}

char *kb_output_end(const struct kb_command *command, struct kb_output *output)
{
	if (ferror(output->out) | fclose(output->out))
		kb_no_memory(command);
	return output->text;
}

void kb_output_put(const struct kb_command *command, const char *path, struct kb_output *output)
{
	kb_output_end(command, output);
	kb_output_write(command, path, output->text, output->length);
	free(output->text);
}

FILE *kb_output_open(const struct kb_command *command, const char *path)
{
	FILE *file;

	if (path)
		refuse_planted(command, path);
	file = path ? fopen(path, "we") : NULL;
	if (path && !file)
		kb_die(command, KB_EXIT_USAGE, "cannot write %.200s: %s", path, strerror(errno));
	return file;
}

bool kb_output_close(const struct kb_command *command, const char *path, FILE *file, int error)
{
	if (fflush(file) && !error)
		error = -errno;
	if (fclose(file) && !error)
		error = -errno;
	if (error)
		kb_complain(command, "cannot write all of %.200s: %s", path, strerror(-error));
	return !error;
}

/* ---- directories ------------------------------------------------------------------------------------------ */

static void make_directories(const struct kb_command *command, const char *path, const char *remedy)
{
	char at[PATH_MAX];
	int error;

	umask(umask(0) | 022);
	error = kb_make_directories(path, 0755, at);
	if (error)
		kb_die(command, KB_EXIT_USAGE, "cannot create the directory %s: %s; %s", at, strerror(-error), remedy);
}

void kb_cache_make(const struct kb_command *command, bool known, char *path, const char *remedy)
{
	char real[PATH_MAX], why[KB_TRUST_WHY], *slash;

	if (!known)
		kb_die(command, KB_EXIT_USAGE, KB_NO_CACHE "; %s", remedy);
	make_directories(command, path, remedy);
	slash = strrchr(path, '/');
	*slash = '\0';
	if (kb_trust(path, KB_TRUST_US, real, why))
		kb_die(command, KB_EXIT_USAGE, "%s; or %s", why, remedy);
	*slash = '/';
}

void kb_build_target(const struct kb_command *command, const char *into, bool known, char path[PATH_MAX])
{
	static const char remedy[] = "name another place with -o DIR";
	char here[PATH_MAX / 2] = "";

	if (!into) {
		kb_cache_make(command, known, path, remedy);
		return;
	}
	if (into[0] != '/' && !getcwd(here, sizeof here))
		kb_die(command, KB_EXIT_USAGE, "--output %.200s: %s", into, strerror(errno));
	if (snprintf(path, PATH_MAX, "%s%s%s", here, here[0] ? "/" : "", into) >= PATH_MAX)
		kb_die(command, KB_EXIT_USAGE, "--output %.200s: too long", into);
	for (size_t length = strlen(path); length > 1 && path[length - 1] == '/'; length--)
		path[length - 1] = '\0';
	make_directories(command, path, remedy);
}
