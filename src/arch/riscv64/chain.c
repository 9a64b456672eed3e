/*
 * The chains of riscv64. Registers are fixed so that one source gives the same bytes, hence the same hash, with every
 * compiler. a2 counts turns and lies on no chain: a counter on the chain would add its own cycles to the result.
 * The operand stays in a register: additions of small constants may vanish at rename and cost nothing.
 */
#include "arch/chain.h"
#include "kbench_code.h"

/* a2 loops of `body`, repeated %c[copies] times on a line boundary, not compressed, then a3 times `single`. The boundary is
   reached while compressed padding is allowed: what comes before may end between two words. */
#define LOOP(name, body, single) \
	"	beqz	a2, 2f\n" \
	"	.p2align 6\n" \
	"	.option	push\n" \
	"	.option	norvc\n" \
	"kb_chain_" name "_body:\n" \
	"	.rept	%c[copies]\n" \
	"	" body "\n" \
	"	.endr\n" \
	"kb_chain_" name "_end:\n" \
	"	addi	a2, a2, -1\n" \
	"	bnez	a2, kb_chain_" name "_body\n" \
	"2:	beqz	a3, 4f\n" \
	"3:	" single "\n" \
	"	addi	a3, a3, -1\n" \
	"	bnez	a3, 3b\n" \
	"4:\n" \
	"	.option	pop\n"

/* One chain. Called through the table only: a copy, inlined or cloned, would define the labels twice. */
#define CHAIN(name, count, text, ...) \
	extern const unsigned char kb_chain_##name##_body[], kb_chain_##name##_end[]; \
	static __attribute__((__noinline__)) void run_##name(struct kb_loop_state *state) \
	{ \
		register uint64_t a0 __asm__("a0") = state->start, a1 __asm__("a1") = state->operand; \
		register uint64_t a2 __asm__("a2") = state->loops, a3 __asm__("a3") = state->rest; \
		\
		__asm__ volatile(text \
				 : "+r"(a0), "+r"(a2), "+r"(a3) \
				 : "r"(a1), [copies] "i"(count) \
				 : __VA_ARGS__); \
		state->start = a0; \
		state->loops = a2; \
		state->rest = a3; \
	}
#define UNIFORM(name, instruction) CHAIN(name, KB_CHAIN_UNROLL, LOOP(#name, instruction, instruction), "memory")

UNIFORM(add, "add a0, a0, a1")
UNIFORM(xor, "xor a0, a0, a1")
UNIFORM(imul, "mul a0, a0, a1")
UNIFORM(load, "ld a0, 0(a0)")

/* Ten registers: more than any core adds in the time one addition takes, and a divisor of KB_CHAIN_UNROLL. */
#define WIDTH 10u
#define OTHERS "a4,a5,a6,a7,t0,t1,t2,t3,t4"

CHAIN(issue, KB_CHAIN_UNROLL / WIDTH,
      ".irp r," OTHERS "\n	li \\r, 0\n	.endr\n"
      LOOP("issue", ".irp r,a0," OTHERS "\n	add \\r, \\r, a1\n	.endr", "add a0, a0, a1")
      ".irp r," OTHERS "\n	add a0, a0, \\r\n	.endr\n",
      "a4", "a5", "a6", "a7", "t0", "t1", "t2", "t3", "t4")

const struct kb_chain_code kb_chain_codes[KB_CHAINS] = KB_CHAIN_ENTRIES(WIDTH);

/* ---- the contention probe ------------------------------------------------------------------------ */

/* The dispatch width and the adders of the core, filled: additions alone and no-operations alone each miss some neighbours. A
   no-operation is an addi of 0 to the zero register, uncompressed, as the chains are. */
#define TWO_AND_NONE(a, b) "	add	" a ", " a ", a1\n	add	" b ", " b ", a1\n	nop\n"
#define SIX TWO_AND_NONE("a3", "a4") TWO_AND_NONE("a5", "a6") TWO_AND_NONE("a7", "t0")

const unsigned kb_contention_loop = 20;

__attribute__((__noinline__)) void kb_contention_run(uint64_t loops)
{
	__asm__ volatile("	.p2align 6\n"
			 "	.option	push\n"
			 "	.option	norvc\n"
			 "1:\n" SIX SIX
			 "	addi	%0, %0, -1\n"
			 "	bnez	%0, 1b\n"
			 "	.option	pop\n"
			 : "+r"(loops) : : "a3", "a4", "a5", "a6", "a7", "t0");
}
