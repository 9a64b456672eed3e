/*
 * The tables of arch/ARCH/instruction_table.c, from lists of what instruction.S has there. A list is a macro that calls
 * X(index, name, needs) for each: KB_CODE_index, the function's name behind kb_code_, a feature of extensions.h or 0.
 */
#ifndef KB_ARCH_CODE_TABLE_H
#define KB_ARCH_CODE_TABLE_H

#include "arch/chain.h"

#define KB_DECLARE_CODE(name) \
	void kb_code_##name(struct kb_loop_state *); \
	extern const unsigned char kb_code_##name##_body[], kb_code_##name##_end[];
#define KB_CODE_ENTRY(name, unroll, period, needs) \
	{ kb_code_##name, kb_code_##name##_body, kb_code_##name##_end, unroll, period, needs }

/* Vectors: 32 or 64 bits an element, x bits a vector. */
#define KB_VECTOR_ENTRY(shape, needs) KB_CODE_ENTRY(vector_##shape, KB_PARALLEL_UNROLL, KB_ACCUMULATORS, needs)

/* What every architecture has; `fma_needs` is for multiply-add. Atomic operations and barriers differ. */
#define KB_CHAINS_OF_ALL(X, fma_needs) \
	X(ADD32, add32, 0) X(XOR32, xor32, 0) X(MUL32, mul32, 0) X(DIV32, div32, 0) X(MOD32, mod32, 0) X(DIV64, div64, 0) \
	X(MOD64, mod64, 0) X(FADD32, fadd32, 0) X(FMUL32, fmul32, 0) X(FDIV32, fdiv32, 0) X(FSQRT32, fsqrt32, 0) \
	X(FMA32, fma32, fma_needs) X(FADD64, fadd64, 0) X(FMUL64, fmul64, 0) X(FDIV64, fdiv64, 0) X(FSQRT64, fsqrt64, 0) \
	X(FMA64, fma64, fma_needs) X(FENCE, fence, 0) X(PLAIN, plain, 0)
#define KB_PIECES_OF_ALL(X) \
	X(BRANCH, branch, 0) X(JUMP, jump, 0) X(CALL, call, 0) X(WINDOW_NOP, window_nop, 0) \
	X(WINDOW_INTEGER, window_integer, 0) X(WINDOW_MIXED, window_mixed, 0)

/* Independent chains, by how many registers of the kind are left: X(op, place among KB_PARALLEL_WIDTHS, width, needs). */
#define KB_WIDTHS_TO_12(X, op, needs) \
	X(op, 0, 1, needs) X(op, 1, 2, needs) X(op, 2, 3, needs) X(op, 3, 4, needs) X(op, 4, 5, needs) X(op, 5, 6, needs) \
	X(op, 6, 8, needs) X(op, 7, 10, needs) X(op, 8, 12, needs)
#define KB_WIDTHS_TO_15(X, op, needs) KB_WIDTHS_TO_12(X, op, needs) X(op, 9, 15, needs)
#define KB_WIDTHS_TO_16(X, op, needs) KB_WIDTHS_TO_15(X, op, needs) X(op, 10, 16, needs)

#define KB_CHAIN_DECLARED(index, name, needs) KB_DECLARE_CODE(name)
#define KB_CHAIN_LISTED(index, name, needs) [KB_CODE_##index] = KB_CODE_ENTRY(name, KB_CHAIN_UNROLL, 1, needs),
#define KB_PIECE_LISTED(index, name, needs) [KB_CODE_##index] = KB_CODE_ENTRY(name, 1, 1, needs),
#define KB_PARALLEL_DECLARED(op, place, width, needs) KB_DECLARE_CODE(parallel_##op##width)
#define KB_PARALLEL_LISTED(op, place, width, needs) \
	[place] = KB_CODE_ENTRY(parallel_##op##width, KB_PARALLEL_UNROLL, width, needs),

/* kb_codes and kb_parallel_codes; integers and reals: how wide they go. */
#define KB_DEFINE_CODES(chains, integers, reals, fma_needs) \
	chains(KB_CHAIN_DECLARED) KB_PIECES_OF_ALL(KB_CHAIN_DECLARED) \
	integers(KB_PARALLEL_DECLARED, add, 0) integers(KB_PARALLEL_DECLARED, mul, 0) \
	reals(KB_PARALLEL_DECLARED, fadd, 0) reals(KB_PARALLEL_DECLARED, fmul, 0) reals(KB_PARALLEL_DECLARED, fma, fma_needs) \
	const struct kb_chain_code kb_codes[KB_CODES] = { chains(KB_CHAIN_LISTED) KB_PIECES_OF_ALL(KB_PIECE_LISTED) }; \
	const struct kb_chain_code kb_parallel_codes[KB_PARALLELS][KB_PARALLEL_KINDS] = { \
		[KB_PARALLEL_ADD] = { integers(KB_PARALLEL_LISTED, add, 0) }, \
		[KB_PARALLEL_MUL] = { integers(KB_PARALLEL_LISTED, mul, 0) }, \
		[KB_PARALLEL_FADD] = { reals(KB_PARALLEL_LISTED, fadd, 0) }, \
		[KB_PARALLEL_FMUL] = { reals(KB_PARALLEL_LISTED, fmul, 0) }, \
		[KB_PARALLEL_FMA] = { reals(KB_PARALLEL_LISTED, fma, fma_needs) }, \
	}

#endif
