/*
 * The nine expressions of riscv64. Fixed registers, so that one source gives the same bytes with every compiler: a0 is a,
 * a1 is b, t0 what lies between; a2 counts turns and lies on no chain.
 */
#include "arch/expression.h"
#include "kbench_code.h"

/* a2 loops of `body`, repeated %c[copies] times on a line boundary, not compressed, then a3 times more. */
#define EXPRESSION(number, body) \
	extern const unsigned char kb_expression_##number##_body[], kb_expression_##number##_end[]; \
	static __attribute__((noinline)) void run_##number(struct kb_loop_state *state) \
	{ \
		register uint64_t a0 __asm__("a0") = state->start, a1 __asm__("a1") = state->operand; \
		register uint64_t a2 __asm__("a2") = state->loops, a3 __asm__("a3") = state->rest; \
		\
		__asm__ volatile("	.option	push\n" \
				 "	.option	norvc\n" \
				 "	beqz	a2, 2f\n" \
				 "	.p2align 6\n" \
				 "kb_expression_" #number "_body:\n" \
				 "	.rept	%c[copies]\n" \
				 "	" body "\n" \
				 "	.endr\n" \
				 "kb_expression_" #number "_end:\n" \
				 "	addi	a2, a2, -1\n" \
				 "	bnez	a2, kb_expression_" #number "_body\n" \
				 "2:	beqz	a3, 4f\n" \
				 "3:	" body "\n" \
				 "	addi	a3, a3, -1\n" \
				 "	bnez	a3, 3b\n" \
				 "4:\n" \
				 "	.option	pop\n" \
				 : "+r"(a0), "+r"(a2), "+r"(a3) \
				 : "r"(a1), [copies] "i"(KB_CHAIN_UNROLL) \
				 : "t0", "memory"); \
		state->start = a0; \
		state->loops = a2; \
		state->rest = a3; \
	}

EXPRESSION(1, "ld a0, 0(a0)")
EXPRESSION(2, "add t0, a0, a0; xor a0, a0, t0")
EXPRESSION(3, "add t0, a0, a0; add t0, t0, a0; xor a0, a0, t0")
EXPRESSION(4, "sra a0, a0, a1")
EXPRESSION(5, "add t0, a0, a0; sra a0, a0, t0")
EXPRESSION(6, "sll t0, a0, a1; xor a0, a0, t0")
EXPRESSION(7, "add t0, a0, a1; xor a0, a0, t0")
EXPRESSION(8, "add t0, a0, a1; andi t0, t0, 7; add a0, a0, t0")
EXPRESSION(9, "addi a0, a0, 1; xori a0, a0, 1; slli a0, a0, 1")

const struct kb_chain_code kb_expression_codes[KB_EXPRESSIONS] = KB_EXPRESSION_ENTRIES;
