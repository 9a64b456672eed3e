/*
 * The chains of riscv64. Registers are fixed so that one source gives the same bytes, hence the same hash, with every
 * compiler. a2 counts turns and lies on no chain: a counter on the chain would add its own cycles to the result.
 * The operand stays in a register: additions of small constants may vanish at rename and cost nothing.
 */
#include "loop.h"
#include "kbench_code.h"

KB_UNIFORM_CHAINS("add a0, a0, a1", "xor a0, a0, a1", "mul a0, a0, a1", "ld a0, 0(a0)")

/* Ten registers: more than any core adds in the time one addition takes, and a divisor of KB_CHAIN_UNROLL. */
#define WIDTH 10u
#define OTHERS "a4,a5,a6,a7,t0,t1,t2,t3,t4"

KB_CODE(kb_chain_issue, issue, KB_CHAIN_UNROLL / WIDTH,
	".irp r," OTHERS "\n	li \\r, 0\n	.endr\n"
	KB_LOOP("kb_chain_issue", ".irp r,a0," OTHERS "\n	add \\r, \\r, a1\n	.endr", "add a0, a0, a1")
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
