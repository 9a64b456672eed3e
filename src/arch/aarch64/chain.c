/*
 * The chains of aarch64. Registers are fixed so that one source gives the same bytes, hence the same hash, with every
 * compiler. x2 counts turns and lies on no chain: a counter on the chain would add its own cycles to the result.
 * The operand stays in a register: additions of small constants may vanish at rename and cost nothing.
 */
#include "arch/chain.h"
#include "kbench_code.h"

/* x2 loops of `body`, repeated %c[copies] times on a line boundary, then x3 times `single`. */
#define LOOP(name, body, single) \
	"	cbz	x2, 2f\n" \
	"	.p2align 6\n" \
	"kb_chain_" name "_body:\n" \
	"	.rept	%c[copies]\n" \
	"	" body "\n" \
	"	.endr\n" \
	"kb_chain_" name "_end:\n" \
	"	sub	x2, x2, 1\n" \
	"	cbnz	x2, kb_chain_" name "_body\n" \
	"2:	cbz	x3, 4f\n" \
	"3:	" single "\n" \
	"	sub	x3, x3, 1\n" \
	"	cbnz	x3, 3b\n" \
	"4:\n"

/* One chain. Called through the table only: a copy, inlined or cloned, would define the labels twice. */
#define CHAIN(name, count, text, ...) \
	extern const unsigned char kb_chain_##name##_body[], kb_chain_##name##_end[]; \
	static __attribute__((__noinline__)) void run_##name(struct kb_loop_state *state) \
	{ \
		register uint64_t x0 __asm__("x0") = state->start, x1 __asm__("x1") = state->operand; \
		register uint64_t x2 __asm__("x2") = state->loops, x3 __asm__("x3") = state->rest; \
		\
		__asm__ volatile(text \
				 : "+r"(x0), "+r"(x2), "+r"(x3) \
				 : "r"(x1), [copies] "i"(count) \
				 : __VA_ARGS__); \
		state->start = x0; \
		state->loops = x2; \
		state->rest = x3; \
	}
#define UNIFORM(name, instruction) CHAIN(name, KB_CHAIN_UNROLL, LOOP(#name, instruction, instruction), "memory")

UNIFORM(add, "add x0, x0, x1")
UNIFORM(xor, "eor x0, x0, x1")
UNIFORM(imul, "mul x0, x0, x1")
UNIFORM(load, "ldr x0, [x0]")

/* Ten registers: more than any core adds in the time one addition takes, and a divisor of KB_CHAIN_UNROLL. */
#define WIDTH 10u
#define OTHERS "x4,x5,x6,x7,x8,x9,x10,x11,x12"

CHAIN(issue, KB_CHAIN_UNROLL / WIDTH,
      ".irp r," OTHERS "\n	mov \\r, 0\n	.endr\n"
      LOOP("issue", ".irp r,x0," OTHERS "\n	add \\r, \\r, x1\n	.endr", "add x0, x0, x1")
      ".irp r," OTHERS "\n	add x0, x0, \\r\n	.endr\n",
      "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12")

const struct kb_chain_code kb_chain_codes[KB_CHAINS] = KB_CHAIN_ENTRIES(WIDTH);

/* ---- the contention probe ------------------------------------------------------------------------ */

/* The dispatch width and the adders of the core, filled: additions alone and no-operations alone each miss some neighbours. */
#define TWO_AND_NONE(a, b) "	add	" a ", " a ", x1\n	add	" b ", " b ", x1\n	nop\n"
#define SIX TWO_AND_NONE("x3", "x4") TWO_AND_NONE("x5", "x6") TWO_AND_NONE("x7", "x8")

const unsigned kb_contention_loop = 20;

__attribute__((__noinline__)) void kb_contention_run(uint64_t loops)
{
	__asm__ volatile("	.p2align 6\n"
			 "1:\n" SIX SIX
			 "	subs	%0, %0, 1\n"
			 "	b.ne	1b\n"
			 : "+r"(loops) : : "x3", "x4", "x5", "x6", "x7", "x8", "cc");
}
