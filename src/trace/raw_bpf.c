#define _GNU_SOURCE
#include "trace/raw_bpf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io.h"

/* ---- instructions ------------------------------------------------------------------------------------ */

unsigned kb_raw_put(struct kb_raw_code *code, unsigned op, unsigned to, unsigned from, int offset, int immediate)
{
	if (code->used == KB_RAW_INSNS) {
		code->full = true;
		return 0;
	}
	code->insns[code->used] = (struct bpf_insn){
		.code = (__u8)op, .dst_reg = to & 15, .src_reg = from & 15, .off = (__s16)offset, .imm = immediate,
	};
	return code->used++;
}

void kb_raw_land(struct kb_raw_code *code, unsigned at)
{
	code->insns[at].off = (__s16)(code->used - at - 1);
}

void kb_raw_move(struct kb_raw_code *code, unsigned to, unsigned from)
{
	kb_raw_put(code, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

void kb_raw_set(struct kb_raw_code *code, unsigned to, int immediate)
{
	kb_raw_put(code, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, immediate);
}

void kb_raw_load(struct kb_raw_code *code, unsigned size, unsigned to, unsigned from, int offset)
{
	kb_raw_put(code, BPF_LDX | BPF_MEM | size, to, from, offset, 0);
}

void kb_raw_store(struct kb_raw_code *code, unsigned size, unsigned to, int offset, unsigned from)
{
	kb_raw_put(code, BPF_STX | BPF_MEM | size, to, from, offset, 0);
}

void kb_raw_add_atomically(struct kb_raw_code *code, unsigned to, int offset, unsigned from)
{
	kb_raw_put(code, BPF_STX | BPF_XADD | BPF_DW, to, from, offset, 0);
}

void kb_raw_call(struct kb_raw_code *code, int helper)
{
	kb_raw_put(code, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

void kb_raw_return(struct kb_raw_code *code)
{
	kb_raw_set(code, BPF_REG_0, 0);
	kb_raw_put(code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

void kb_raw_address(struct kb_raw_code *code, unsigned to, int offset)
{
	kb_raw_move(code, to, BPF_REG_10);
	kb_raw_put(code, BPF_ALU64 | BPF_ADD | BPF_K, to, 0, 0, offset);
}

/* Two slots: the second has the upper half of the number. */
void kb_raw_map(struct kb_raw_code *code, unsigned to, int map)
{
	kb_raw_put(code, BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_FD, 0, map);
	kb_raw_put(code, 0, 0, 0, 0, 0);
}

void kb_raw_value(struct kb_raw_code *code, unsigned to, int map)
{
	kb_raw_put(code, BPF_LD | BPF_DW | BPF_IMM, to, BPF_PSEUDO_MAP_VALUE, 0, map);
	kb_raw_put(code, 0, 0, 0, 0, 0);
}

void kb_raw_find(struct kb_raw_code *code, int map, int offset)
{
	kb_raw_address(code, BPF_REG_2, offset);
	kb_raw_map(code, BPF_REG_1, map);
	kb_raw_call(code, BPF_FUNC_map_lookup_elem);
}

/* ---- the system call --------------------------------------------------------------------------------- */

static int call(int command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof *attr);

	return result < 0 ? -errno : (int)result;
}

static uint64_t address(const void *pointer)
{
	return (uint64_t)(uintptr_t)pointer;
}

static int load(const struct kb_raw_code *code, unsigned type)
{
	union bpf_attr attr;

	if (code->full)
		return -E2BIG;
	memset(&attr, 0, sizeof attr);
	attr.prog_type = type;
	attr.insn_cnt = code->used;
	attr.insns = address(code->insns);
	attr.license = address("Dual MIT/GPL");
	memcpy(attr.prog_name, "kbench", sizeof "kbench");
	return call(BPF_PROG_LOAD, &attr);
}

int kb_raw_load_program(const struct kb_raw_code *code)
{
	return load(code, BPF_PROG_TYPE_RAW_TRACEPOINT);
}

int kb_raw_load_event_program(const struct kb_raw_code *code)
{
	return load(code, BPF_PROG_TYPE_PERF_EVENT);
}

int kb_raw_attach_event(int program, uint64_t config, unsigned cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = config, .sample_period = 1,
	};
	int event = (int)syscall(SYS_perf_event_open, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC), error;

	if (event < 0)
		return -errno;
	if (ioctl(event, PERF_EVENT_IOC_SET_BPF, program) == 0)
		return event;
	error = -errno;
	close(event);
	return error;
}

int kb_raw_attach(int program, const char *tracepoint)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.raw_tracepoint.name = address(tracepoint);
	attr.raw_tracepoint.prog_fd = (__u32)program;
	return call(BPF_RAW_TRACEPOINT_OPEN, &attr);
}

int kb_raw_new_map(unsigned type, unsigned key_bytes, unsigned value_bytes, unsigned entries, unsigned flags)
{
	union bpf_attr attr;
	int map;
	static const struct rlimit none = { RLIM_INFINITY, RLIM_INFINITY };

	memset(&attr, 0, sizeof attr);
	attr.map_type = type;
	attr.key_size = key_bytes;
	attr.value_size = value_bytes;
	attr.max_entries = entries;
	attr.map_flags = flags;
	memcpy(attr.map_name, "kbench", sizeof "kbench");
	map = call(BPF_MAP_CREATE, &attr);
	if (map != -EPERM)
		return map;
	/* Before Linux 5.11 maps count as locked memory. Where raising the limit is refused, a later kernel does not care. */
	(void)setrlimit(RLIMIT_MEMLOCK, &none);
	return call(BPF_MAP_CREATE, &attr);
}

static int element(int command, int map, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.map_fd = (__u32)map;
	attr.key = address(key);
	attr.value = address(value);
	return call(command, &attr);
}

int kb_raw_map_get(int map, const void *key, void *value)
{
	return element(BPF_MAP_LOOKUP_ELEM, map, key, value);
}

int kb_raw_map_put(int map, const void *key, const void *value)
{
	return element(BPF_MAP_UPDATE_ELEM, map, key, value);
}

int kb_raw_map_drop(int map, const void *key)
{
	return element(BPF_MAP_DELETE_ELEM, map, key, NULL);
}

int kb_raw_map_next(int map, const void *key, void *next)
{
	return element(BPF_MAP_GET_NEXT_KEY, map, key, next);
}

/* "0-1", "0-3,8": the last number there, plus one. */
unsigned kb_raw_possible_cpus(void)
{
	char text[256];
	unsigned last = 0, number = 0;

	if (kb_read_file("/sys/devices/system/cpu/possible", text, sizeof text) <= 0)
		return (unsigned)sysconf(_SC_NPROCESSORS_CONF);
	for (const char *at = text; *at; at++) {
		number = *at >= '0' && *at <= '9' ? 10 * number + (unsigned)(*at - '0') : 0;
		if (number > last)
			last = number;
	}
	return last + 1;
}

const char *kb_raw_why(int error)
{
	switch (-error) {
	case EPERM: return "the kernel refuses bpf(2): it takes root, or CAP_BPF and CAP_PERFMON (EPERM)";
	case ENOSYS: return "this kernel is built without bpf(2) (ENOSYS)";
	case EINVAL: return "this kernel does not know what is asked of bpf(2), it takes Linux 5.8 (EINVAL)";
	case ENOENT: return "this kernel has no such tracepoint (ENOENT)";
	case ENOMEM: return "no memory for the log, take a smaller one (ENOMEM)";
	case EACCES: return "the kernel's check of BPF programs refuses ours (EACCES)";
	case E2BIG: return "a BPF program or map is too large for this kernel (E2BIG)";
	default: return strerror(-error);
	}
}
