/*
 * Loaded into kbench, its guardian and its collectors: a kernel that has modules. What /sys/module would show lies in the directory
 * KB_FAKE_MODULES, and "loading" a file makes a directory there. /dev/kbench is there while kbench is, has one opener at a time, and
 * whoever has it open uses all modules. KB_FAKE_SLOW: milliseconds before it is opened. What it does is device.c's business.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NEXT(name) ((typeof(&(name)))(uintptr_t)dlsym(RTLD_NEXT, #name))

static const char *mapped(const char *path, char room[PATH_MAX])
{
	static const char sys[] = "/sys/module";
	const char *ours = getenv("KB_FAKE_MODULES");

	if (!ours || strncmp(path, sys, sizeof sys - 1))
		return path;
	snprintf(room, PATH_MAX, "%s%s", ours, path + sizeof sys - 1);
	return room;
}

static bool exists(const char *name)
{
	char path[PATH_MAX];

	return NEXT(access)(mapped(name, path), F_OK) == 0;
}

static int in_use(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof path, "%s.in_use", getenv("KB_FAKE_MODULES"));
	return NEXT(open)(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

int open(const char *path, int flags, ...)
{
	char room[PATH_MAX];
	va_list list;

	va_start(list, flags);
	int mode = flags & O_CREAT ? va_arg(list, int) : 0;

	va_end(list);
	if (!getenv("KB_FAKE_MODULES") || strcmp(path, "/dev/kbench"))
		return NEXT(open)(mapped(path, room), flags, mode);
	if (getenv("KB_FAKE_SLOW"))
		usleep((useconds_t)atoi(getenv("KB_FAKE_SLOW")) * 1000);
	if (!exists("/sys/module/kbench")) {
		errno = ENOENT;
		return -1;
	}
	int use = in_use();     /* until this process ends */

	if (flock(use, LOCK_EX | LOCK_NB) < 0) {
		close(use);
		errno = EBUSY;
		return -1;
	}
	return NEXT(open)(getenv("KB_FAKE_DEVICE"), flags, mode);
}

int access(const char *path, int mode)
{
	char room[PATH_MAX];

	return NEXT(access)(getenv("KB_FAKE_MODULES") && !strcmp(path, "/dev/kbench") ? mapped("/sys/module/kbench", room) :
	                    mapped(path, room), mode);
}

int scandir(const char *path, struct dirent ***entries, int (*filter)(const struct dirent *),
            int (*compare)(const struct dirent **, const struct dirent **))
{
	char room[PATH_MAX];

	return NEXT(scandir)(mapped(path, room), entries, filter, compare);
}

static int put(const char *directory, const char *name, const char *text)
{
	char path[PATH_MAX + 32];

	snprintf(path, sizeof path, "%s/%s", directory, name);
	int fd = NEXT(open)(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd >= 0 && write(fd, text, strlen(text)) >= 0 ? close(fd) : -1;
}

/* The line of /sys that goes with "version=" at the end of the file's text. */
static const char *version_of(const char *text, char line[32])
{
	const char *version = strstr(text, "version=");

	snprintf(line, 32, "%.20s\n", version ? version + strlen("version=") : "");
	return line;
}

/* The directory of a module on its way in or out, which is none that is there. */
static void hidden(char path[PATH_MAX + 32], const char *name, const char *way)
{
	snprintf(path, PATH_MAX + 32, "%s/.%s.%s-%d", getenv("KB_FAKE_MODULES"), name, way, (int)getpid());
}

/* Its name is that of the file, its build and its version the file's text. */
static int load(int fd)
{
	char link[64], file[PATH_MAX] = "", place[PATH_MAX], part[PATH_MAX + 32], notes[PATH_MAX + 64], text[128] = "", version[32];

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	if (readlink(link, file, sizeof file - 1) < 0 || pread(fd, text, sizeof text - 1, 0) < 0)
		return ENOEXEC;
	snprintf(place, sizeof place, "%s/%.50s", getenv("KB_FAKE_MODULES"), strrchr(file, '/') + 1);
	*strrchr(place, '.') = '\0';
	hidden(part, strrchr(place, '/') + 1, "part");
	snprintf(notes, sizeof notes, "%s/notes", part);
	if (mkdir(part, 0700) || mkdir(notes, 0700) || put(part, "initstate", "live\n") || put(part, "uevent", "") ||
	    put(part, "version", version_of(text, version)) || put(notes, ".note.gnu.build-id", text))
		return ENOMEM;
	if (rename(part, place) == 0)
		return 0;
	snprintf(place, sizeof place, "rm -r '%.3000s'", part);
	return system(place) ? ENOMEM : EEXIST;
}

static int drop(const char *name)
{
	char place[PATH_MAX], gone[PATH_MAX + 32], command[2 * PATH_MAX];
	int use = in_use(), error = 0;

	snprintf(place, sizeof place, "%s/%s", getenv("KB_FAKE_MODULES"), name);
	hidden(gone, name, "gone");
	if (flock(use, LOCK_EX | LOCK_NB) < 0)
		error = EAGAIN;
	else if (rename(place, gone) < 0)
		error = ENOENT;
	close(use);
	snprintf(command, sizeof command, "rm -r '%s'", gone);
	return error ? error : system(command) ? EIO : 0;
}

long syscall(long number, ...)
{
	va_list list;
	long a[6];
	int error;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (!getenv("KB_FAKE_MODULES") || (number != SYS_init_module && number != SYS_finit_module && number != SYS_delete_module))
		return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	if (number == SYS_init_module)
		error = ENOEXEC;
	else
		error = number == SYS_finit_module ? load((int)a[0]) : drop((const char *)(uintptr_t)a[0]);
	errno = error;
	return error ? -1 : 0;
}
