/* What instruction.S has on x86-64. 15 registers of a kind are left for independent chains in vectors, 12 in integers. */
#include "arch/chain.h"
#include "kbench_code.h"
#include "extensions.h"

#define CHAINS(_) \
	_(ADD32, add32, 0) _(XOR32, xor32, 0) _(MUL32, mul32, 0) _(DIV32, div32, 0) _(MOD32, mod32, 0) _(DIV64, div64, 0) \
	_(MOD64, mod64, 0) _(FADD32, fadd32, 0) _(FMUL32, fmul32, 0) _(FDIV32, fdiv32, 0) _(FSQRT32, fsqrt32, 0) \
	_(FMA32, fma32, KB_HAS_FMA) _(FADD64, fadd64, 0) _(FMUL64, fmul64, 0) _(FDIV64, fdiv64, 0) _(FSQRT64, fsqrt64, 0) \
	_(FMA64, fma64, KB_HAS_FMA) _(XADD, xadd, 0) _(SWAP, swap, 0) _(CAS, cas, 0) _(FENCE, fence, 0) \
	_(PLAIN, plain, 0) _(CPUID, cpuid, 0) _(LFENCE, lfence, 0)
#define PIECES(_) \
	_(BRANCH, branch) _(JUMP, jump) _(CALL, call) _(WINDOW_NOP, window_nop) _(WINDOW_INTEGER, window_integer) \
	_(WINDOW_MIXED, window_mixed)
#define INTEGERS(_, op, needs) \
	_(op, 0, 1, needs) _(op, 1, 2, needs) _(op, 2, 3, needs) _(op, 3, 4, needs) _(op, 4, 5, needs) _(op, 5, 6, needs) \
	_(op, 6, 8, needs) _(op, 7, 10, needs) _(op, 8, 12, needs)
#define REALS(_, op, needs) INTEGERS(_, op, needs) _(op, 9, 15, needs)

#define DECLARE_CHAIN(index, name, needs) KB_DECLARE_CODE(name)
#define DECLARE_PIECE(index, name) KB_DECLARE_CODE(name)
#define DECLARE_PARALLEL(op, index, width, needs) KB_DECLARE_CODE(parallel_##op##width)

CHAINS(DECLARE_CHAIN)
PIECES(DECLARE_PIECE)
INTEGERS(DECLARE_PARALLEL, add, 0)
INTEGERS(DECLARE_PARALLEL, mul, 0)
REALS(DECLARE_PARALLEL, fadd, 0)
REALS(DECLARE_PARALLEL, fmul, 0)
REALS(DECLARE_PARALLEL, fma, KB_HAS_FMA)
KB_DECLARE_CODE(vector_32x128)
KB_DECLARE_CODE(vector_32x256)
KB_DECLARE_CODE(vector_32x512)
KB_DECLARE_CODE(vector_64x128)
KB_DECLARE_CODE(vector_64x256)
KB_DECLARE_CODE(vector_64x512)

#define CHAIN(index, name, needs) [KB_CODE_##index] = KB_CODE_ENTRY(name, KB_CHAIN_UNROLL, 1, needs),
#define PIECE(index, name) [KB_CODE_##index] = KB_CODE_ENTRY(name, 1, 1, 0),
#define PARALLEL(op, index, width, needs) [index] = KB_CODE_ENTRY(parallel_##op##width, KB_PARALLEL_UNROLL, width, needs),
#define VECTOR(name, needs) KB_CODE_ENTRY(vector_##name, KB_PARALLEL_UNROLL, KB_ACCUMULATORS, needs)

const struct kb_chain_code kb_codes[KB_CODES] = { CHAINS(CHAIN) PIECES(PIECE) };

const struct kb_chain_code kb_parallel_codes[KB_PARALLELS][KB_PARALLEL_KINDS] = {
	[KB_PARALLEL_ADD] = { INTEGERS(PARALLEL, add, 0) },
	[KB_PARALLEL_MUL] = { INTEGERS(PARALLEL, mul, 0) },
	[KB_PARALLEL_FADD] = { REALS(PARALLEL, fadd, 0) },
	[KB_PARALLEL_FMUL] = { REALS(PARALLEL, fmul, 0) },
	[KB_PARALLEL_FMA] = { REALS(PARALLEL, fma, KB_HAS_FMA) },
};

const struct kb_chain_code kb_vector_codes[2][3] = {
	{ VECTOR(32x128, KB_HAS_FMA), VECTOR(32x256, KB_HAS_FMA), VECTOR(32x512, KB_HAS_AVX512) },
	{ VECTOR(64x128, KB_HAS_FMA), VECTOR(64x256, KB_HAS_FMA), VECTOR(64x512, KB_HAS_AVX512) },
};
