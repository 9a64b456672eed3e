/*
 * The chains of x86-32, the probes of every process. Registers are fixed so that one source gives the same bytes, hence
 * the same hash, with every compiler. ecx counts turns and lies on no chain: a counter on the chain would add its own
 * cycles to the result. The operand stays in a register: additions of small constants vanish at rename on some cores and
 * cost nothing. Registers hold the lower halves of what the caller knows as 64 bits.
 */
#include "arch/chain.h"
#include "arch/x86_64/loop.h"
#include "kbench_code.h"

/* What no register can count is left for the caller to see: turns beyond 2^32. */
static uint32_t counted(uint64_t loops)
{
	return loops < UINT32_MAX ? (uint32_t)loops : UINT32_MAX;
}

/* One chain. Called through the table only: a copy, inlined or cloned, would define the labels twice. */
#define CHAIN(name, count, text, ...) \
	extern const unsigned char kb_chain_##name##_body[], kb_chain_##name##_end[]; \
	static __attribute__((__noinline__)) void run_##name(struct kb_loop_state *state) \
	{ \
		uint32_t start = (uint32_t)state->start, given = counted(state->loops), loops = given; \
		uint32_t rest = (uint32_t)state->rest; \
		\
		__asm__ volatile(text \
				 : "+a"(start), "+c"(loops), "+D"(rest) \
				 : "d"((uint32_t)state->operand), [copies] "i"(count) \
				 : "cc", __VA_ARGS__); \
		state->start = start; \
		state->loops -= given - loops; \
		state->rest = rest; \
	}
#define UNIFORM(name, instruction) \
	CHAIN(name, KB_CHAIN_UNROLL, KB_TURNS("kb_chain_" #name, "ecx", instruction, "") KB_REST("e", instruction), "memory")

UNIFORM(add, "add %%edx, %%eax")
UNIFORM(xor, "xor %%edx, %%eax")
UNIFORM(imul, "imul %%edx, %%eax")
UNIFORM(load, "mov (%%eax), %%eax")

/* Five registers are all that the stack pointer, the operand and the counter leave: a core with more than five adders is
   not filled, which does no harm to a probe that is compared with itself only. */
#define WIDTH 5u
#define OTHERS "ebx,esi,edi,ebp"

CHAIN(issue, KB_CHAIN_UNROLL / WIDTH,
      "	push	%%ebp\n	push	%%edi\n"
      ".irp r," OTHERS "\n	xor %%\\r, %%\\r\n	.endr\n"
      KB_TURNS("kb_chain_issue", "ecx", ".irp r,eax," OTHERS "\n	add %%edx, %%\\r\n	.endr",
             ".irp r," OTHERS "\n	add %%\\r, %%eax\n	.endr\n	pop	%%edi\n	pop	%%ebp\n")
      KB_REST("e", "add %%edx, %%eax"),
      "ebx", "esi", "memory")

const struct kb_chain_code kb_chain_codes[KB_CHAINS] = KB_CHAIN_ENTRIES(WIDTH);

/* ---- the contention probe ------------------------------------------------------------------------ */

const unsigned kb_contention_loop = KB_CONTENTION_LOOP;

__attribute__((__noinline__)) void kb_contention_run(uint64_t loops)
{
	uint32_t left = counted(loops);

	KB_CONTENTION("e", left);
}
