/* For tests of what is undone: a directory with something to remove, a setting that was changed and one to be left alone. */
#ifndef TEST_UNIT_RUN_PLACE_H
#define TEST_UNIT_RUN_PLACE_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io.h"

struct place { char directory[64], inner[96], setting[96], keep[96], id[40]; };

static inline void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(kb_write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static inline struct place make_place(void)
{
	struct place place = { .directory = "/tmp/kbench-guardian-XXXXXX" };
	char deep[128];

	assert_non_null(mkdtemp(place.directory));
	snprintf(place.inner, sizeof place.inner, "%s/scratch", place.directory);
	snprintf(place.setting, sizeof place.setting, "%s/setting", place.directory);
	snprintf(place.keep, sizeof place.keep, "%s/keep", place.directory);
	snprintf(place.id, sizeof place.id, "test-%d-%s", (int)getpid(), strrchr(place.directory, '-') + 1);
	mkdir(place.inner, 0700);
	snprintf(deep, sizeof deep, "%s/deep", place.inner);
	mkdir(deep, 0700);
	snprintf(deep, sizeof deep, "%s/deep/file", place.inner);
	write_text(deep, "of the run");
	/* Values have one length: a file of /proc or /sys is not cut before it is written. */
	write_text(place.setting, "changed");
	write_text(place.keep, "kept");
	return place;
}

static inline int remove_one(const char *path, const struct stat *info, int type, struct FTW *walk)
{
	(void)info, (void)type, (void)walk;
	return remove(path);
}

static inline void drop_place(const struct place *place)
{
	nftw(place->directory, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static inline bool gone(const char *path)
{
	return access(path, F_OK) < 0 && errno == ENOENT;
}

static inline bool holds(const char *path, const char *text)
{
	char found[64];

	return kb_read_file(path, found, sizeof found) >= 0 && !strcmp(found, text);
}

#endif
