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

void kb_raw_move(struct kb_raw_code *, unsigned to, unsigned from);
void kb_raw_set(struct kb_raw_code *, unsigned to, int immediate);
void kb_raw_load(struct kb_raw_code *, unsigned size, unsigned to, unsigned from, int offset);   /* size: BPF_DW ... */
void kb_raw_store(struct kb_raw_code *, unsigned size, unsigned to, int offset, unsigned from);
void kb_raw_add_atomically(struct kb_raw_code *, unsigned to, int offset, unsigned from);        /* 64 bits */
void kb_raw_call(struct kb_raw_code *, int helper);
void kb_raw_return(struct kb_raw_code *);                                                        /* 0 */

/* The address of what lies there on the stack. */
void kb_raw_address(struct kb_raw_code *, unsigned to, int offset);

/* A map, or the address of its only value. */
void kb_raw_map(struct kb_raw_code *, unsigned to, int map);
void kb_raw_value(struct kb_raw_code *, unsigned to, int map);

/* Finds the value of the 32-bit key at r10 + offset: r0, 0 if there is none. Takes r1 and r2. */
void kb_raw_find(struct kb_raw_code *, int map, int offset);

/* The descriptor of a raw tracepoint program; it runs at no tracepoint yet. */
int kb_raw_load_program(const struct kb_raw_code *);

/* The same for a perf event, which runs it each time that it is counted: the descriptor, to be closed. config:
   PERF_COUNT_SW_...; on this CPU, whichever thread is there. -ENODEV: the CPU is off. */
int kb_raw_load_event_program(const struct kb_raw_code *);
int kb_raw_attach_event(int program, uint64_t config, unsigned cpu);

/* Runs the program at a tracepoint until the descriptor is closed. -ENOENT: this kernel has no such tracepoint. */
int kb_raw_attach(int program, const char *tracepoint);

/* type: BPF_MAP_TYPE_...; flags: BPF_F_MMAPABLE. */
int kb_raw_new_map(unsigned type, unsigned key_bytes, unsigned value_bytes, unsigned entries, unsigned flags);
int kb_raw_map_get(int map, const void *key, void *value);
int kb_raw_map_put(int map, const void *key, const void *value);
int kb_raw_map_drop(int map, const void *key);
int kb_raw_map_next(int map, const void *key, void *next);      /* key NULL: the first; -ENOENT behind the last */

/* CPUs that may ever be: as many values, each a multiple of 8 bytes, has what a per-CPU map is asked for. */
unsigned kb_raw_possible_cpus(void);

/* Why the kernel refuses, and what can be done, for one line. Static text. */
const char *kb_raw_why(int error);

#endif
