/*
 * The nine expressions of riscv64. Fixed registers, so that one source gives the same bytes with every compiler: a0 is a,
 * a1 is b, t0 what lies between; a2 counts turns and lies on no chain.
 */
#include "arch/expression.h"
#include "kbench_code.h"
#include "loop.h"

#define EXPRESSION(number, body) \
	KB_CODE(kb_expression_##number, number, KB_CHAIN_UNROLL, KB_LOOP("kb_expression_" #number, body, body), "t0", "memory")

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
