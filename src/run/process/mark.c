/* See mark.h. */
#define _GNU_SOURCE
#include "run/process/mark.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io.h"

#define ROUNDS 50               /* new processes may appear while the old ones are killed */
#define PAUSE_NS 20000000
#define HIGHEST (UINT64_C(1) << 62)

/* FNV-1a of the id. */
static rlim_t mark_of(const char *run_id)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (; *run_id; run_id++)
		hash = (hash ^ (unsigned char)*run_id) * UINT64_C(1099511628211);
	return (rlim_t)(HIGHEST | (hash % HIGHEST));
}

int kb_mark(const char *run_id)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_LOCKS, &limit) < 0)
		return -errno;
	limit.rlim_cur = run_id ? mark_of(run_id) : limit.rlim_max;
	return setrlimit(RLIMIT_LOCKS, &limit) < 0 ? -errno : 0;
}

static bool carries(pid_t pid, rlim_t mark)
{
	static const char name[] = "Max file locks";
	char path[32], text[4096];

	snprintf(path, sizeof path, "/proc/%d/limits", (int)pid);
	const char *line = kb_read_file(path, text, sizeof text) > 0 ? strstr(text, name) : NULL;

	return line && strtoull(line + sizeof name - 1, NULL, 10) == mark;
}

/* One that is dead already waits for its parent only. */
static bool lives(pid_t pid)
{
	char path[32], text[512];

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	const char *state = kb_read_file(path, text, sizeof text) > 0 ? strrchr(text, ')') : NULL;

	return state && state[1] && state[2] != 'Z' && state[2] != 'X';
}

/* Returns how many there were. */
static unsigned kill_carriers(rlim_t mark, pid_t spared)
{
	DIR *proc = opendir("/proc");
	unsigned found = 0;

	for (struct dirent *entry; proc && (entry = readdir(proc));) {
		pid_t pid = (pid_t)atoi(entry->d_name);

		if (pid > 1 && pid != getpid() && pid != spared && carries(pid, mark) && lives(pid))
			found += kill(pid, SIGKILL) == 0;
	}
	if (proc)
		closedir(proc);
	return found;
}

void kb_mark_hunt(const char *run_id, pid_t spared)
{
	for (int round = 0; round < ROUNDS && kill_carriers(mark_of(run_id), spared) > 0; round++)
		kb_sleep_ns(PAUSE_NS);
}
