/* Directories and devices for benchmarks of files: in memory or on a disk, counted, emptied, and what lies below them. */
#define _GNU_SOURCE
#include "collect/linux/context.h"

#include <kbench_files.h>
#include <kbench_parties.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define MEMORY_OPTIONS "size=256m,mode=700"     /* more than any benchmark writes, and it is charged only when used */

/* The mount is seen by this process alone and goes with it. */
static int mount_memory(struct kb_run *run, const char *path)
{
	int error = kb_private(run, KB_PRIVATE_MOUNTS);

	if (error)
		return error;
	if (mount("kbench", path, "tmpfs", MS_NOSUID | MS_NODEV, MEMORY_OPTIONS))
		return kb_skip(run, "cannot mount a file system in memory: %s; try on=disk", strerror(errno));
	return 0;
}

/*
 * Where ext4 has no journal, it makes no file in the place of one that was removed in the last minutes, and looks past each of these
 * in that part of the disk: a new file would cost what others have removed there, up to a hundred times its own cost. Below a directory
 * of this flag each directory gets a part of the disk of its own, by its name. Other file systems refuse the flag, or do not care.
 */
static int spread(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), flags = 0;

	if (fd >= 0 && ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
		flags |= FS_TOPDIR_FL;
		ioctl(fd, FS_IOC_SETFLAGS, &flags);
	}
	return fd;
}

static int open_on_disk(struct kb_run *run, const char *path)
{
	int above = spread(path), directory = -1, error;
	char name[24];

	snprintf(name, sizeof name, "%016llx", (unsigned long long)run->seed);
	if (above >= 0 && mkdirat(above, name, 0700) == 0)
		directory = openat(above, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	error = errno;
	close(above);
	errno = error;
	return directory;
}

int kb_scratch_on(struct kb_run *run, const char *on, int *directory)
{
	const char *path = kb_scratch_directory(run);
	bool memory = !strcmp(on, "memory");
	struct statfs system;
	int error = !path ? -EIO : memory ? mount_memory(run, path) : 0;

	if (error)
		return error;
	*directory = memory ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : open_on_disk(run, path);
	if (*directory < 0)
		return kb_fail(run, errno, "open of the directory %s", path);
	if (!memory && fstatfs(*directory, &system) == 0 && (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC))
		return kb_skip(run, "the scratch directory is in memory, on=disk needs TMPDIR on a disk");
	return 0;
}

int kb_scratch_file_on(struct kb_run *run, const char *on, int *fd)
{
	int directory, error = kb_scratch_on(run, on, &directory);

	if (error)
		return error;
	*fd = openat(directory, "file", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (*fd < 0 || fchdir(directory))
		error = kb_fail(run, errno, "creating a file in the scratch directory");
	close(directory);
	return error;
}

/* Each entry is counted, and removed if so asked. */
static long each_entry(int directory, bool remove)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	long count = 0;

	if (!stream)
		return -errno;
	while ((entry = readdir(stream))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		count++;
		if (remove && unlinkat(directory, entry->d_name, 0) && unlinkat(directory, entry->d_name, AT_REMOVEDIR))
			count = -1 - errno;
		if (count < 0)
			break;
	}
	closedir(stream);
	return count;
}

int kb_directory_holds(struct kb_run *run, int directory, uint64_t entries)
{
	long count = each_entry(directory, false);

	if (count >= 0 && (uint64_t)count == entries)
		return 0;
	return count < 0 ? kb_fail(run, (int)-count, "reading the scratch directory") :
	                   kb_fail(run, EPROTO, "the directory holds %ld entries, not %llu", count, (unsigned long long)entries);
}

int kb_directory_empty(struct kb_run *run, int directory)
{
	long count = each_entry(directory, true);

	return count < 0 ? kb_fail(run, EIO, "emptying the scratch directory") : 0;
}

int kb_open_evicted(struct kb_run *run, int file)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/self/fd/%d", file);

	int fd = open(path, O_RDONLY | O_CLOEXEC), error = fd < 0 ? errno : posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);

	return error ? kb_fail(run, error, "evicting the scratch file") : fd;
}

