/* See lacking.h. */
#include "lacking.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "caches.h"
#include "control_groups.h"
#include "io.h"

#define ROOM 160        /* with what stands before it, it is to be one line */

static _Thread_local char text[ROOM];

/* -1: none. */
static long long limit_of(int resource)
{
	struct rlimit limit;

	return getrlimit(resource, &limit) || limit.rlim_cur == RLIM_INFINITY ? -1 : (long long)limit.rlim_cur;
}

static const char *memory_lack(void)
{
	long long addresses = limit_of(RLIMIT_AS), data = limit_of(RLIMIT_DATA);

	if (addresses >= 0 && (data < 0 || addresses <= data))
		snprintf(text, sizeof text, "out of memory: %lld MB of addresses are allowed (ulimit -v %lld): raise it", addresses >> 20,
			 addresses >> 10);
	else if (data >= 0)
		snprintf(text, sizeof text, "out of memory: %lld MB of data are allowed (ulimit -d %lld): raise it", data >> 20, data >> 10);
	else
		snprintf(text, sizeof text, "out of memory: %llu MB are available here; end other programs",
			 (unsigned long long)(kb_memory_left() >> 20));
	return text;
}

static void take_pids(void *context, const char *root, const char *directory, bool unified)
{
	char path[512], read[32];
	long *least = context;

	(void)unified;
	snprintf(path, sizeof path, "%s%s/pids.max", root, directory);
	if (kb_read_file(path, read, sizeof read) > 0 && read[0] >= '0' && read[0] <= '9' && (*least < 0 || atol(read) < *least))
		*least = atol(read);
}

static const char *processes_lack(void)
{
	long long processes = limit_of(RLIMIT_NPROC);
	long group = -1;

	kb_control_groups_each("", "pids", take_pids, &group);
	if (group >= 0 && (processes < 0 || group < processes))
		snprintf(text, sizeof text, "too many processes: this control group may have %ld (pids.max): raise it, or end others", group);
	else if (processes >= 0)
		snprintf(text, sizeof text, "too many processes: this user may have %lld (ulimit -u): raise it, or end others", processes);
	else
		snprintf(text, sizeof text, "too many processes: end others");
	return text;
}

const char *kb_descriptors_lack(unsigned needed)
{
	long long descriptors = limit_of(RLIMIT_NOFILE);

	if (descriptors < 0 || descriptors >= needed)
		return NULL;
	snprintf(text, sizeof text, "too few file descriptors: %lld are allowed (ulimit -n), %u are needed: raise it", descriptors, needed);
	return text;
}

const char *kb_stack_lack(unsigned kilobytes)
{
	long long stack = limit_of(RLIMIT_STACK);

	if (stack < 0 || stack >> 10 >= kilobytes)
		return NULL;
	snprintf(text, sizeof text, "the stack is too small: %lld KB are allowed (ulimit -s), %u are needed: raise it", stack >> 10, kilobytes);
	return text;
}

const char *kb_lack(int error)
{
	switch (error) {
	case ENOMEM: return memory_lack();
	case EMFILE:
		snprintf(text, sizeof text, "too few file descriptors: %lld are allowed (ulimit -n): raise it", limit_of(RLIMIT_NOFILE));
		return text;
	case EFBIG: return "a file may not grow so far: raise the limit of its size (ulimit -f)";
	case ENFILE: return "the machine has no more file descriptors: raise fs.file-max, or end other programs";
	default: return strerror(error);
	}
}

const char *kb_start_lack(int error)
{
	return error == EAGAIN ? processes_lack() : kb_lack(error);
}
