/*
 * kbench_bpf.h - small programs for the kernel's virtual machine (BPF), executed by bpf(BPF_PROG_TEST_RUN), for the benchmarks
 * of it. A program counts its runs and its wrong results in memory that is shared with us, so that n runs are seen and not
 * believed. It needs no library: instructions are data, and everything is gone with the process.
 */
#ifndef KBENCH_BPF_H
#define KBENCH_BPF_H

#include <linux/bpf.h>

#include <kbench.h>

#define KB_BPF_BODY_MAX 96u

/* What the body of a program may use: r6 the context, r8 the number of this run from 0, r9 free; r0 to r5 as always, and
   stack. At its end r0 holds the result, and r7 what it held at its begin. */
#define KB_BPF_INSN(c, d, s, o, i) \
	{ .code = (uint8_t)(c), .dst_reg = (d), .src_reg = (s), .off = (int16_t)(o), .imm = (int32_t)(i) }
#define KB_BPF_SET(d, i) KB_BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define KB_BPF_COPY(d, s) KB_BPF_INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define KB_BPF_ALU(op, d, i) KB_BPF_INSN(BPF_ALU64 | (op) | BPF_K, d, 0, 0, i)
#define KB_BPF_ALU_BY(op, d, s) KB_BPF_INSN(BPF_ALU64 | (op) | BPF_X, d, s, 0, 0)
#define KB_BPF_LOAD(size, d, s, o) KB_BPF_INSN(BPF_LDX | (size) | BPF_MEM, d, s, o, 0)
#define KB_BPF_STORE(size, d, o, s) KB_BPF_INSN(BPF_STX | (size) | BPF_MEM, d, s, o, 0)
#define KB_BPF_STORE_NUMBER(size, d, o, i) KB_BPF_INSN(BPF_ST | (size) | BPF_MEM, d, 0, o, i)
#define KB_BPF_JUMP(op, d, i, o) KB_BPF_INSN(BPF_JMP | (op) | BPF_K, d, 0, o, i)
#define KB_BPF_CALL(i) KB_BPF_INSN(BPF_JMP | BPF_CALL, 0, 0, 0, i)
/* A map's address: two instructions. */
#define KB_BPF_MAP(d, fd) KB_BPF_INSN(BPF_LD | BPF_DW | BPF_IMM, d, BPF_PSEUDO_MAP_FD, 0, fd), KB_BPF_INSN(0, 0, 0, 0, 0)

/* Loads two programs (of the traffic classifier's kind): of the operation, and of its base; base NULL: there is none. Results
   other than `expected` are wrong, with KB_BPF_ANY none is. kb_skip where the kernel refuses one, with the verifier's
   words. In setup. */
#define KB_BPF_ANY (-1)
struct kb_bpf_body { const struct bpf_insn *code; size_t count; };
int kb_bpf_load(struct kb_run *, struct kb_bpf_body op, struct kb_bpf_body base, int expected);

/* Hooks of all that were loaded so. op and base are one call of bpf() that runs the program n times; check holds the program's
   count and its wrong results against them, and gives the kernel's own mean as kernel_ns. */
int kb_bpf_op(struct kb_run *, uint64_t n);
int kb_bpf_base(struct kb_run *, uint64_t n);
int kb_bpf_check(struct kb_run *, uint64_t n);

/* A map; entries and sizes as for bpf(). Its descriptor, or kb_skip where the kernel refuses it. */
int kb_bpf_map(struct kb_run *, int *fd, enum bpf_map_type type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries);
int kb_bpf_map_set(int fd, const void *key, const void *value);

/* So many routes of a network of this process alone, /24 prefixes drawn from the run's seed, all different, that lead nowhere
   (blackhole). addresses: one host in each, network byte order. kb_skip where they are refused. */
int kb_bpf_routes(struct kb_run *, uint32_t *addresses, uint32_t count);

#endif
