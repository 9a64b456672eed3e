/* Entry of the loader on riscv64, in S-mode behind the firmware: hart in a0, device tree in a1. */
	.section .text.start, "ax"
	.globl _start
_start:
	csrw	sie, zero
	csrw	satp, zero
	la	sp, stack_top
	call	kb_load
1:	j	1b

	.section .bss.stack, "aw", @nobits
	.balign	16
	.skip	8192
stack_top:

	.section .note.GNU-stack, "", @progbits
