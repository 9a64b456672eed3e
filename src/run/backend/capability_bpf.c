/* See capability.h: programs of two instructions, through bpf(2) alone, so that no library can be what is missing. */
#define _GNU_SOURCE
#include "run/backend/capability.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io.h"
#include "trace/btf.h"

#define FUNCTION "vfs_read"     /* every kernel has it, and it is no fast path of ours */

static int bpf(int command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof *attr);

	return result < 0 ? -errno : (int)result;
}

static uint64_t address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

/* "return result": the program's descriptor or -errno. btf 0: it belongs to no function. */
static int load(unsigned type, unsigned attach, unsigned btf, int result)
{
	const struct bpf_insn code[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = result }, { .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.prog_type = type;
	attr.expected_attach_type = attach;
	attr.attach_btf_id = btf;
	attr.insn_cnt = sizeof code / sizeof code[0];
	attr.insns = address(code);
	attr.license = address("GPL");
	return bpf(BPF_PROG_LOAD, &attr);
}

/* Of raw tracepoints, and with name NULL of programs that know their function. */
static int attach_raw(int program, const char *name)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.raw_tracepoint.name = address(name);
	attr.raw_tracepoint.prog_fd = (__u32)program;
	return bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

/* Closes both; the result of the later one. */
static int done(int program, int link)
{
	if (program >= 0)
		close(program);
	if (link >= 0)
		close(link);
	return program < 0 ? program : link < 0 ? link : 0;
}

int kb_try_bpf(void)
{
	return done(load(BPF_PROG_TYPE_SOCKET_FILTER, 0, 0, 0), 0x7fffffff);
}

int kb_try_raw_tp(void)
{
	int program = load(BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0, 0);

	return done(program, program < 0 ? -1 : attach_raw(program, "sched_switch"));
}

static int try_tracing(unsigned type, unsigned attach, int btf, bool attached)
{
	int program = btf < 0 ? -ESRCH : load(type, attach, (unsigned)btf, 0);

	return done(program, program < 0 || !attached ? 0x7fffffff : attach_raw(program, NULL));
}

int kb_try_tp_btf(void)
{
	return try_tracing(BPF_PROG_TYPE_TRACING, BPF_TRACE_RAW_TP, kb_btf_id("btf_trace_sched_switch"), true);
}

int kb_try_fentry(void)
{
	return try_tracing(BPF_PROG_TYPE_TRACING, BPF_TRACE_FENTRY, kb_btf_id(FUNCTION), true);
}

/* Only loaded: at a hook it would be asked about every file that is opened. */
int kb_try_lsm(void)
{
	return try_tracing(BPF_PROG_TYPE_LSM, BPF_LSM_MAC, kb_btf_id("bpf_lsm_file_open"), false);
}

int kb_try_test_run(void)
{
	static const char packet[64];
	int program = load(BPF_PROG_TYPE_XDP, 0, 0, XDP_PASS), result;
	union bpf_attr attr;

	if (program < 0)
		return program;
	memset(&attr, 0, sizeof attr);
	attr.test.prog_fd = (__u32)program;
	attr.test.data_in = address(packet);
	attr.test.data_size_in = sizeof packet;
	attr.test.repeat = 1;
	result = bpf(BPF_PROG_TEST_RUN, &attr);
	close(program);
	return result < 0 ? result : attr.test.retval == XDP_PASS ? 0 : -EBADMSG;
}

static int open_kprobe(void)
{
	struct perf_event_attr attr;
	char type[16];
	long event;

	if (kb_read_file("/sys/bus/event_source/devices/kprobe/type", type, sizeof type) < 0)
		return -ENOENT;
	memset(&attr, 0, sizeof attr);
	attr.size = sizeof attr;
	attr.type = (__u32)strtoul(type, NULL, 10);
	attr.kprobe_func = address(FUNCTION);
	event = syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	return event < 0 ? -errno : (int)event;
}

int kb_try_kprobe(void)
{
	int program = load(BPF_PROG_TYPE_KPROBE, 0, 0, 0), event = program < 0 ? -1 : open_kprobe();

	if (event >= 0 && ioctl(event, PERF_EVENT_IOC_SET_BPF, program) < 0) {
		int error = -errno;

		close(event);
		event = error;
	}
	return done(program, event);
}

int kb_try_kprobe_multi(void)
{
	static const char *const names[] = { FUNCTION };
	int program = load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0, 0);
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.link_create.prog_fd = (__u32)program;
	attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.syms = address(names);
	attr.link_create.kprobe_multi.cnt = 1;
	return done(program, program < 0 ? -1 : bpf(BPF_LINK_CREATE, &attr));
}
