/* What the unrolled loops of both x86 have in common; `r` is the letter of whole registers, "r" or "e". */
#ifndef KB_ARCH_LOOP_H
#define KB_ARCH_LOOP_H

/* `turns` loops of `body`, repeated %c[copies] times on a line boundary; `folds` what the loop spread. */
#define KB_TURNS(label, turns, body, folds) \
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
	"2:\n" \
	folds

/* Then rdi or edi times `single`. */
#define KB_REST(r, single) \
	"	test	%%" r "di, %%" r "di\n" \
	"	jz	4f\n" \
	"3:	" single "\n" \
	"	dec	%%" r "di\n" \
	"	jnz	3b\n" \
	"4:\n"

#define KB_LOOP(label, turns, body, single) KB_TURNS(label, turns, body, "") KB_REST("r", single)

/*
 * The contention probe: a chain of multiplications and then so many no-operations that the next chain begins in time only if most of the
 * reorder window is ours: these windows hold 224 to 512 instructions, and two running threads have half each. So it sees a thread that
 * merely runs, as one that waits for memory does, and the no-operations see one that takes issue slots.
 */
#define KB_CONTENTION_CHAIN 20
#define KB_CONTENTION_NONE 270
#define KB_CONTENTION_LOOP (1 + KB_CONTENTION_CHAIN + KB_CONTENTION_NONE + 2)
#define KB_CONTENTION(r, loops) \
	__asm__ volatile("	.p2align 6\n" \
			 "1:	mov	%%" r "dx, %%" r "ax\n" \
			 "	.rept	%c[chain]\n" \
			 "	imul	%%" r "ax, %%" r "ax\n" \
			 "	.endr\n" \
			 "	.rept	%c[none]\n" \
			 "	nop\n" \
			 "	.endr\n" \
			 "	dec	%%" r "cx\n" \
			 "	jnz	1b\n" \
			 : "+c"(loops) : [chain] "i"(KB_CONTENTION_CHAIN), [none] "i"(KB_CONTENTION_NONE), "d"(3) : r "ax", "cc")

#endif
