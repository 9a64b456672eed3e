/* The two system calls of the self test, without a C library: exit and write(1, bytes, count). */
	.globl _start
_start:
	/* The linker shortens addresses to gp-relative ones, but not the one that loads gp. */
	.option push
	.option norelax
	la gp, __global_pointer$
	.option pop
	call kb_self_test
	li a7, 93
	ecall

	.globl kb_self_write
kb_self_write:
	mv a2, a1
	mv a1, a0
	li a0, 1
	li a7, 64
	ecall
	ret

	.section .note.GNU-stack, "", @progbits
