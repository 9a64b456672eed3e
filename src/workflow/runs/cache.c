/* See cache.h. Only directories that nobody else can write to are touched: a name in another one may be exchanged while it is looked at. */
#define _GNU_SOURCE
#include "workflow/runs/cache.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "places.h"
#include "run/backend/sel4.h"
#include "run/process/trust.h"
#include "scratch.h"

#define DAYS_UNUSED 30

/* ---- what is stale -------------------------------------------------------------------------------------- */

/* A build may be working there. */
static bool is_fresh(const char *path)
{
	struct stat facts;

	return lstat(path, &facts) < 0 || facts.st_mtime > time(NULL) - 3600;
}

static bool is_gone_kernel(const char *path, const char *release)
{
	struct utsname names;
	char modules[PATH_MAX];

	(void)path;
	snprintf(modules, sizeof modules, "/lib/modules/%s", release);
	return uname(&names) == 0 && strcmp(names.release, release) != 0 && access(modules, F_OK) < 0;
}

static bool is_other_image(const char *path, const char *name)
{
	(void)name;
	return !kb_sel4_image_fits(path);
}

/* Each version of a program leaves one behind. */
static bool is_unused(const char *path, const char *name)
{
	time_t then = time(NULL) - DAYS_UNUSED * 24 * 3600;
	struct stat facts;

	(void)name;
	return lstat(path, &facts) == 0 && facts.st_mtime < then && facts.st_atime < then;
}

static const struct { const char *name, *stale_when; bool (*is_stale)(const char *path, const char *name); } caches[KB_CACHES] = {
	{ "kernel", "of kernels that are not installed", is_gone_kernel },
	{ "sel4", "of other versions of kbench", is_other_image },
	{ "yamba", "not used for 30 days", is_unused },
};

/* ---- walking -------------------------------------------------------------------------------------------- */

static int64_t walked;          /* bytes; nftw passes nothing through */

static int count_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
	(void)path, (void)where;
	walked += kind == FTW_F ? facts->st_size : 0;
	return 0;
}

static void tidy_entry(const char *path, bool stale, bool dry, const struct kb_notes *notes, struct kb_cache_size *size)
{
	int error = 0;

	walked = 0;
	nftw(path, count_one, 16, FTW_PHYS);
	size->entries++;
	size->bytes += walked;
	if (stale && !dry)
		error = kb_remove_tree(path);
	if (error)
		kb_note(notes, "cannot remove %.300s: %s", path, strerror(-error));
	if (!stale || error)
		return;
	size->stale++;
	size->stale_bytes += walked;
}

static int is_no_dot(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void tidy_cache(unsigned which, bool dry, const struct kb_notes *notes, struct kb_cache_size *size)
{
	char directory[PATH_MAX], real[PATH_MAX], why[KB_TRUST_WHY], path[PATH_MAX + NAME_MAX + 2];
	struct dirent **entries = NULL;
	int count = 0, error;

	*size = (struct kb_cache_size){ .name = caches[which].name, .stale_when = caches[which].stale_when };
	if (!kb_cache_directory(directory, caches[which].name) || access(directory, F_OK) < 0)
		return;
	error = kb_trust(directory, KB_TRUST_US, real, why);
	if (!error)
		count = scandir(real, &entries, is_no_dot, alphasort);
	if (error || count < 0)
		kb_note(notes, "left as it is: %.300s: %s", directory, error == -EPERM ? why : strerror(error ? -error : errno));
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof path, "%s/%s", real, entries[i]->d_name);
		tidy_entry(path, !is_fresh(path) && caches[which].is_stale(path, entries[i]->d_name), dry, notes, size);
		free(entries[i]);
	}
	free(entries);
}

void kb_caches_tidy(bool dry, const struct kb_notes *notes, struct kb_cache_size sizes[KB_CACHES])
{
	for (unsigned i = 0; i < KB_CACHES; i++)
		tidy_cache(i, dry, notes, &sizes[i]);
}
