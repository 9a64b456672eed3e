/* See scratch.h. */
#define _GNU_SOURCE
#include "assemble/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRIES 40        /* a tenth of a second each: a compiler that outlives us may still be writing */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	remove(path);
	return 0;
}

/* What is below goes before what it is in. */
static void remove_all(const char *path)
{
	nftw(path, remove_one, 4, FTW_DEPTH | FTW_PHYS);
}

/* In a session of its own: Ctrl-C reaches all processes of the terminal's group. Nothing that others wait for stays open. */
static _Noreturn void keep(const char *path, int line)
{
	const struct timespec pause = { .tv_nsec = 100000000 };
	char byte;

	setsid();
	dup2(line, 0);
	close_range(1, ~0u, 0);
	while (read(0, &byte, 1) < 0 && errno == EINTR)
		continue;
	for (int i = 0; i < TRIES && access(path, F_OK) == 0; i++) {
		if (i)
			nanosleep(&pause, NULL);
		remove_all(path);
	}
	_exit(0);
}

int kb_scratch_open(struct kb_scratch *scratch, char *path)
{
	int ends[2];

	*scratch = (struct kb_scratch){ .path = path, .line = -1, .keeper = -1 };
	if (!mkdtemp(path))
		return -errno;
	if (pipe2(ends, O_CLOEXEC))
		return 0;
	scratch->keeper = fork();
	if (scratch->keeper == 0) {
		close(ends[1]);
		keep(path, ends[0]);
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
	if (scratch->keeper < 0) {
		remove_all(scratch->path);
		return;
	}
	close(scratch->line);
	while (waitpid(scratch->keeper, NULL, 0) < 0 && errno == EINTR)
		continue;
}
