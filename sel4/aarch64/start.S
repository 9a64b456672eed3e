/* Entry of the root server on aarch64: boot information in x0, no stack. */
	.section .text.start, "ax"
	.globl _start
_start:
	adrp	x1, kb_init_stack_top
	add	x1, x1, :lo12:kb_init_stack_top
	mov	sp, x1
	mov	x29, xzr
	bl	kb_root_main
1:	b	1b

	.section .bss.stack, "aw", @nobits
	.balign	4096
kb_init_stack:
	.skip	32768
kb_init_stack_top:

	.section .note.GNU-stack, "", @progbits
