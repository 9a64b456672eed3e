/* What an architecture supplies for kbench_expression.h: the nine pieces of code, in order. Defined in arch/ARCH/mhz.c. */
#ifndef KB_ARCH_EXPRESSION_H
#define KB_ARCH_EXPRESSION_H

#include "arch/chain.h"
#include "kbench_expression.h"

extern const struct kb_chain_code kb_expression_codes[KB_EXPRESSIONS];

#define KB_EXPRESSION_ENTRY(number) \
	{ run_##number, kb_expression_##number##_body, kb_expression_##number##_end, KB_CHAIN_UNROLL, 1, 0 }
#define KB_EXPRESSION_ENTRIES { \
	KB_EXPRESSION_ENTRY(1), KB_EXPRESSION_ENTRY(2), KB_EXPRESSION_ENTRY(3), KB_EXPRESSION_ENTRY(4), \
	KB_EXPRESSION_ENTRY(5), KB_EXPRESSION_ENTRY(6), KB_EXPRESSION_ENTRY(7), KB_EXPRESSION_ENTRY(8), \
	KB_EXPRESSION_ENTRY(9) }

#endif