/* A partition has the counters of its own, and the queue of the disk that it is part of. */
int kb_device_of(int fd, const char *attribute, char *text, size_t room)
{
	struct stat status;
	char path[128];
	ssize_t got = -1;

	if (fstat(fd, &status) < 0)
		return -errno;

	dev_t device = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;

	for (int up = 0; up < 2 && got <= 0; up++) {
		snprintf(path, sizeof path, "/sys/dev/block/%u:%u/%s%s", major(device), minor(device), up ? "../" : "", attribute);

		int file = open(path, O_RDONLY | O_CLOEXEC);

		if (file < 0)
			continue;
		got = read(file, text, room - 1);
		close(file);
	}
	if (got <= 0)
		return -ENODEV;
	text[got] = '\0';
	return 0;
}

/* The kernel tells the name that it gave the device; udev may have added others. */
static int device_below(struct kb_run *run, char *path, size_t room)
{
	const char *directory = kb_scratch_directory(run);
	char text[512], *name = NULL;
	int fd = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	if (fd < 0)
		return kb_fail(run, errno, "open of the scratch directory");
	if (kb_device_of(fd, "uevent", text, sizeof text) == 0)
		name = strstr(text, "DEVNAME=");
	close(fd);
	if (!name)
		return kb_skip(run, "the scratch directory is not on a single block device; name one with -p device=/dev/NAME");
	snprintf(path, room, "/dev/%.*s", (int)strcspn(name + 8, "\n"), name + 8);
	return 0;
}

int kb_device_open(struct kb_run *run, const char *device, int *fd)
{
	char path[256];
	struct stat status;
	int error = 0;

	snprintf(path, sizeof path, "%s", device);
	if (!strcmp(device, "below"))
		error = device_below(run, path, sizeof path);
	if (error)
		return error;
	*fd = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	if (*fd < 0)
		return kb_skip(run, "cannot read %s: %s", path, strerror(errno));
	if (fstat(*fd, &status) || !S_ISBLK(status.st_mode))
		return kb_fail(run, ENOTBLK, "%s", path);
	return 0;
}

/* Field 5 is writes, 16 flushes; a kernel before 5.5 has no flushes. */
int kb_device_writes(int fd, uint64_t *writes)
{
	char text[512];
	char *at = text, *end;
	int error = kb_device_of(fd, "stat", text, sizeof text);

	if (error)
		return error;
	*writes = 0;
	for (unsigned field = 1; field <= 16; field++, at = end) {
		uint64_t value = strtoull(at, &end, 10);

		if (end == at)
			return field > 5 ? 0 : -ENODEV;
		*writes += field == 5 || field == 16 ? value : 0;
	}
	return 0;
}

uint64_t kb_blocks(int direction)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)(direction ? usage.ru_oublock : usage.ru_inblock);
}

/* A file so many names below the working directory, for calls that look names up. */
int kb_scratch_path(struct kb_run *run, unsigned depth, char path[KB_SCRATCH_PATH])
{
	const char *directory = kb_scratch_directory(run);
	int fd;

	if (!directory)
		return errno > 0 ? -errno : -EIO;
	if (depth < 1 || 2 * depth > KB_SCRATCH_PATH || chdir(directory))
		return kb_fail(run, errno, "cannot go to %s, or %u names are too many", directory, depth);
	path[0] = '\0';
	while (--depth > 0) {
		strcat(path, "d/");
		if (mkdir(path, 0700))
			return kb_fail(run, errno, "cannot create the directory %s", path);
	}
	strcat(path, "f");
	fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	return fd < 0 || close(fd) ? kb_fail(run, errno, "cannot create the file %s", path) : 0;
}
