/* Entry of the root server on riscv64: boot information in a0, no stack. gp stays zero: the build relaxes nothing to it. */
	.section .text.start, "ax"
	.globl _start
_start:
	la	sp, kb_init_stack_top
	call	kb_root_main
1:	j	1b

	.section .bss.stack, "aw", @nobits
	.balign	4096
kb_init_stack:
	.skip	32768
kb_init_stack_top:

	.section .note.GNU-stack, "", @progbits
