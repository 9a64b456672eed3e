#define _GNU_SOURCE
#include "trace/raw_bpf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
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
void kb_raw_wide(struct kb_raw_code *code, unsigned to, unsigned meaning, int map)
{
	kb_raw_put(code, BPF_LD | BPF_DW | BPF_IMM, to, meaning, 0, map);
	kb_raw_put(code, 0, 0, 0, 0, 0);
}

unsigned kb_raw_jump(struct kb_raw_code *code, unsigned condition, unsigned number)
{
	return kb_raw_put(code, BPF_JMP | condition | BPF_K, number, 0, 0, 0);
}

void kb_raw_find(struct kb_raw_code *code, int map, int key)
{
	kb_raw_address(code, BPF_REG_2, key);
	kb_raw_map(code, BPF_REG_1, map);
	kb_raw_call(code, BPF_FUNC_map_lookup_elem);
}

unsigned kb_raw_insert(struct kb_raw_code *code, int map, int key, int value)
{
	kb_raw_map(code, BPF_REG_1, map);
	kb_raw_address(code, BPF_REG_2, key);
	kb_raw_address(code, BPF_REG_3, value);
	kb_raw_set(code, BPF_REG_4, BPF_ANY);
	kb_raw_call(code, BPF_FUNC_map_update_elem);
	return kb_raw_jump(code, BPF_JEQ, BPF_REG_0);
}

void kb_raw_read_pid(struct kb_raw_code *code, unsigned context, int argument, int pid_offset, int to)
{
	kb_raw_load(code, BPF_DW, BPF_REG_3, context, 8 * argument);
	kb_raw_put(code, BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, pid_offset);
	kb_raw_address(code, BPF_REG_1, to);
	kb_raw_set(code, BPF_REG_2, 4);
	kb_raw_call(code, BPF_FUNC_probe_read_kernel);
}

/* ---- the system call --------------------------------------------------------------------------------- */

int kb_raw_bpf(int command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof *attr);

	return result < 0 ? -errno : (int)result;
}

int kb_raw_load_program(const struct kb_raw_code *code, unsigned type, unsigned attach, unsigned btf)
{
	union bpf_attr attr;

	if (code->full)
		return -E2BIG;
	memset(&attr, 0, sizeof attr);
	attr.prog_type = type;
	attr.expected_attach_type = attach;
	attr.attach_btf_id = btf;
	attr.insn_cnt = code->used;
	attr.insns = KB_RAW_POINTER(code->insns);
	attr.license = KB_RAW_POINTER("Dual MIT/GPL");
	memcpy(attr.prog_name, "kbench", sizeof "kbench");
	return kb_raw_bpf(BPF_PROG_LOAD, &attr);
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
	attr.raw_tracepoint.name = KB_RAW_POINTER(tracepoint);
	attr.raw_tracepoint.prog_fd = (__u32)program;
	return kb_raw_bpf(BPF_RAW_TRACEPOINT_OPEN, &attr);
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
	map = kb_raw_bpf(BPF_MAP_CREATE, &attr);
	if (map != -EPERM)
		return map;
	/* Before Linux 5.11 maps count as locked memory. Where raising the limit is refused, a later kernel does not care. */
	(void)setrlimit(RLIMIT_MEMLOCK, &none);
	return kb_raw_bpf(BPF_MAP_CREATE, &attr);
}

static int element(int command, int map, const void *key, const void *value)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof attr);
	attr.map_fd = (__u32)map;
	attr.key = KB_RAW_POINTER(key);
	attr.value = KB_RAW_POINTER(value);
	return kb_raw_bpf(command, &attr);
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

void *kb_raw_memory(int map, size_t bytes, int protection, size_t offset)
{
	void *memory = mmap(NULL, bytes, protection, MAP_SHARED, map, (off_t)offset);

	return memory == MAP_FAILED ? NULL : memory;
}

void kb_raw_close(int *descriptors, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (descriptors[i] >= 0)
			close(descriptors[i]);
		descriptors[i] = -1;
	}
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
	case EINVAL: return "this kernel does not know this use of bpf(2), which takes Linux 5.8 (EINVAL)";
	case ENOENT: return "this kernel has no such tracepoint (ENOENT)";
	case ENOMEM: return "no memory for the log, take a smaller one (ENOMEM)";
	case EACCES: return "the kernel's check of BPF programs refuses ours (EACCES)";
	case E2BIG: return "a BPF program or map is too large for this kernel (E2BIG)";
	case EMFILE: return "too few file descriptors, raise ulimit -n (EMFILE)";
	default: return strerror(-error);
	}
}
