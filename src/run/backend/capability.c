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

/* remedy: what to do where it is refused. at, type, use: what a try needs that several share, a function of the kernel, a tracepoint or a file
   of tracefs; the type of a BPF program or event, and how it is attached, counted or opened. */
struct part {
	const char *name, *what;
	int (*try)(void);
	const char *(*why)(int error);
	const char *remedy;
	int (*shared)(const struct part *);
	const char *at;
	unsigned type, use;
};

/* Only loaded: at its hook, a program for file_open would be asked about every file that is opened. */
static int load_program(const struct part *part)
{
	return done(load(part->type, part->use, part->at ? kb_btf_id(part->at) : 0, 0));
}

static int attach_program(const struct part *part)
{
	bool raw = part->type == BPF_PROG_TYPE_RAW_TRACEPOINT;

	return try_attach(load(part->type, part->use, raw ? 0 : kb_btf_id(part->at), 0), raw ? part->at : NULL);
}

/* Some are emptied when they are opened without O_APPEND. */
static int open_file(const struct part *part)
{
	return try_file(part->at, O_WRONLY | (int)part->use);
}

/* Of this process, the kernel included. */
static int count_event(const struct part *part)
{
	return done(open_event((struct perf_event_attr){ .type = part->type, .config = part->use }, 0, -1));
}

static const struct part table[] = {
	{ "modules", "handing the kernel an empty module", try_modules, why_told,
	  .remedy = "the benchmarks bpf.* and kbench trace need no modules" },
	{ "lockdown", "reading /sys/kernel/security/lockdown", try_lockdown, why_lockdown,
	  .remedy = "it is set at boot, often by Secure Boot; what it closes is refused below" },
	{ "headers", "/lib/modules/RELEASE/build/Makefile", try_headers, why_told,
	  .remedy = "install linux-headers of this release, or kbench kernel build --headers DIR" },
	{ "compiler", "make and a C compiler", try_compiler, why_told, .remedy = "install make and gcc" },
	{ "built", "modules of kbench for this kernel", try_built, why_told, .remedy = "kbench kernel build" },
	{ "device", "opening /dev/kbench", try_device, why_device, .remedy = "kbench kernel load; kbench run loads it by itself" },
	{ "bpf", "loading a BPF program", NULL, why_bpf, "run as root", load_program, NULL, BPF_PROG_TYPE_SOCKET_FILTER, 0 },
	{ "test_run", "running a program by BPF_PROG_TEST_RUN", try_test_run, why_bpf, .remedy = "the benchmarks bpf.* are skipped without it" },
	{ "raw_tp", "a BPF program at sched_switch", NULL, why_bpf, "run as root",
	  attach_program, "sched_switch", BPF_PROG_TYPE_RAW_TRACEPOINT, 0 },
	{ "tp_btf", "the same with types", NULL, why_bpf, USE_RAW,
	  attach_program, "btf_trace_sched_switch", BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP },
	{ "fentry", "a BPF program at the start of vfs_read", NULL, why_bpf, "kprobe below, or " USE_RAW,
	  attach_program, FUNCTION, BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY },
	{ "lsm", "loading a BPF program for file_open", NULL, why_bpf, "nothing here needs it",
	  load_program, "bpf_lsm_file_open", BPF_PROG_TYPE_LSM, BPF_LSM_MAC },
	{ "kprobe", "a BPF program on a probe at vfs_read", try_kprobe, why_bpf, .remedy = "fentry above, or " USE_RAW },
	{ "kprobe_multi", "the same by a link for many functions", try_kprobe_multi, why_bpf, .remedy = "kprobe above does one at a time" },
	{ "tracefs", "reading trace_clock", try_tracefs, why_tracefs, .remedy = "mount -t tracefs nodev /sys/kernel/tracing" },
	{ "instance", "making a trace instance and removing it", try_instance, why_files, .remedy = "raw_tp above needs no tracefs" },
	{ "static_events", "opening sched_switch/enable", NULL, why_files, "raw_tp above sees the same events",
	  open_file, "events/sched/sched_switch/enable", 0, 0 },
	{ "function_tracer", "opening set_ftrace_filter", NULL, why_files, "fentry or kprobe above",
	  open_file, "set_ftrace_filter", 0, O_APPEND },
	{ "kprobe_events", "opening kprobe_events", NULL, why_files, "kprobe above",
	  open_file, "kprobe_events", 0, O_APPEND },
	{ "histograms", "a hist: trigger in an instance", try_histogram, why_files, .remedy = "kbench keeps raw samples and needs none" },
	{ "perf_software", "a software event of perf", NULL, why_files,
	  "run as root, or sysctl kernel.perf_event_paranoid=1",
	  count_event, NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "perf_hardware", "a cycle counter of perf", NULL, why_hardware, "measure on the machine itself",
	  count_event, NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
};

size_t kb_capabilities(struct kb_capability capabilities[KB_CAPABILITIES_MAX])
{
	size_t count = sizeof table / sizeof table[0];
	int tracefs = -try_tracefs();

	borrow_mounts();
	for (size_t i = 0; i < count; i++) {
		struct kb_capability *capability = &capabilities[i];

		*capability = (struct kb_capability){
			.name = table[i].name, .what = table[i].what, .remedy = "",
			.error = -(table[i].try ? table[i].try() : table[i].shared(&table[i])),
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
