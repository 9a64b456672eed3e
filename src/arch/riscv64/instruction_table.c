/* What instruction.S has on riscv64. There is no compare-and-swap in RV64G, and no vectors. */
#include "arch/chain.h"
#include "kbench_code.h"

#define CHAINS(_) \
	_(ADD32, add32, 0) _(XOR32, xor32, 0) _(MUL32, mul32, 0) _(DIV32, div32, 0) _(MOD32, mod32, 0) _(DIV64, div64, 0) \
	_(MOD64, mod64, 0) _(FADD32, fadd32, 0) _(FMUL32, fmul32, 0) _(FDIV32, fdiv32, 0) _(FSQRT32, fsqrt32, 0) \
	_(FMA32, fma32, 0) _(FADD64, fadd64, 0) _(FMUL64, fmul64, 0) _(FDIV64, fdiv64, 0) _(FSQRT64, fsqrt64, 0) \
	_(FMA64, fma64, 0) _(XADD, xadd, 0) _(SWAP, swap, 0) _(LLSC, llsc, 0) _(FENCE, fence, 0) _(PLAIN, plain, 0) \
	_(FENCE_I, fence_i, 0)
#define PIECES(_) \
	_(BRANCH, branch) _(JUMP, jump) _(CALL, call) _(WINDOW_NOP, window_nop) _(WINDOW_INTEGER, window_integer) \
	_(WINDOW_MIXED, window_mixed)
#define WIDTHS(_, op) \
	_(op, 0, 1) _(op, 1, 2) _(op, 2, 3) _(op, 3, 4) _(op, 4, 5) _(op, 5, 6) _(op, 6, 8) _(op, 7, 10) _(op, 8, 12) \
	_(op, 9, 15) _(op, 10, 16)

#define DECLARE_CHAIN(index, name, needs) KB_DECLARE_CODE(name)
#define DECLARE_PIECE(index, name) KB_DECLARE_CODE(name)
#define DECLARE_PARALLEL(op, index, width) KB_DECLARE_CODE(parallel_##op##width)

CHAINS(DECLARE_CHAIN)
PIECES(DECLARE_PIECE)
WIDTHS(DECLARE_PARALLEL, add)
WIDTHS(DECLARE_PARALLEL, mul)
WIDTHS(DECLARE_PARALLEL, fadd)
WIDTHS(DECLARE_PARALLEL, fmul)
WIDTHS(DECLARE_PARALLEL, fma)

#define CHAIN(index, name, needs) [KB_CODE_##index] = KB_CODE_ENTRY(name, KB_CHAIN_UNROLL, 1, needs),
#define PIECE(index, name) [KB_CODE_##index] = KB_CODE_ENTRY(name, 1, 1, 0),
#define PARALLEL(op, index, width) [index] = KB_CODE_ENTRY(parallel_##op##width, KB_PARALLEL_UNROLL, width, 0),

const struct kb_chain_code kb_codes[KB_CODES] = { CHAINS(CHAIN) PIECES(PIECE) };

const struct kb_chain_code kb_parallel_codes[KB_PARALLELS][KB_PARALLEL_KINDS] = {
	[KB_PARALLEL_ADD] = { WIDTHS(PARALLEL, add) },
	[KB_PARALLEL_MUL] = { WIDTHS(PARALLEL, mul) },
	[KB_PARALLEL_FADD] = { WIDTHS(PARALLEL, fadd) },
	[KB_PARALLEL_FMUL] = { WIDTHS(PARALLEL, fmul) },
	[KB_PARALLEL_FMA] = { WIDTHS(PARALLEL, fma) },
};

const struct kb_chain_code kb_vector_codes[2][3];
