/*
 * The nine expressions of aarch64. Fixed registers, so that one source gives the same bytes with every compiler: x0 is a,
 * x1 is b, x4 what lies between; x2 counts turns and lies on no chain.
 */
#include "arch/expression.h"
#include "kbench_code.h"
#include "loop.h"

#define EXPRESSION(number, body) \
	KB_CODE(kb_expression_##number, number, KB_CHAIN_UNROLL, KB_LOOP("kb_expression_" #number, body, body), "x4", "memory")

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
