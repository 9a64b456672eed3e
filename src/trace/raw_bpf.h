/*
 * The system call bpf(2) without a library: programs of a few dozen instructions that are put together here, maps that are
 * read through shared memory, raw tracepoints. For what libkbench does, which needs libc only, and which neither a compiler
 * for BPF nor the headers of a kernel should decide about. All descriptors are closed on exec, and with the last one
 * everything is gone from the kernel. Functions return 0 or more, or -errno.
 */
#ifndef KB_TRACE_RAW_BPF_H
#define KB_TRACE_RAW_BPF_H

#include <linux/bpf.h>

#include "types.h"

#define KB_RAW_INSNS 96u

/* A program while it is written. What does not fit sets `full`, and loading it is refused. */
struct kb_raw_code {
	struct bpf_insn insns[KB_RAW_INSNS];
	unsigned used;
	bool full;
};

/* One instruction; returns where it stands. */
unsigned kb_raw_put(struct kb_raw_code *, unsigned op, unsigned to, unsigned from, int offset, int immediate);

/* The forward jump that stands there leads to what comes next. */
void kb_raw_land(struct kb_raw_code *, unsigned at);

#define kb_raw_move(code, to, from) kb_raw_put(code, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0)
#define kb_raw_set(code, to, number) kb_raw_put(code, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, number)
#define kb_raw_load(code, size, to, from, offset) kb_raw_put(code, BPF_LDX | BPF_MEM | (size), to, from, offset, 0) /* size: BPF_DW ... */
#define kb_raw_store(code, size, to, offset, from) kb_raw_put(code, BPF_STX | BPF_MEM | (size), to, from, offset, 0)
#define kb_raw_add_atomically(code, to, offset, from) kb_raw_put(code, BPF_STX | BPF_XADD | BPF_DW, to, from, offset, 0) /* 64 bits */
#define kb_raw_call(code, helper) kb_raw_put(code, BPF_JMP | BPF_CALL, 0, 0, 0, helper)
void kb_raw_return(struct kb_raw_code *);       /* 0 */

/* A jump for kb_raw_land(): condition BPF_JEQ or BPF_JNE of the register and 0, or BPF_JA. */
unsigned kb_raw_jump(struct kb_raw_code *, unsigned condition, unsigned number);

/* The address of what lies there on the stack. */
void kb_raw_address(struct kb_raw_code *, unsigned to, int offset);

/* A map, or the address of its only value. */
void kb_raw_wide(struct kb_raw_code *, unsigned to, unsigned meaning, int map);
#define kb_raw_map(code, to, map) kb_raw_wide(code, to, BPF_PSEUDO_MAP_FD, map)
#define kb_raw_value(code, to, map) kb_raw_wide(code, to, BPF_PSEUDO_MAP_VALUE, map)

/* Finds the value of the 32-bit key at r10 + key: r0, 0 if there is none. Takes r1 and r2. */
void kb_raw_find(struct kb_raw_code *, int map, int key);

/* Puts the value at r10 + value there. The returned jump is taken where it found room. Takes r0 to r4. */
unsigned kb_raw_insert(struct kb_raw_code *, int map, int key, int value);

/* The id of the thread that is this argument of the tracepoint, whose context a register has, to the stack. Takes r0 to r3. */
void kb_raw_read_pid(struct kb_raw_code *, unsigned context, int argument, int pid_offset, int to);

/* bpf(2) itself, and a pointer as its attributes hold one. */
int kb_raw_bpf(int command, union bpf_attr *);
#define KB_RAW_POINTER(pointer) ((uint64_t)(uintptr_t)(const void *)(pointer))

/* The descriptor of a program of a BPF_PROG_TYPE_...; it runs nowhere yet. attach, btf: for types that name their place, else 0. */
int kb_raw_load_program(const struct kb_raw_code *, unsigned type, unsigned attach, unsigned btf);

/* Has a program of type PERF_EVENT run each time that a perf event is counted: the descriptor, to be closed. config:
   PERF_COUNT_SW_...; on this CPU, whichever thread is there. -ENODEV: the CPU is off. */
int kb_raw_attach_event(int program, uint64_t config, unsigned cpu);

/* Runs the program at a tracepoint until the descriptor is closed. -ENOENT: this kernel has no such tracepoint. */
int kb_raw_attach(int program, const char *tracepoint);

/* type: BPF_MAP_TYPE_...; flags: BPF_F_MMAPABLE. */
int kb_raw_new_map(unsigned type, unsigned key_bytes, unsigned value_bytes, unsigned entries, unsigned flags);
int kb_raw_map_get(int map, const void *key, void *value);
int kb_raw_map_put(int map, const void *key, const void *value);
int kb_raw_map_drop(int map, const void *key);
int kb_raw_map_next(int map, const void *key, void *next);      /* key NULL: the first; -ENOENT behind the last */

/* Shared memory of a map, to be unmapped. NULL: errno. */
void *kb_raw_memory(int map, size_t bytes, int protection, size_t offset);

/* Closes those that are open; all are -1 then. */
void kb_raw_close(int *descriptors, size_t count);

/* CPUs that may ever be: as many values, each a multiple of 8 bytes, has what a per-CPU map is asked for. */
unsigned kb_raw_possible_cpus(void);

/* Why the kernel refuses, and what can be done, for one line. Static text. */
const char *kb_raw_why(int error);

#endif
