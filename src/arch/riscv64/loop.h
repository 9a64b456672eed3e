/* What the unrolled loops of riscv64 have in common. */
#ifndef KB_ARCH_LOOP_H
#define KB_ARCH_LOOP_H

#include "arch/chain.h"

/* a2 loops of `body`, repeated %c[copies] times on a line boundary, not compressed, then a3 times `single`. The boundary is
   reached while compressed padding is allowed: what comes before may end between two words. */
#define KB_LOOP(label, body, single) \
	"	beqz	a2, 2f\n" \
	"	.p2align 6\n" \
	"	.option	push\n" \
	"	.option	norvc\n" \
	label "_body:\n" \
	"	.rept	%c[copies]\n" \
	"	" body "\n" \
	"	.endr\n" \
	label "_end:\n" \
	"	addi	a2, a2, -1\n" \
	"	bnez	a2, " label "_body\n" \
	"2:	beqz	a3, 4f\n" \
	"3:	" single "\n" \
	"	addi	a3, a3, -1\n" \
	"	bnez	a3, 3b\n" \
	"4:\n" \
	"	.option	pop\n"

#define KB_CODE(label, name, count, text, ...) KB_CHAIN_FUNCTION(label, name, a0, a1, a2, a3, count, text, __VA_ARGS__)

#endif
