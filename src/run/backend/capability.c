/*
 * See capability.h: the parts, the table, and what answers mean. BPF is tried with programs of two instructions through bpf(2) alone, so
 * that no library can be what is missing. Nothing that exists is changed: an event is opened and not written, a histogram goes into an
 * instance of its own, which is removed with all in it.
 */
#define _GNU_SOURCE
#include "run/backend/capability.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "env/source.h"
#include "io.h"
#include "run/backend/kernel.h"
#include "trace/bpf.h"
#include "trace/btf.h"
#include "trace/raw_bpf.h"

#define FUNCTION "vfs_read"     /* every kernel has it, and it is no fast path of ours */
#define LOCKDOWN "/sys/kernel/security/lockdown"
#define PATH_BYTES 160

/* Closes a descriptor that was only to be had: 0 or -errno. */
static int done(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static int try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC);

	return done(fd < 0 ? -errno : fd);
}

/* ---- modules ------------------------------------------------------------------------------------------- */

static char told[KB_KERNEL_WHY];        /* the reason, where the try itself has it */

static int try_modules(void)
{
	return kb_kernel_try(told);
}

static int try_headers(void)
{
	struct utsname names;
	char path[PATH_MAX];

	uname(&names);
	snprintf(path, sizeof path, "/lib/modules/%s/build/Makefile", names.release);
	snprintf(told, sizeof told, "the headers of this kernel are not installed");
	return access(path, R_OK) < 0 ? -errno : 0;
}

static int try_compiler(void)
{
	return kb_kernel_tools(told);
}

static int try_built(void)
{
	char path[PATH_MAX];

	return kb_kernel_find(KB_KERNEL_MODULE, path, told);
}

static int try_device(void)
{
	return try_open(kb_kernel_device(), O_RDWR);
}

/* "none", "integrity" ...; "": it cannot be read. */
static const char *lockdown(void)
{
	static char word[KB_SOURCE_NAME];

	if (!kb_source_choice(&(struct kb_fact_source){ "" }, LOCKDOWN, word, sizeof word))
		word[0] = '\0';
	return word;
}

static int try_lockdown(void)
{
	if (!lockdown()[0])
		return access(LOCKDOWN, R_OK) < 0 ? -errno : -EINVAL;
	return strcmp(lockdown(), "none") == 0 ? 0 : -EPERM;
}

/* ---- BPF ----------------------------------------------------------------------------------------------- */

/* "return result": the program's descriptor or -errno. btf 0: it belongs to no function. */
static int load(unsigned type, unsigned attach, int btf, int result)
{
	struct kb_raw_code code = { .used = 0 };

	kb_raw_set(&code, BPF_REG_0, result);
	kb_raw_put(&code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	return btf < 0 ? btf : kb_raw_load_program(&code, type, attach, (unsigned)btf);
}

/* NULL: of a program that knows its function. */
static int try_attach(int program, const char *tracepoint)
{
	int error = program < 0 ? program : done(kb_raw_attach(program, tracepoint));

	done(program);
	return error;
}

static int try_bpf(void)
{
	return done(load(BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, 0));
}

static int try_raw_tp(void)
{
	return try_attach(load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, 0), "sched_switch");
}

static int try_tp_btf(void)
{
	return try_attach(load(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, kb_btf_id("btf_trace_sched_switch"), 0), NULL);
}

static int try_fentry(void)
{
	return try_attach(load(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, kb_btf_id(FUNCTION), 0), NULL);
}

/* Only loaded: at a hook it would be asked about every file that is opened. */
static int try_lsm(void)
{
	return done(load(BPF_PROG_TYPE_LSM, BPF_LSM_MAC, kb_btf_id("bpf_lsm_file_open"), 0));
}

static int try_test_run(void)
{
	static const char packet[64];
	int program = load(BPF_PROG_TYPE_XDP, 0, 0, XDP_PASS), result;
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.test.prog_fd = (__u32)program;
	attr.test.data_in = KB_RAW_POINTER(packet);
	attr.test.data_size_in = sizeof packet;
	attr.test.repeat = 1;
	result = program < 0 ? program : kb_raw_bpf(BPF_PROG_TEST_RUN, &attr);
	done(program);
	return result < 0 ? result : attr.test.retval == XDP_PASS ? 0 : -EBADMSG;
}

