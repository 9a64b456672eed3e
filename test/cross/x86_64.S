/* The two system calls of the self test, without a C library: exit and write(1, bytes, count). */
	.globl _start
_start:
	xorl %ebp, %ebp
	andq $-16, %rsp
	call kb_self_test
	movl %eax, %edi
	movl $60, %eax
	syscall

	.globl kb_self_write
kb_self_write:
	movq %rsi, %rdx
	movq %rdi, %rsi
	movl $1, %edi
	movl $1, %eax
	syscall
	ret

	.section .note.GNU-stack, "", @progbits
