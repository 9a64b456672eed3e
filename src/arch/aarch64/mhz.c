/*
 * The nine expressions of aarch64. Fixed registers, so that one source gives the same bytes with every compiler: x0 is a,
 * x1 is b, x4 what lies between; x2 counts turns and lies on no chain.
 */
#include "arch/expression.h"
#include "kbench_code.h"

/* x2 loops of `body`, repeated %c[copies] times on a line boundary, then x3 times more. */
#define EXPRESSION(number, body) \
	extern const unsigned char kb_expression_##number##_body[], kb_expression_##number##_end[]; \
	static __attribute__((noinline)) void run_##number(struct kb_loop_state *state) \
	{ \
		register uint64_t x0 __asm__("x0") = state->start, x1 __asm__("x1") = state->operand; \
		register uint64_t x2 __asm__("x2") = state->loops, x3 __asm__("x3") = state->rest; \
		\
		__asm__ volatile("	cbz	x2, 2f\n" \
				 "	.p2align 6\n" \
				 "kb_expression_" #number "_body:\n" \
				 "	.rept	%c[copies]\n" \
				 "	" body "\n" \
				 "	.endr\n" \
				 "kb_expression_" #number "_end:\n" \
				 "	sub	x2, x2, 1\n" \
				 "	cbnz	x2, kb_expression_" #number "_body\n" \
				 "2:	cbz	x3, 4f\n" \
				 "3:	" body "\n" \
				 "	sub	x3, x3, 1\n" \
				 "	cbnz	x3, 3b\n" \
				 "4:\n" \
				 : "+r"(x0), "+r"(x2), "+r"(x3) \
				 : "r"(x1), [copies] "i"(KB_CHAIN_UNROLL) \
				 : "x4", "memory"); \
		state->start = x0; \
		state->loops = x2; \
		state->rest = x3; \
	}

EXPRESSION(1, "ldr x0, [x0]")
EXPRESSION(2, "add x4, x0, x0; eor x0, x0, x4")
EXPRESSION(3, "add x4, x0, x0; add x4, x4, x0; eor x0, x0, x4")
EXPRESSION(4, "asr x0, x0, x1")
EXPRESSION(5, "add x4, x0, x0; asr x0, x0, x4")
EXPRESSION(6, "lsl x4, x0, x1; eor x0, x0, x4")
EXPRESSION(7, "add x4, x0, x1; eor x0, x0, x4")
EXPRESSION(8, "add x4, x0, x1; and x4, x4, 7; add x0, x0, x4")
EXPRESSION(9, "add x0, x0, 1; eor x0, x0, 1; lsl x0, x0, 1")

const struct kb_chain_code kb_expression_codes[KB_EXPRESSIONS] = KB_EXPRESSION_ENTRIES;
