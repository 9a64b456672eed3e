/* See arch/gate.h. r11: the gate. Arguments are in rdi rsi rdx rcx r8 r9, xmm0 to xmm7, with their number in al. */
#include "arch/gate.h"

	.text

.macro each what, array
	\what	\array+0, rbx
	\what	\array+8, rbp
	\what	\array+16, r12
	\what	\array+24, r13
	\what	\array+32, r14
	\what	\array+40, r15
.endm

.macro put offset, register
	mov	%\register, \offset(%r11)
.endm

.macro get offset, register
	mov	\offset(%r11), %\register
.endm

	.globl	kb_gate_enter
	.hidden	kb_gate_enter
	.type	kb_gate_enter, @function
kb_gate_enter:
	.irp	register, rdi, rsi, rdx, rcx, r8, r9, rax
	push	%\register
	.endr
	sub	$144, %rsp
	mov	%r11, 128(%rsp)
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	movups	%xmm\number, 16*\number(%rsp)
	.endr
	mov	%r11, %rdi
	mov	200(%rsp), %rsi
	lea	208(%rsp), %rdx
	call	kb_gate_in
	mov	128(%rsp), %r11
	mov	%rax, %r10
	test	%rax, %rax
	jz	1f
	mov	%rax, %r11
	lea	kb_gate_return(%rip), %rax
	mov	%rax, 200(%rsp)
1:
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	movups	16*\number(%rsp), %xmm\number
	.endr
	add	$144, %rsp
	.irp	register, rax, r9, r8, rcx, rdx, rsi, rdi
	pop	%\register
	.endr
	test	%r10, %r10
	jz	2f
	each	put, KB_GATE_CALLER
	each	get, KB_GATE_GIVEN
	mov	KB_GATE_GATE(%r11), %r11
2:
	/* Else most often the address of the gate, at which a wrong return would arrive. */
	movzbl	%al, %eax
	jmp	*(%r11)

/* Results are in rax, rdx, xmm0 and xmm1. The stack pointer may be wrong, which must not matter more than it does. */
kb_gate_return:
	push	%rax
	push	%rdx
	pushf
	cld
	call	kb_gate_innermost
	mov	%rax, %r11
	pop	%rax
	mov	%rax, KB_GATE_FLAGS(%r11)
	pop	%rdx
	pop	%rax
	mov	%rsp, KB_GATE_FOUND_STACK(%r11)
	mov	KB_GATE_STACK(%r11), %rsp
	each	put, KB_GATE_FOUND
	each	get, KB_GATE_CALLER
	push	%rax
	push	%rdx
	sub	$32, %rsp
	movups	%xmm0, (%rsp)
	movups	%xmm1, 16(%rsp)
	mov	%r11, %rdi
	call	kb_gate_out
	mov	%rax, %r11
	movups	(%rsp), %xmm0
	movups	16(%rsp), %xmm1
	add	$32, %rsp
	pop	%rdx
	pop	%rax
	jmp	*%r11
	.size	kb_gate_enter, . - kb_gate_enter

	.section .note.GNU-stack, "", @progbits
