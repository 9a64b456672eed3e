/* See capability.h: tracefs and perf events. Whatever is made lies in an instance of our own, which goes with all in it. */
#define _GNU_SOURCE
#include "run/backend/capability.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io.h"

#define PATH_BYTES 160

/* Where it is mounted: at its own place, or at the older one. */
static const char *mounted(void)
{
	return access("/sys/kernel/tracing/trace_clock", F_OK) == 0 || errno == EACCES ? "/sys/kernel/tracing" :
	       "/sys/kernel/debug/tracing";
}

static int try_open(const char *name, int flags)
{
	char path[PATH_BYTES];

	snprintf(path, sizeof path, "%s/%s", mounted(), name);

	int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static void mount_missing(const char *path, const char *inside, const char *type)
{
	char file[PATH_BYTES];

	snprintf(file, sizeof file, "%s/%s", path, inside);
	if (access(file, F_OK) < 0 && errno == ENOENT)
		mount("nodev", path, type, 0, NULL);
}

void kb_borrow_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return;
	mount_missing("/sys/kernel/security", "lockdown", "securityfs");
	if (kb_try_tracefs() == -ENOENT)
		mount_missing("/sys/kernel/tracing", "trace_clock", "tracefs");
}

int kb_try_tracefs(void)
{
	return try_open("trace_clock", O_RDONLY);
}

int kb_try_static_events(void)
{
	return try_open("events/sched/sched_switch/enable", O_WRONLY);
}

int kb_try_function_tracer(void)
{
	return try_open("set_ftrace_filter", O_WRONLY | O_APPEND); /* without O_APPEND opening empties it */
}

int kb_try_kprobe_events(void)
{
	return try_open("kprobe_events", O_WRONLY | O_APPEND);
}

static int make_instance(char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "%s/instances/kbench-doctor-%d", mounted(), (int)getpid());
	return mkdir(path, 0700) < 0 ? -errno : 0;
}

int kb_try_instance(void)
{
	char path[PATH_BYTES];
	int error = make_instance(path);

	return error ? error : rmdir(path) < 0 ? -errno : 0;
}

static int write_trigger(const char *instance, const char *trigger)
{
	char path[PATH_BYTES + 48];

	snprintf(path, sizeof path, "%s/events/sched/sched_switch/trigger", instance);

	int fd = open(path, O_WRONLY | O_CLOEXEC), error = fd < 0 ? -errno : kb_write_all(fd, trigger, strlen(trigger));

	if (fd >= 0)
		close(fd);
	return error;
}

int kb_try_histogram(void)
{
	char path[PATH_BYTES];
	int error = make_instance(path);

	if (error)
		return error;
	error = write_trigger(path, "hist:keys=next_pid");
	if (!error)
		write_trigger(path, "!hist:keys=next_pid");
	rmdir(path);
	return error;
}

/* Of this process, the kernel included. */
static int try_event(unsigned type, uint64_t config)
{
	struct perf_event_attr attr;
	long event;

	memset(&attr, 0, sizeof attr);
	attr.size = sizeof attr;
	attr.type = type;
	attr.config = config;
	event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (event < 0)
		return -errno;
	close((int)event);
	return 0;
}

int kb_try_software_event(void)
{
	return try_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
}

int kb_try_hardware_event(void)
{
	return try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
}
