/* See capability.h: the table, and what answers mean. */
#define _GNU_SOURCE
#include "run/backend/capability.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "env/source.h"
#include "run/backend/kernel.h"
#include "trace/bpf.h"

/* ---- modules ------------------------------------------------------------------------------------------- */

static int try_modules(void)
{
	char why[KB_KERNEL_WHY];

	return kb_kernel_try(why);
}

static int try_headers(void)
{
	struct utsname names;
	char path[PATH_MAX];

	uname(&names);
	snprintf(path, sizeof path, "/lib/modules/%s/build/Makefile", names.release);
	return access(path, R_OK) < 0 ? -errno : 0;
}

static int try_compiler(void)
{
	char why[KB_KERNEL_WHY];

	return kb_kernel_tools(why);
}

static int try_built(void)
{
	char path[PATH_MAX], why[KB_KERNEL_WHY];

	return kb_kernel_find(KB_KERNEL_MODULE, path, why);
}

static int try_device(void)
{
	int fd = open(kb_kernel_device(), O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static bool read_lockdown(char word[KB_SOURCE_NAME])
{
	struct kb_fact_source machine = { "" };

	return kb_source_choice(&machine, "/sys/kernel/security/lockdown", word, KB_SOURCE_NAME);
}

static int try_lockdown(void)
{
	char word[KB_SOURCE_NAME];

	if (!read_lockdown(word))
		return access("/sys/kernel/security/lockdown", R_OK) < 0 ? -errno : -EINVAL;
	return strcmp(word, "none") == 0 ? 0 : -EPERM;
}

/* ---- what answers mean ---------------------------------------------------------------------------------- */

static const char *why_modules(int error)
{
	static char why[KB_KERNEL_WHY];
	const char *words;

	(void)error;
	kb_kernel_try(why);
	words = strrchr(why, ':') ? strstr(why, ": ") : NULL; /* "cannot load modules: ENOSYS: words" */
	words = words ? strstr(words + 2, ": ") : NULL;
	return words ? words + 2 : why;
}

static const char *why_headers(int error)
{
	(void)error;
	return "the headers of this kernel are not installed";
}

static const char *why_tools(int error)
{
	static char why[KB_KERNEL_WHY];

	(void)error;
	kb_kernel_tools(why);
	return why;
}

static const char *why_built(int error)
{
	(void)error;
	return "no modules of kbench were built for this kernel";
}

static const char *why_device(int error)
{
	switch (error) {
	case ENOENT: case ENODEV: case ENXIO: return "the module kbench is not loaded";
	case EBUSY: return "another process measures there now";
	default: return "measuring in the kernel needs root";
	}
}

static const char *why_lockdown(int error)
{
	static char why[KB_SOURCE_NAME + 64], word[KB_SOURCE_NAME];

	if (error == ENOENT)
		return "securityfs is not mounted, or this kernel knows no lockdown: nothing is closed by it then";
	if (error == EACCES || !read_lockdown(word))
		return "only root can read it";
	snprintf(why, sizeof why, "lockdown is '%s': parts of this kernel are closed to root, too", word);
	return why;
}

static const char *why_bpf(int error)
{
	static char word[KB_SOURCE_NAME];

	return kb_bpf_why(error, geteuid() == 0, read_lockdown(word) ? word : NULL);
}

static const char *why_files(int error)
{
	static char word[KB_SOURCE_NAME];

	switch (error) {
	case ENOENT: return "not in this kernel, or tracefs is not mounted";
	case EINVAL: case EOPNOTSUPP: case ENODEV: return "not in this kernel's configuration";
	case EACCES: case EPERM:
		if (geteuid() != 0)
			return "needs root";
		return read_lockdown(word) && strcmp(word, "none") != 0 ? "closed by lockdown, or by this machine's own policy" :
		       "refused although this is root: the policy of this machine or container";
	default: return strerror(error);
	}
}

static const char *why_tracefs(int error)
{
	return error == ENOENT ? "it is not mounted; what follows was tried in a mount of our own" : why_files(error);
}

static const char *why_hardware(int error)
{
	return error == ENOENT || error == EOPNOTSUPP ? "no counters of the processor here, as in most virtual machines" : why_files(error);
}

#define USE_RAW "raw tracepoints do: kbench trace entries, kbench trace util"

/* remedy: what to do where it is refused. */
static const struct {
	const char *name, *what;
	int (*try)(void);
	const char *(*why)(int error);
	const char *remedy;
} table[] = {
	{ "modules", "handing the kernel an empty module", try_modules, why_modules,
	  "the rows bpf.* and kbench trace need no modules" },
	{ "lockdown", "reading /sys/kernel/security/lockdown", try_lockdown, why_lockdown,
	  "it is chosen at boot, often by Secure Boot: what it closes says so below" },
	{ "headers", "/lib/modules/RELEASE/build/Makefile", try_headers, why_headers,
	  "install linux-headers of this release, or kbench kernel build --headers DIR" },
	{ "compiler", "make and a C compiler", try_compiler, why_tools, "install make and gcc" },
	{ "built", "modules of kbench for this kernel", try_built, why_built, "kbench kernel build" },
	{ "device", "opening /dev/kbench", try_device, why_device, "kbench kernel load; kbench run loads it by itself" },
	{ "bpf", "loading a BPF program", kb_try_bpf, why_bpf, "run as root" },
	{ "test_run", "running a program by BPF_PROG_TEST_RUN", kb_try_test_run, why_bpf, "the rows bpf.* are skipped without it" },
	{ "raw_tp", "a BPF program at sched_switch", kb_try_raw_tp, why_bpf, "run as root" },
	{ "tp_btf", "the same with types", kb_try_tp_btf, why_bpf, USE_RAW },
	{ "fentry", "a BPF program at the start of vfs_read", kb_try_fentry, why_bpf, "kprobe below, or " USE_RAW },
	{ "lsm", "loading a BPF program for file_open", kb_try_lsm, why_bpf, "nothing here needs it" },
	{ "kprobe", "a BPF program on a probe at vfs_read", kb_try_kprobe, why_bpf, "fentry above, or " USE_RAW },
	{ "kprobe_multi", "the same by a link for many functions", kb_try_kprobe_multi, why_bpf, "kprobe above does one at a time" },
	{ "tracefs", "reading trace_clock", kb_try_tracefs, why_tracefs, "mount -t tracefs nodev /sys/kernel/tracing" },
	{ "instance", "making a trace instance and removing it", kb_try_instance, why_files, "raw_tp above needs no tracefs" },
	{ "static_events", "opening sched_switch/enable", kb_try_static_events, why_files, "raw_tp above sees the same events" },
	{ "function_tracer", "opening set_ftrace_filter", kb_try_function_tracer, why_files, "fentry or kprobe above" },
	{ "kprobe_events", "opening kprobe_events", kb_try_kprobe_events, why_files, "kprobe above" },
	{ "histograms", "a hist: trigger in an instance", kb_try_histogram, why_files, "kbench keeps raw samples and needs none" },
	{ "perf_software", "a software event of perf", kb_try_software_event, why_files,
	  "run as root, or sysctl kernel.perf_event_paranoid=1" },
	{ "perf_hardware", "a cycle counter of perf", kb_try_hardware_event, why_hardware, "measure on the machine itself" },
};

size_t kb_capabilities(struct kb_capability capabilities[KB_CAPABILITIES_MAX])
{
	size_t count = sizeof table / sizeof table[0];
	int tracefs = -kb_try_tracefs();

	kb_borrow_mounts();

	for (size_t i = 0; i < count; i++) {
		struct kb_capability *capability = &capabilities[i];

		*capability = (struct kb_capability){
			.name = table[i].name, .what = table[i].what, .error = -table[i].try(), .remedy = "",
		};
		if (table[i].try == kb_try_tracefs)
			capability->error = tracefs;
		if (!capability->error)
			continue;
		snprintf(capability->why, sizeof capability->why, "%s", table[i].why(capability->error));
		capability->remedy = table[i].remedy;
	}
	return count;
}