static int open_event(struct perf_event_attr attr, pid_t thread, int cpu)
{
	attr.size = sizeof attr;

	long event = syscall(SYS_perf_event_open, &attr, thread, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return event < 0 ? -errno : (int)event;
}

/* A probe at FUNCTION: a perf event, or -errno. */
static int open_kprobe(void)
{
	struct perf_event_attr attr = { .kprobe_func = KB_RAW_POINTER(FUNCTION) };
	char type[16];

	if (kb_read_file("/sys/bus/event_source/devices/kprobe/type", type, sizeof type) < 0)
		return -ENOENT;
	attr.type = (__u32)strtoul(type, NULL, 10);
	return open_event(attr, -1, 0);
}

static int try_kprobe(void)
{
	int program = load(BPF_PROG_TYPE_KPROBE, 0, 0, 0), event = program < 0 ? program : open_kprobe();
	int error = event >= 0 && ioctl(event, PERF_EVENT_IOC_SET_BPF, program) < 0 ? -errno : 0;

	done(program);
	event = done(event);
	return error ? error : event;
}

static int try_kprobe_multi(void)
{
	static const char *const names[] = { FUNCTION };
	int program = load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0, 0), link;
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.link_create.prog_fd = (__u32)program;
	attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.syms = KB_RAW_POINTER(names);
	attr.link_create.kprobe_multi.cnt = 1;
	link = program < 0 ? program : kb_raw_bpf(BPF_LINK_CREATE, &attr);
	done(program);
	return done(link);
}

/* ---- tracefs and perf ---------------------------------------------------------------------------------- */

/* Where it is mounted: at its own place, or at the older one. */
static void path_in(char path[PATH_BYTES], const char *name)
{
	bool here = access("/sys/kernel/tracing/trace_clock", F_OK) == 0 || errno == EACCES;

	snprintf(path, PATH_BYTES, "%s/%s", here ? "/sys/kernel/tracing" : "/sys/kernel/debug/tracing", name);
}

static int try_file(const char *name, int flags)
{
	char path[PATH_BYTES];

	path_in(path, name);
	return try_open(path, flags);
}

static int try_tracefs(void)
{
	return try_file("trace_clock", O_RDONLY);
}

static int try_static_events(void)
{
	return try_file("events/sched/sched_switch/enable", O_WRONLY);
}

static int try_function_tracer(void)
{
	return try_file("set_ftrace_filter", O_WRONLY | O_APPEND); /* without O_APPEND opening empties it */
}

static int try_kprobe_events(void)
{
	return try_file("kprobe_events", O_WRONLY | O_APPEND);
}

static void mount_missing(const char *path, const char *inside, const char *type)
{
	char file[PATH_BYTES];

	snprintf(file, sizeof file, "%s/%s", path, inside);
	if (access(file, F_OK) < 0 && errno == ENOENT)
		mount("nodev", path, type, 0, NULL);
}

/* Mounts tracefs and securityfs where only this process sees them, if they are not mounted and it may. */
static void borrow_mounts(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return;
	mount_missing("/sys/kernel/security", "lockdown", "securityfs");
	if (try_tracefs() == -ENOENT)
		mount_missing("/sys/kernel/tracing", "trace_clock", "tracefs");
}

static int make_instance(char path[PATH_BYTES])
{
	char name[64];

	snprintf(name, sizeof name, "instances/kbench-doctor-%d", (int)getpid());
	path_in(path, name);
	return mkdir(path, 0700) < 0 ? -errno : 0;
}

static int try_instance(void)
{
	char path[PATH_BYTES];
	int error = make_instance(path);

	return error ? error : rmdir(path) < 0 ? -errno : 0;
}

static int write_trigger(const char *instance, const char *trigger)
{
	char path[PATH_BYTES + 48];

	snprintf(path, sizeof path, "%s/events/sched/sched_switch/trigger", instance);

	return kb_write_file(path, trigger);
}

static int try_histogram(void)
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
static int try_software_event(void)
{
	return done(open_event((struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK }, 0, -1));
}

static int try_hardware_event(void)
{
	return done(open_event((struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES }, 0, -1));
}

/* ---- what answers mean ---------------------------------------------------------------------------------- */

