/*
 * Files made and removed again, pass after pass, in the directory in which this runs and in one of a file system in memory, written by
 * hand. ext4 without a journal gives out no inode that was removed in the last minutes, and looks at each of them first.
 * files [CPU]; test/lmbench.py --why builds and runs it, doc/lmbench.md reads it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FILES 1024
#define PASSES 4

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static const char *name_of(int i)
{
	static char name[16];

	snprintf(name, sizeof name, "f%d", i);
	return name;
}

static void create(void)
{
	for (int i = 0; i < FILES; i++) {
		int fd = open(name_of(i), O_WRONLY | O_CREAT | O_EXCL, 0600);

		if (fd < 0) {
			perror("open");
			exit(1);
		}
		close(fd);
	}
}

static void remove_files(void)
{
	for (int i = 0; i < FILES; i++)
		unlink(name_of(i));
}

static void show(const char *what, const char *parent)
{
	char directory[PATH_MAX + 32];

	snprintf(directory, sizeof directory, "%s/lmbench_files.XXXXXX", parent);
	if (!mkdtemp(directory) || chdir(directory)) {
		perror(directory);
		exit(1);
	}
	for (int pass = 1; pass <= PASSES; pass++) {
		double start = now(), made;

		create();
		made = now();
		remove_files();
		printf("%s, pass %d: a file made %9.2f us, removed %9.2f us\n", what, pass, (made - start) / FILES, (now() - made) / FILES);
		fflush(stdout);
	}
	if (chdir("..") || rmdir(directory))
		perror(directory);
}

int main(int argc, char **argv)
{
	char here[PATH_MAX];
	cpu_set_t cpus;

	if (argc > 1) {
		CPU_ZERO(&cpus);
		CPU_SET((size_t)atoi(argv[1]), &cpus);
		sched_setaffinity(0, sizeof cpus, &cpus);
	}
	if (!getcwd(here, sizeof here)) {
		perror("getcwd");
		return 1;
	}
	show("on disk", here);
	if (!access("/dev/shm", W_OK))
		show("in memory", "/dev/shm");
	return 0;
}
