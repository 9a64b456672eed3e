/*
 * The chains of x86-64. Registers are fixed so that one source gives the same bytes, hence the same hash, with every
 * compiler. rcx counts turns and lies on no chain: a counter on the chain would add its own cycles to the result.
 * The operand stays in a register: additions of small constants vanish at rename on some cores and cost nothing.
 */
#include "arch/chain.h"
#include "kbench_code.h"
#include "loop.h"

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
#define UNIFORM(name, instruction) CHAIN(name, KB_CHAIN_UNROLL, KB_LOOP("kb_chain_" #name, "rcx", instruction, instruction), "memory")

UNIFORM(add, "add %%rdx, %%rax")
UNIFORM(xor, "xor %%rdx, %%rax")
UNIFORM(imul, "imul %%rdx, %%rax")
UNIFORM(load, "mov (%%rax), %%rax")

/* Ten registers: more than any core adds in the time one addition takes, and a divisor of KB_CHAIN_UNROLL. */
#define WIDTH 10u
#define OTHERS "rbx,rsi,r8,r9,r10,r11,r12,r13,r14"

CHAIN(issue, KB_CHAIN_UNROLL / WIDTH,
      ".irp r," OTHERS "\n	xor %%\\r, %%\\r\n	.endr\n"
      KB_LOOP("kb_chain_issue", "rcx", ".irp r,rax," OTHERS "\n	add %%rdx, %%\\r\n	.endr", "add %%rdx, %%rax")
      ".irp r," OTHERS "\n	add %%\\r, %%rax\n	.endr\n",
      "rbx", "rsi", "r8", "r9", "r10", "r11", "r12", "r13", "r14")

const struct kb_chain_code kb_chain_codes[KB_CHAINS] = KB_CHAIN_ENTRIES(WIDTH);

/* ---- the contention probe ------------------------------------------------------------------------ */

const unsigned kb_contention_loop = KB_CONTENTION_LOOP;

__attribute__((__noinline__)) void kb_contention_run(uint64_t loops)
{
	KB_CONTENTION("r", loops);
}
