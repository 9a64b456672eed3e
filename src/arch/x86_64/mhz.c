/*
 * The nine expressions of x86-64. Fixed registers, so that one source gives the same bytes with every compiler: rax is a,
 * rdx is b, rcx a count of shifts, rsi what lies between; r9 counts turns and lies on no chain.
 */
#include "arch/expression.h"
#include "kbench_code.h"
#include "loop.h"

#define EXPRESSION(number, body) \
	extern const unsigned char kb_expression_##number##_body[], kb_expression_##number##_end[]; \
	static __attribute__((noinline)) void run_##number(struct kb_loop_state *state) \
	{ \
		register uint64_t loops __asm__("r9") = state->loops; \
		\
		__asm__ volatile("	mov	%%rdx, %%rcx\n" KB_LOOP("kb_expression_" #number, "r9", body, body) \
				 : "+a"(state->start), "+D"(state->rest), "+r"(loops) \
				 : "d"(state->operand), [copies] "i"(KB_CHAIN_UNROLL) \
				 : "rcx", "rsi", "cc", "memory"); \
		state->loops = loops; \
	}

EXPRESSION(1, "mov (%%rax), %%rax")
EXPRESSION(2, "lea (%%rax,%%rax), %%rsi; xor %%rsi, %%rax")
EXPRESSION(3, "lea (%%rax,%%rax), %%rsi; add %%rax, %%rsi; xor %%rsi, %%rax")
EXPRESSION(4, "sar %%cl, %%rax")
EXPRESSION(5, "lea (%%rax,%%rax), %%ecx; sar %%cl, %%rax")
EXPRESSION(6, "mov %%rax, %%rsi; shl %%cl, %%rsi; xor %%rsi, %%rax")
EXPRESSION(7, "lea (%%rax,%%rdx), %%rsi; xor %%rsi, %%rax")
EXPRESSION(8, "lea (%%rax,%%rdx), %%rsi; and $7, %%esi; add %%rsi, %%rax")
EXPRESSION(9, "add $1, %%rax; xor $1, %%rax; shl $1, %%rax")

const struct kb_chain_code kb_expression_codes[KB_EXPRESSIONS] = KB_EXPRESSION_ENTRIES;
