/*
 * kbench_code.h - machine code whose bytes are known, for benchmarks below 100 ns: chains, pieces of other code, clock readings.
 *
 * Each piece beyond the chains lies in src/arch/ARCH/instruction.S: a loop around an unrolled body. It counts its turns itself, so that
 * kb_code_run() can say how many operations were executed, and not how many were asked for.
 */
#ifndef KBENCH_CODE_H
#define KBENCH_CODE_H

#include <kbench.h>

/* Exact machine code: n dependent operations on one register, unrolled KB_CHAIN_UNROLL times.
   Returns the final register value; kb_chain_expect() computes it independently. */
enum kb_chain { KB_CHAIN_ADD, KB_CHAIN_XOR, KB_CHAIN_IMUL, KB_CHAIN_LOAD, KB_CHAIN_ISSUE, KB_CHAINS };
#define KB_CHAIN_UNROLL 100u
uint64_t kb_chain(enum kb_chain, uint64_t n, uint64_t start, uint64_t operand);
uint64_t kb_chain_expect(enum kb_chain, uint64_t n, uint64_t start, uint64_t operand);

/* 0 when the loop body is KB_CHAIN_UNROLL copies of one instruction; *hash gets the CRC-32 of its bytes. */
int kb_chain_verify(enum kb_chain, uint32_t *hash);

/* Ways to read the clock: plain, ordered, an empty sample. n readings, each compared with the one before; returns the
   last one, 0 when the clock stepped back. */
enum kb_reading { KB_READ_LIGHT, KB_READ_ORDERED, KB_READ_PAIR };
uint64_t kb_read_clock(enum kb_reading, uint64_t n);

/* A piece of code reads and writes its registers here. What `more` means is said at each piece. */
#define KB_LOOP_MORE 16
struct kb_loop_state {
	uint64_t loops, rest;   /* turns of the whole body, then single operations: both are counted down to 0 */
	uint64_t start;         /* the register of the chain; the final value comes back */
	uint64_t operand;
	uint64_t more[KB_LOOP_MORE];
};

struct kb_chain_code;

/* Instructions in a chain from start to start. Integers are unsigned; float and double are given by their bits.
   mod: start % operand + the first start, since a remainder alone would soon be small: one addition is inside. */
enum kb_code {
	KB_CODE_ADD32, KB_CODE_XOR32, KB_CODE_MUL32, KB_CODE_DIV32, KB_CODE_MOD32, KB_CODE_DIV64, KB_CODE_MOD64,
	KB_CODE_FADD32, KB_CODE_FMUL32, KB_CODE_FDIV32, KB_CODE_FSQRT32, KB_CODE_FMA32,
	KB_CODE_FADD64, KB_CODE_FMUL64, KB_CODE_FDIV64, KB_CODE_FSQRT64, KB_CODE_FMA64,
	KB_CODE_CHAIN_LAST = KB_CODE_FMA64,
	/* On the cell at more[0]; start is the register. xadd: both exchanged, then the cell is their sum. swap: exchanged, then
	   operand added to the register. cas, llsc, plain: operand added to the cell. fence: register stored, full barrier,
	   operand added to the register. */
	KB_CODE_XADD, KB_CODE_SWAP, KB_CODE_CAS, KB_CODE_LLSC, KB_CODE_FENCE, KB_CODE_PLAIN,
	/* Alone, without a value. */
	KB_CODE_CPUID, KB_CODE_LFENCE, KB_CODE_ISB, KB_CODE_FENCE_I,
	/* Goes along bytes at operand: position more[1], then & more[0]. branch: start counts the bytes that are not 0, each by
	   a branch that the others take. jump: to one of 64 targets, which adds its number + 1 to start. */
	KB_CODE_BRANCH, KB_CODE_JUMP,
	KB_CODE_CALL,           /* a turn is more[0] nested calls, at most 64; each adds operand to start */
	/* Two loads that follow pointers, start and more[0], and operand fillers behind each, at most KB_FILLERS: no-operations,
	   integer instructions, integer and vector instructions in turn (operand even). */
	KB_CODE_WINDOW_NOP, KB_CODE_WINDOW_INTEGER, KB_CODE_WINDOW_MIXED,
	KB_CODES
};
#define KB_FILLERS 1024u

/* NULL: this processor lacks it, or there is none for this architecture. */
const struct kb_chain_code *kb_code(enum kb_code);

/* KB_PARALLEL_UNROLL instructions of one kind, in turn on the first 1..16 of the registers in `more`; each gets operand. */
enum kb_parallel { KB_PARALLEL_ADD, KB_PARALLEL_MUL, KB_PARALLEL_FADD, KB_PARALLEL_FMUL, KB_PARALLEL_FMA, KB_PARALLELS };
#define KB_PARALLEL_UNROLL 240u
#define KB_PARALLEL_WIDTHS "1,2,3,4,5,6,8,10,12,15,16"  /* divisors of it */
const struct kb_chain_code *kb_code_parallel(enum kb_parallel, unsigned width);

/* KB_PARALLEL_UNROLL multiply-adds a = a x b + b, in turn on KB_ACCUMULATORS vectors, of 32 or 64 bits an element.
   start points at the vectors, 64 bytes apart; b is the last, behind the accumulators. */
#define KB_ACCUMULATORS 12u
const struct kb_chain_code *kb_code_vector(unsigned element_bits, unsigned vector_bits);

/* n operations; returns how many were executed: whole turns times the unrolling, and the rest. */
uint64_t kb_code_run(const struct kb_chain_code *, uint64_t n, struct kb_loop_state *);

/* A chain of kbench.h as such a piece. */
const struct kb_chain_code *kb_chain_code(enum kb_chain);

/* 0 when the body is what it claims to be: copies of the same instructions. *hash gets the CRC-32 of its bytes. */
int kb_chain_code_verify(const struct kb_chain_code *, uint32_t *hash);

/* Values with which a chain takes longest (worst: quotients and mantissas with all their digits) or shortest. They
   keep it going: no overflow, and where it can be, a value that tells n. */
void kb_code_inputs(enum kb_code, bool best, uint64_t *start, uint64_t *operand);

/* What the register must be after n operations from those inputs, worked out with integers only. */
uint64_t kb_code_expect(enum kb_code, bool best, uint64_t n);

/* kb_read_clock() that returns how many of the n readings were made and not before the one before; *last is the last one. */
uint64_t kb_count_readings(enum kb_reading, uint64_t n, uint64_t *last);

/* For setup: the code is there, is what it claims, and its hash is recorded. 0, or what setup returns. */
static inline int kb_code_ready(struct kb_run *run, const struct kb_chain_code *code, const char *name)
{
	uint32_t hash;

	if (!code)
		return kb_skip(run, "%s: no such instruction, or not so many registers, on this processor", name);
	if (kb_chain_code_verify(code, &hash))
		return kb_fail(run, 5, "the code of %s (%08x) is not one repeated piece", name, hash);
	kb_code_hash(run, hash);
	return 0;
}

#endif
