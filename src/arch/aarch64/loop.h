/* What the unrolled loops of aarch64 have in common. */
#ifndef KB_ARCH_LOOP_H
#define KB_ARCH_LOOP_H

#include "arch/chain.h"

/* x2 loops of `body`, repeated %c[copies] times on a line boundary, then x3 times `single`. */
#define KB_LOOP(label, body, single) \
	"	cbz	x2, 2f\n" \
	"	.p2align 6\n" \
	label "_body:\n" \
	"	.rept	%c[copies]\n" \
	"	" body "\n" \
	"	.endr\n" \
	label "_end:\n" \
	"	sub	x2, x2, 1\n" \
	"	cbnz	x2, " label "_body\n" \
	"2:	cbz	x3, 4f\n" \
	"3:	" single "\n" \
	"	sub	x3, x3, 1\n" \
	"	cbnz	x3, 3b\n" \
	"4:\n"

#define KB_CODE(label, name, count, text, ...) KB_CHAIN_FUNCTION(label, name, x0, x1, x2, x3, count, text, __VA_ARGS__)

#endif
