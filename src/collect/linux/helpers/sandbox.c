/* What a process may leave behind, in places that vanish with it: files, names, networks of its own; and the programs that it executes. */
#define _GNU_SOURCE
#include "collect/linux/context.h"
#include "kbench_files.h"
#include "kbench_parties.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io.h"

/* Zeros are written, not left as a hole: a hole has no blocks and its pages never come from the disk. */
static int write_zeros(int fd, uint64_t bytes)
{
	static const char zeros[65536];

	for (uint64_t done = 0; done < bytes;) {
		size_t count = bytes - done < sizeof zeros ? (size_t)(bytes - done) : sizeof zeros;
		int error = kb_write_all(fd, zeros, count);

		if (error)
			return error;
		done += count;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

int kb_scratch_file(struct kb_run *run, uint64_t bytes, int *fd)
{
	const char *directory = run->context->options->scratch;
	char path[512];

	*fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd < 0) { /* a file system without O_TMPFILE: the name is gone at once */
		snprintf(path, sizeof path, "%s/file-XXXXXX", directory);
		*fd = mkostemp(path, O_CLOEXEC);
		if (*fd < 0)
			return kb_fail(run, errno, "cannot create a file in %s", directory);
		unlink(path);
	}

	int error = write_zeros(*fd, bytes);

	if (!error)
		return 0;
	close(*fd);
	*fd = -1;
	return kb_fail(run, -error, "cannot write %llu bytes in %s", (unsigned long long)bytes, directory);
}

const char *kb_scratch_directory(struct kb_run *run)
{
	struct kb_context *context = run->context;

	if (context->directory[0])
		return context->directory;
	/* Not by process number: a run that forks much comes round to the same ones. */
	snprintf(context->directory, sizeof context->directory, "%s/process-XXXXXX", context->options->scratch);
	if (mkdtemp(context->directory))
		return context->directory;
	kb_fail(run, errno, "cannot create the directory %s", context->directory);
	context->directory[0] = '\0';
	return NULL;
}

static int loopback_up(void)
{
	struct ifreq request = { .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), error;

	if (fd < 0)
		return -errno;
	strcpy(request.ifr_name, "lo");
	error = ioctl(fd, SIOCSIFFLAGS, &request) < 0 ? -errno : 0;
	close(fd);
	return error;
}

/* In a user namespace files can be made only by users that it knows: this one, under its own number. */
static int keep_user(uid_t user, gid_t group)
{
	char users[64], groups[64];

	snprintf(users, sizeof users, "%u %u 1", user, user);
	snprintf(groups, sizeof groups, "%u %u 1", group, group);
	kb_write_file("/proc/self/setgroups", "deny");     /* older kernels have no such file, and ask for nothing */
	return kb_write_file("/proc/self/uid_map", users) ?: kb_write_file("/proc/self/gid_map", groups);
}

/* Without root a user namespace gives the right to the others; there this process keeps its rights to its own files. */
int kb_private(struct kb_run *run, unsigned what)
{
	int flags = (geteuid() ? CLONE_NEWUSER : 0) | (what & KB_PRIVATE_IPC ? CLONE_NEWIPC : 0) |
	            (what & KB_PRIVATE_NETWORK ? CLONE_NEWNET : 0) | (what & KB_PRIVATE_MOUNTS ? CLONE_NEWNS : 0);
	uid_t user = geteuid();
	gid_t group = getegid();

	if (unshare(flags) || (user && keep_user(user, group)))
		return kb_skip(run, "cannot have a namespace of its own here: %s", strerror(errno));
	if ((what & KB_PRIVATE_MOUNTS) && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return kb_skip(run, "cannot have mounts of its own here: %s", strerror(errno));

	int error = what & KB_PRIVATE_NETWORK ? loopback_up() : 0;

	return error ? kb_skip(run, "cannot start a loopback of its own: %s", strerror(-error)) : 0;
}

/* In a directory with the sticky bit others can put a file next to the collector that they cannot exchange. */
static bool is_ours(const char *path)
{
	struct stat program, own;

	return stat(path, &program) == 0 && stat("/proc/self/exe", &own) == 0 && !(program.st_mode & S_IWOTH) &&
	       (program.st_uid == own.st_uid || program.st_uid == 0 || program.st_uid == geteuid());
}

/* Programs are next to the collector, in the build directory and after `make install` alike. */
const char *kb_program(struct kb_run *run, const char *name)
{
	static char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);

	if (length < 0) {
		kb_fail(run, errno, "finding the program %s", name);
		return NULL;
	}
	path[length] = '\0';

	char *slash = strrchr(path, '/');

	snprintf(slash + 1, 64, "kbench-%s", name);
	if (access(path, X_OK) < 0)
		kb_fail(run, errno, "cannot run %s", path);
	else if (!is_ours(path))
		kb_fail(run, EPERM, "%s belongs to another user, or every user can write to it", path);
	else
		return path;
	return NULL;
}

/* ---- child processes, known by the exit code that only the right one leaves -------------------------- */

int kb_reap(struct kb_run *run, int child, int code)
{
	int status;
	pid_t got;

	do
		got = waitpid(child, &status, 0);
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return kb_fail(run, errno, "wait for child %d", child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == code)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == KB_EXECUTE_FAILED)
		return kb_fail(run, ENOENT, "child %d did not find its program (exit code %d)", child, KB_EXECUTE_FAILED);
	return kb_fail(run, ECHILD, "child %d ended with status %#x, expected exit code %d", child, (unsigned)status, code);
}

/* The collector's own input is the plan and its output the record: a program must see neither. */
int kb_execute(struct kb_run *run, char *const argv[], int code)
{
	static int null = -1;           /* opened by the first, a warm-up */
	pid_t child;

	if (null < 0)
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null < 0)
		return kb_fail(run, errno, "open of /dev/null");
	child = fork();
	if (child < 0)
		return kb_fail(run, errno, "fork");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (dup2(null, STDIN_FILENO) >= 0 && dup2(null, STDOUT_FILENO) >= 0)
			execvp(argv[0], argv);
		_exit(KB_EXECUTE_FAILED);
	}
	kb_part(run);
	return kb_reap(run, child, code);
}
