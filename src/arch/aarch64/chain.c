/*
 * The chains of aarch64. Registers are fixed so that one source gives the same bytes, hence the same hash, with every
 * compiler. x2 counts turns and lies on no chain: a counter on the chain would add its own cycles to the result.
 * The operand stays in a register: additions of small constants may vanish at rename and cost nothing.
 */
#include "loop.h"
#include "kbench_code.h"

KB_UNIFORM_CHAINS("add x0, x0, x1", "eor x0, x0, x1", "mul x0, x0, x1", "ldr x0, [x0]")

/* Ten registers: more than any core adds in the time one addition takes, and a divisor of KB_CHAIN_UNROLL. */
#define WIDTH 10u
#define OTHERS "x4,x5,x6,x7,x8,x9,x10,x11,x12"

KB_CODE(kb_chain_issue, issue, KB_CHAIN_UNROLL / WIDTH,
	".irp r," OTHERS "\n	mov \\r, 0\n	.endr\n"
	KB_LOOP("kb_chain_issue", ".irp r,x0," OTHERS "\n	add \\r, \\r, x1\n	.endr", "add x0, x0, x1")
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
