/* What an architecture supplies for kb_chain and kbench_code.h: functions, and where their unrolled bodies lie. */
#ifndef KB_ARCH_CHAIN_H
#define KB_ARCH_CHAIN_H

#include "types.h"
#include "kbench.h"
#include "kbench_code.h"

struct kb_chain_code {
	/* unroll x loops + rest operations; of several registers on one chain `start` is the sum. */
	void (*run)(struct kb_loop_state *);
	const unsigned char *body, *body_end;   /* unroll operations */
	unsigned unroll;
	unsigned period;                        /* operations that repeat: 1, or one for each register */
	unsigned needs;                         /* a feature of the processor, see extensions.h of the architecture; 0: none */
};

/*
 * The contention probe: it takes longer while the core's other hardware thread runs, whatever that one does (doc/noise.md). Each of
 * the `loops` is kb_contention_loop instructions.
 */
void kb_contention_run(uint64_t loops);
extern const unsigned kb_contention_loop;

/* Indexed by enum kb_chain; defined in arch/ARCH/chain.c. */
extern const struct kb_chain_code kb_chain_codes[KB_CHAINS];

/* run_NAME of machine code in fixed registers: a is the chain and b its operand; c, turns of the body, and d, single operations, are
   counted down. Called through a table only: a copy, inlined or cloned, would define the labels twice. */
#define KB_CHAIN_FUNCTION(label, name, a, b, c, d, count, text, ...) \
	extern const unsigned char label##_body[], label##_end[]; \
	static __attribute__((__noinline__)) void run_##name(struct kb_loop_state *state) \
	{ \
		register uint64_t a __asm__(#a) = state->start, b __asm__(#b) = state->operand; \
		register uint64_t c __asm__(#c) = state->loops, d __asm__(#d) = state->rest; \
		\
		__asm__ volatile(text : "+r"(a), "+r"(c), "+r"(d) : "r"(b), [copies] "i"(count) : __VA_ARGS__); \
		state->start = a; \
		state->loops = c; \
		state->rest = d; \
	}

/* The chains of one repeated instruction, where KB_LOOP and KB_CODE of loop.h make them. */
#define KB_UNIFORM_CHAIN(name, instruction) \
	KB_CODE(kb_chain_##name, name, KB_CHAIN_UNROLL, KB_LOOP("kb_chain_" #name, instruction, instruction), "memory")
#define KB_UNIFORM_CHAINS(add_text, xor_text, imul_text, load_text) \
	KB_UNIFORM_CHAIN(add, add_text) KB_UNIFORM_CHAIN(xor, xor_text) KB_UNIFORM_CHAIN(imul, imul_text) KB_UNIFORM_CHAIN(load, load_text)

/* A target where no pointer may lead into a function (a kernel that guards its jumps) has no bodies to verify. */
#ifdef KB_CHAIN_NO_BODY
#define KB_CHAIN_ENTRY(name, period) { run_##name, 0, 0, KB_CHAIN_UNROLL, period, 0 }
#else
#define KB_CHAIN_ENTRY(name, period) \
	{ run_##name, kb_chain_##name##_body, kb_chain_##name##_end, KB_CHAIN_UNROLL, period, 0 }
#endif
#define KB_CHAIN_ENTRIES(issue_registers) { \
	[KB_CHAIN_ADD] = KB_CHAIN_ENTRY(add, 1), [KB_CHAIN_XOR] = KB_CHAIN_ENTRY(xor, 1), \
	[KB_CHAIN_IMUL] = KB_CHAIN_ENTRY(imul, 1), [KB_CHAIN_LOAD] = KB_CHAIN_ENTRY(load, 1), \
	[KB_CHAIN_ISSUE] = KB_CHAIN_ENTRY(issue, issue_registers) }

/* Defined in arch/ARCH/instruction_table.c. What is not there has no `run`. The second index counts widths. */
#define KB_PARALLEL_KINDS 11
extern const struct kb_chain_code kb_codes[KB_CODES];
extern const struct kb_chain_code kb_parallel_codes[KB_PARALLELS][KB_PARALLEL_KINDS];
extern const struct kb_chain_code kb_vector_codes[2][3];        /* 32, 64 bits; 128, 256, 512 bits */

#endif
