/* What the unrolled loops of x86-64 have in common. */
#ifndef KB_ARCH_LOOP_H
#define KB_ARCH_LOOP_H

/* `turns` loops of `body`, repeated %c[copies] times on a line boundary, then rdi times `single`. */
#define KB_LOOP(label, turns, body, single) \
	"	test	%%" turns ", %%" turns "\n" \
	"	jz	2f\n" \
	"	.p2align 6\n" \
	label "_body:\n" \
	"	.rept	%c[copies]\n" \
	"	" body "\n" \
	"	.endr\n" \
	label "_end:\n" \
	"	dec	%%" turns "\n" \
	"	jnz	" label "_body\n" \
	"2:	test	%%rdi, %%rdi\n" \
	"	jz	4f\n" \
	"3:	" single "\n" \
	"	dec	%%rdi\n" \
	"	jnz	3b\n" \
	"4:\n"

#endif