static const char *why_told(int error)
{
	(void)error;
	return told;
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
	if (error == ENOENT)
		return "securityfs is not mounted, or this kernel has no lockdown, which then closes nothing";
	if (error == EACCES || !lockdown()[0])
		return "only root can read it";
	snprintf(told, sizeof told, "lockdown is '%s': parts of this kernel are closed to root, too", lockdown());
	return told;
}

static const char *why_bpf(int error)
{
	const char *word = lockdown();

	return kb_bpf_why(error, geteuid() == 0, word[0] ? word : NULL);
}

static const char *why_files(int error)
{
	const char *word = lockdown();

	switch (error) {
	case ENOENT: return "not in this kernel, or tracefs is not mounted";
	case EINVAL: case EOPNOTSUPP: case ENODEV: return "not in this kernel's configuration";
	case EACCES: case EPERM:
		if (geteuid() != 0)
			return "needs root";
		return word[0] && strcmp(word, "none") != 0 ? "closed by lockdown, or by this machine's own policy" :
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
	{ "modules", "handing the kernel an empty module", try_modules, why_told,
	  "the benchmarks bpf.* and kbench trace need no modules" },
	{ "lockdown", "reading /sys/kernel/security/lockdown", try_lockdown, why_lockdown,
	  "it is set at boot, often by Secure Boot; what it closes is refused below" },
	{ "headers", "/lib/modules/RELEASE/build/Makefile", try_headers, why_told,
	  "install linux-headers of this release, or kbench kernel build --headers DIR" },
	{ "compiler", "make and a C compiler", try_compiler, why_told, "install make and gcc" },
	{ "built", "modules of kbench for this kernel", try_built, why_told, "kbench kernel build" },
	{ "device", "opening /dev/kbench", try_device, why_device, "kbench kernel load; kbench run loads it by itself" },
	{ "bpf", "loading a BPF program", try_bpf, why_bpf, "run as root" },
	{ "test_run", "running a program by BPF_PROG_TEST_RUN", try_test_run, why_bpf, "the benchmarks bpf.* are skipped without it" },
	{ "raw_tp", "a BPF program at sched_switch", try_raw_tp, why_bpf, "run as root" },
	{ "tp_btf", "the same with types", try_tp_btf, why_bpf, USE_RAW },
	{ "fentry", "a BPF program at the start of vfs_read", try_fentry, why_bpf, "kprobe below, or " USE_RAW },
	{ "lsm", "loading a BPF program for file_open", try_lsm, why_bpf, "nothing here needs it" },
	{ "kprobe", "a BPF program on a probe at vfs_read", try_kprobe, why_bpf, "fentry above, or " USE_RAW },
	{ "kprobe_multi", "the same by a link for many functions", try_kprobe_multi, why_bpf, "kprobe above does one at a time" },
	{ "tracefs", "reading trace_clock", try_tracefs, why_tracefs, "mount -t tracefs nodev /sys/kernel/tracing" },
	{ "instance", "making a trace instance and removing it", try_instance, why_files, "raw_tp above needs no tracefs" },
	{ "static_events", "opening sched_switch/enable", try_static_events, why_files, "raw_tp above sees the same events" },
	{ "function_tracer", "opening set_ftrace_filter", try_function_tracer, why_files, "fentry or kprobe above" },
	{ "kprobe_events", "opening kprobe_events", try_kprobe_events, why_files, "kprobe above" },
	{ "histograms", "a hist: trigger in an instance", try_histogram, why_files, "kbench keeps raw samples and needs none" },
	{ "perf_software", "a software event of perf", try_software_event, why_files,
	  "run as root, or sysctl kernel.perf_event_paranoid=1" },
	{ "perf_hardware", "a cycle counter of perf", try_hardware_event, why_hardware, "measure on the machine itself" },
};

size_t kb_capabilities(struct kb_capability capabilities[KB_CAPABILITIES_MAX])
{
	size_t count = sizeof table / sizeof table[0];
	int tracefs = -try_tracefs();

	borrow_mounts();
	for (size_t i = 0; i < count; i++) {
		struct kb_capability *capability = &capabilities[i];

		*capability = (struct kb_capability){
			.name = table[i].name, .what = table[i].what, .error = -table[i].try(), .remedy = "",
		};
		if (table[i].try == try_tracefs)
			capability->error = tracefs;
		if (!capability->error)
			continue;
		snprintf(capability->why, sizeof capability->why, "%s", table[i].why(capability->error));
		capability->remedy = table[i].remedy;
	}
	return count;
}
