/* The two system calls of the self test, without a C library: exit and write(1, bytes, count). */
	.globl _start
_start:
	mov x29, xzr
	mov x30, xzr
	bl kb_self_test
	mov x8, 93
	svc 0

	.globl kb_self_write
kb_self_write:
	mov x2, x1
	mov x1, x0
	mov x0, 1
	mov x8, 64
	svc 0
	ret

	.section .note.GNU-stack, "", %progbits
