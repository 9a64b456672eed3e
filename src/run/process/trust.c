/* See trust.h. The walk is the kernel's, one name after the other, for realpath() would not tell which directories it came through. */
#define _GNU_SOURCE
#include "run/process/trust.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "places.h"

#define LINKS_MAX 40            /* as the kernel's limit */

struct walk {
	enum kb_trusted trusted;
	char *at;               /* how far it came, without links; "" is the root directory */
	char rest[2 * PATH_MAX], name[2 * PATH_MAX];    /* what is still to go, and the first name of it */
	unsigned links;
	char *why;
};

/* ---- who ------------------------------------------------------------------------------------------------- */

/* Whether the user owns this program or a directory above it: then it could be another program, too. */
static bool owns_program(uid_t user)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
	struct stat status;

	path[length > 0 ? length : 0] = '\0';
	for (char *slash; path[0]; *slash = '\0') {
		if (lstat(path, &status) == 0 && status.st_uid == user)
			return true;
		slash = strrchr(path, '/');
		if (!slash)
			return false;
	}
	return false;
}

static bool is_trusted(const struct walk *walk, uid_t user)
{
	return user == 0 || user == geteuid() || (walk->trusted == KB_TRUST_OWNER && owns_program(user));
}

/* Where every user has a group of the same name, new files are often writable for that group, which has no other member. */
static bool is_group_trusted(const struct walk *walk, gid_t group)
{
	const struct group *members = getgrgid(group);
	const struct passwd *user;
	bool trusted = members != NULL;

	for (char **name = members ? members->gr_mem : NULL; trusted && name && *name; name++) {
		user = getpwnam(*name);
		trusted = user && is_trusted(walk, user->pw_uid);
	}
	setpwent();
	while (trusted && (user = getpwent()) != NULL)
		trusted = user->pw_gid != group || is_trusted(walk, user->pw_uid);
	endpwent();
	return trusted;
}

static int belongs_to(const struct walk *walk, uid_t user)
{
	const struct passwd *known = getpwuid(user);

	snprintf(walk->why, KB_TRUST_WHY, "%.110s belongs to user %u%s%.32s%s, and not to root or to you: use a copy of your own", walk->at, (unsigned)user,
		 known ? " (" : "", known ? known->pw_name : "", known ? ")" : "");
	return -EPERM;
}

static int is_writable(const struct walk *walk, const char *who, const char *mode)
{
	snprintf(walk->why, KB_TRUST_WHY, "%s can write %.140s: if no one else did, chmod %s it", who, walk->at[0] ? walk->at : "/", mode);
	return -EPERM;
}

/* ---- what ------------------------------------------------------------------------------------------------ */

/* This program lies below it: who can write there need not go through another file. */
static bool is_above_program(const char *directory)
{
	char own[KB_EXE_DIRECTORY_MAX];
	size_t length = strlen(directory);

	kb_exe_directory(own);
	return !strncmp(own, directory, length) && (own[length] == '/' || !own[length]);
}

/* In a directory with the sticky bit users cannot replace files of others; the owner of the file itself is checked next. With an access list
   the bits of the group say no more than what its longest entry allows. */
static int judge(const struct walk *walk, const struct stat *status)
{
	bool sticky = S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX);

	if (walk->trusted == KB_TRUST_OWNER && S_ISDIR(status->st_mode) && is_above_program(walk->at))
		return 0;
	if (!is_trusted(walk, status->st_uid))
		return belongs_to(walk, status->st_uid);
	if (S_ISLNK(status->st_mode) || sticky)
		return 0;
	if (status->st_mode & S_IWOTH)
		return is_writable(walk, "everybody", "o-w");
	if ((status->st_mode & S_IWGRP) &&
	    (getxattr(walk->at, "system.posix_acl_access", NULL, 0) > 0 || !is_group_trusted(walk, status->st_gid)))
		return is_writable(walk, "a group of others", "g-w");
	return 0;
}

/* ---- the walk -------------------------------------------------------------------------------------------- */

/* Takes the next name off what is to go. False: there is none. */
static bool take_name(struct walk *walk)
{
	size_t blank = strspn(walk->rest, "/"), length = strcspn(walk->rest + blank, "/");

	snprintf(walk->name, sizeof walk->name, "%.*s", (int)length, walk->rest + blank);
	memmove(walk->rest, walk->rest + blank + length, strlen(walk->rest + blank + length) + 1);
	return length > 0;
}

static void go_back(struct walk *walk)
{
	char *slash = strrchr(walk->at, '/');

	if (slash)
		*slash = '\0';
}

/* Where the link leads comes before what was still to go. */
static int follow(struct walk *walk)
{
	char target[PATH_MAX], rest[sizeof walk->rest];
	ssize_t length = readlink(walk->at, target, sizeof target - 1);

	if (length < 0)
		return -errno;
	if (++walk->links > LINKS_MAX)
		return -ELOOP;
	target[length] = '\0';
	if (snprintf(rest, sizeof rest, "%s/%s", target, walk->rest) >= (int)sizeof rest)
		return -ENAMETOOLONG;
	strcpy(walk->rest, rest);
	if (target[0] == '/')
		walk->at[0] = '\0';
	else
		go_back(walk);
	return 0;
}

static int step(struct walk *walk)
{
	struct stat status;
	size_t length = strlen(walk->at);
	int error;

	if (!strcmp(walk->name, "."))
		return 0;
	if (!strcmp(walk->name, "..")) {
		go_back(walk);
		return 0;
	}
	if (snprintf(walk->at + length, PATH_MAX - length, "/%s", walk->name) >= (int)(PATH_MAX - length))
		return -ENAMETOOLONG;
	if (lstat(walk->at, &status) < 0)
		return -errno;
	error = judge(walk, &status);
	return error || !S_ISLNK(status.st_mode) ? error : follow(walk);
}

static int begin(struct walk *walk, const char *path)
{
	struct stat status;
	char here[PATH_MAX] = "";

	if (path[0] != '/' && !getcwd(here, sizeof here))
		return -errno;
	if (snprintf(walk->rest, sizeof walk->rest, "%s/%s", here, path) >= (int)sizeof walk->rest)
		return -ENAMETOOLONG;
	walk->at[0] = walk->why[0] = '\0';
	return stat("/", &status) < 0 ? -errno : judge(walk, &status);
}

int kb_trust(const char *path, enum kb_trusted trusted, char real[PATH_MAX], char why[KB_TRUST_WHY])
{
	struct walk walk = { .trusted = trusted, .at = real, .why = why };
	int error = begin(&walk, path);

	while (!error && take_name(&walk))
		error = step(&walk);
	if (!error && !real[0])
		strcpy(real, "/");
	if (error && !why[0])
		snprintf(why, KB_TRUST_WHY, "%.140s: %s", path, strerror(-error));
	return error;
}

int kb_trust_own_part(const char *const *places, unsigned count, char real[PATH_MAX], char why[KB_TRUST_WHY])
{
	char directory[KB_EXE_DIRECTORY_MAX], path[PATH_MAX];
	int error = -ENOENT;

	kb_exe_directory(directory);
	for (unsigned i = 0; i < count && error == -ENOENT; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, places[i]);
		error = kb_trust(path, KB_TRUST_OWNER, real, why);
	}
	return error;
}
