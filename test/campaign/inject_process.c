/* System calls of another process: which file one is about, and half a write in its place. */
#define _GNU_SOURCE
#include "inject.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Where a call's arguments have the directory (-1: it starts from the working directory), the path, and the flags of an open (-1: none). All
   other calls have a descriptor first. Names, because no architecture has them all. */
static const struct shape {
	const char *call;
	int directory, path, flags;
} shapes[] = {
	{ "openat", 0, 1, 2 },
	{ "mkdirat", 0, 1, -1 },
	{ "unlinkat", 0, 1, -1 },
	{ "renameat", 0, 1, -1 },
	{ "renameat2", 0, 1, -1 },
	{ "fchmodat", 0, 1, -1 },
	{ "linkat", 2, 3, -1 },
	{ "symlinkat", 1, 2, -1 },
	{ "open", -1, 0, 1 },
	{ "mkdir", -1, 0, -1 },
	{ "rmdir", -1, 0, -1 },
	{ "unlink", -1, 0, -1 },
	{ "rename", -1, 0, -1 },
	{ "chmod", -1, 0, -1 },
	{ "link", -1, 1, -1 },
	{ "symlink", -1, 1, -1 },
	{ "creat", -1, 0, -1 },
};

static const struct shape *shape_of(const char *call)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		if (!strcmp(shapes[i].call, call))
			return &shapes[i];
	}
	return NULL;
}

static bool read_link(pid_t pid, const char *what, int number, char *path, size_t size)
{
	char link[64];

	snprintf(link, sizeof link, number < 0 ? "/proc/%d/%s" : "/proc/%d/%s/%d", pid, what, number);
	ssize_t length = readlink(link, path, size - 1);

	path[length > 0 ? length : 0] = '\0';
	return length > 0;
}

/* A string of another process: it may stand at the end of what is mapped, so page by page. */
static bool read_text(pid_t pid, __u64 address, char *text, size_t size)
{
	size_t length = 0;

	memset(text, 0, size);
	while (length < size - 1 && !memchr(text, 0, length)) {
		size_t part = 4096 - (address + length) % 4096;

		part = part < size - 1 - length ? part : size - 1 - length;
		struct iovec here = { text + length, part }, there = { (void *)(uintptr_t)(address + length), part };

		if (process_vm_readv(pid, &here, 1, &there, 1, 0) <= 0)
			return false;
		length += part;
	}
	return true;
}

static bool path_of(pid_t pid, const struct shape *shape, const __u64 arguments[], char *path, size_t size)
{
	char name[2048], from[2048];
	int directory = shape->directory < 0 ? AT_FDCWD : (int)arguments[shape->directory];

	if (!read_text(pid, arguments[shape->path], name, sizeof name))
		return false;
	if (name[0] == '/')
		return snprintf(path, size, "%s", name) > 0;
	if (!read_link(pid, directory == AT_FDCWD ? "cwd" : "fd", directory == AT_FDCWD ? -1 : directory, from,
		    sizeof from))
		return false;
	return snprintf(path, size, "%s/%s", from, name) > 0;
}

bool changes_below(pid_t pid, const char *call, const __u64 arguments[], const char *below)
{
	const struct shape *shape = shape_of(call);
	char path[8192];

	/* An open that only reads is none that a full disk refuses. */
	if (shape && shape->flags >= 0 && !(arguments[shape->flags] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)))
		return false;
	if (shape ? !path_of(pid, shape, arguments, path, sizeof path)
		  : !read_link(pid, "fd", (int)arguments[0], path, sizeof path))
		return false;
	return !strncmp(path, below, strlen(below));
}

long write_half(pid_t pid, const __u64 arguments[], bool at_offset)
{
	size_t length = arguments[2] > 1 ? arguments[2] / 2 : arguments[2];
	char *half = malloc(length + 1);
	struct iovec here = { half, length }, there = { (void *)(uintptr_t)arguments[1], length };
	int process = (int)syscall(SYS_pidfd_open, pid, 0),
	    fd = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, (int)arguments[0], 0);
	ssize_t done = -1;

	if (fd >= 0 && half && process_vm_readv(pid, &here, 1, &there, 1, 0) == (ssize_t)length)
		done = at_offset ? pwrite(fd, half, length, (off_t)arguments[3]) : write(fd, half, length);
	if (done < 0)
		done = -errno;
	free(half);
	close(fd);
	close(process);
	return done;
}
