/* Entry of the loader on aarch64, at EL1 with translation off. A kernel for EL2 is another one: this loader is not for it. */
	.section .text.start, "ax"
	.globl _start
_start:
	msr	daifset, #15
	adrp	x1, stack_top
	add	x1, x1, :lo12:stack_top
	mov	sp, x1
	mov	x0, xzr
	mov	x1, xzr
	bl	kb_load
1:	b	1b

	.section .bss.stack, "aw", @nobits
	.balign	16
	.skip	8192
stack_top:

	.section .note.GNU-stack, "", @progbits
