/*
 * The chains of x86-64. Registers are fixed so that one source gives the same bytes, hence the same hash, with every
 * compiler. rcx counts turns and lies on no chain: a counter on the chain would add its own cycles to the result.
 * The operand stays in a register: additions of small constants vanish at rename on some cores and cost nothing.
 */
#include "arch/chain.h"
#include "kbench_code.h"

/* rcx loops of `body`, repeated %c[copies] times on a line boundary, then rdi times `single`. */
#define CIRCLE(name, body, single) \
	"	test	%%rcx, %%rcx\n" \
	"	jz	2f\n" \
	"	.p2align 6\n" \
	"kb_chain_" name "_body:\n" \
	"	.rept	%c[copies]\n" \
	"	" body "\n" \
	"	.endr\n" \
	"kb_chain_" name "_end:\n" \
	"	dec	%%rcx\n" \
	"	jnz	kb_chain_" name "_body\n" \
	"2:	test	%%rdi, %%rdi\n" \
	"	jz	4f\n" \
	"3:	" single "\n" \
	"	dec	%%rdi\n" \
	"	jnz	3b\n" \
	"4:\n"

/* One chain. Called through the table only: a copy, inlined or cloned, would define the labels twice. */
#define CHAIN(name, count, text, ...) \
	extern const unsigned char kb_chain_##name##_body[], kb_chain_##name##_end[]; \
	static __attribute__((__noinline__)) void run_##name(struct kb_loop_state *state) \
	{ \
		__asm__ volatile(text \
				 : "+a"(state->start), "+c"(state->loops), "+D"(state->rest) \
				 : "d"(state->operand), [copies] "i"(count) \
				 : "cc", __VA_ARGS__); \
	}
#define UNIFORM(name, instruction) CHAIN(name, KB_CHAIN_UNROLL, CIRCLE(#name, instruction, instruction), "memory")

UNIFORM(add, "add %%rdx, %%rax")
UNIFORM(xor, "xor %%rdx, %%rax")
UNIFORM(imul, "imul %%rdx, %%rax")
UNIFORM(load, "mov (%%rax), %%rax")

/* Ten registers: more than any core adds in the time one addition takes, and a divisor of KB_CHAIN_UNROLL. */
#define WIDTH 10u
#define OTHERS "rbx,rsi,r8,r9,r10,r11,r12,r13,r14"

CHAIN(issue, KB_CHAIN_UNROLL / WIDTH,
      ".irp r," OTHERS "\n	xor %%\\r, %%\\r\n	.endr\n"
      CIRCLE("issue", ".irp r,rax," OTHERS "\n	add %%rdx, %%\\r\n	.endr", "add %%rdx, %%rax")
      ".irp r," OTHERS "\n	add %%\\r, %%rax\n	.endr\n",
      "rbx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14")

const struct kb_chain_code kb_chain_codes[KB_CHAINS] = KB_CHAIN_ENTRIES(WIDTH);

/* ---- the contention probe ------------------------------------------------------------------------ */

#define TWO_AND_NONE(a, b) "	add	%%rdx, %%" a "\n	add	%%rdx, %%" b "\n	nop\n"
#define SIX TWO_AND_NONE("rax", "rbx") TWO_AND_NONE("rsi", "rdi") TWO_AND_NONE("r8", "r9")

__attribute__((__noinline__)) void kb_contention_run(uint64_t loops)
{
	__asm__ volatile("	.p2align 6\n"
			 "1:\n" SIX SIX
			 "	dec	%%rcx\n"
			 "	jnz	1b\n"
			 : "+c"(loops) : : "rax", "rbx", "rsi", "rdi", "r8", "r9", "cc");
}
