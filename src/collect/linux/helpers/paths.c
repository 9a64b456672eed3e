/* A file so many names below the working directory, for calls that look names up. */
#include "collect/linux/context.h"
#include "kbench_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int kb_scratch_path(struct kb_run *run, unsigned depth, char path[KB_SCRATCH_PATH])
{
	const char *directory = kb_scratch_folder(run);
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
