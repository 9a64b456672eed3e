/* See arch/gate.h. ecx: the gate. Arguments are on the stack. */
#include "arch/gate.h"

	.text

.macro each what, array
	\what	\array+0, ebx
	\what	\array+8, esi
	\what	\array+16, edi
	\what	\array+24, ebp
.endm

.macro put offset, register
	mov	%\register, \offset(%ecx)
.endm

.macro get offset, register
	mov	\offset(%ecx), %\register
.endm

	.globl	kb_gate_enter
	.hidden	kb_gate_enter
	.type	kb_gate_enter, @function
kb_gate_enter:
	lea	4(%esp), %eax
	mov	(%esp), %edx
	sub	$16, %esp
	mov	%ecx, (%esp)
	push	%eax
	push	%edx
	push	%ecx
	call	kb_gate_in
	mov	12(%esp), %ecx
	add	$28, %esp
	test	%eax, %eax
	jz	2f
	mov	%eax, %ecx
	call	1f
1:	pop	%eax
	add	$(kb_gate_return - 1b), %eax
	mov	%eax, (%esp)
	each	put, KB_GATE_CALLER
	each	get, KB_GATE_GIVEN
	mov	KB_GATE_GATE(%ecx), %ecx
2:
	/* Else addresses of ours, at which a wrong return would arrive. */
	xor	%eax, %eax
	xor	%edx, %edx
	jmp	*(%ecx)

/* Results are in eax, edx and st(0). */
kb_gate_return:
	push	%eax
	push	%edx
	pushf
	cld
	call	kb_gate_innermost
	mov	%eax, %ecx
	pop	%eax
	mov	%eax, KB_GATE_FLAGS(%ecx)
	pop	%edx
	pop	%eax
	mov	%esp, KB_GATE_FOUND_STACK(%ecx)
	mov	KB_GATE_STACK(%ecx), %esp
	each	put, KB_GATE_FOUND
	each	get, KB_GATE_CALLER
	push	%eax
	push	%edx
	sub	$4, %esp
	push	%ecx
	call	kb_gate_out
	mov	%eax, %ecx
	add	$8, %esp
	pop	%edx
	pop	%eax
	jmp	*%ecx
	.size	kb_gate_enter, . - kb_gate_enter

	.section .note.GNU-stack, "", @progbits
