/* Entry of the root server on x86-64: boot information in rdi, no stack. */
	.section .text.start, "ax"
	.globl _start
_start:
	leaq	kb_init_stack_top(%rip), %rsp
	xorl	%ebp, %ebp
	call	kb_root_main
1:	jmp	1b

	.section .bss.stack, "aw", @nobits
	.balign	4096
kb_init_stack:
	.skip	32768
kb_init_stack_top:

	.section .note.GNU-stack, "", @progbits
