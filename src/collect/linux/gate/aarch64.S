/* See arch/gate.h. x16: the gate. Arguments are in x0 to x8 and v0 to v7. */
#include "arch/gate.h"

	.text

/* x19 to x29 and d8 to d15; x9: the frame. */
.macro each what, array
	add	x11, x9, #\array
	\what\()p	x19, x20, [x11, #0]
	\what\()p	x21, x22, [x11, #16]
	\what\()p	x23, x24, [x11, #32]
	\what\()p	x25, x26, [x11, #48]
	\what\()p	x27, x28, [x11, #64]
	\what\()r	x29, [x11, #80]
	\what\()p	d8, d9, [x11, #88]
	\what\()p	d10, d11, [x11, #104]
	\what\()p	d12, d13, [x11, #120]
	\what\()p	d14, d15, [x11, #136]
.endm

	.globl	kb_gate_enter
	.hidden	kb_gate_enter
	.type	kb_gate_enter, %function
kb_gate_enter:
	stp	x29, x30, [sp, #-240]!
	str	x16, [sp, #224]
	stp	x0, x1, [sp, #16]
	stp	x2, x3, [sp, #32]
	stp	x4, x5, [sp, #48]
	stp	x6, x7, [sp, #64]
	str	x8, [sp, #80]
	stp	q0, q1, [sp, #96]
	stp	q2, q3, [sp, #128]
	stp	q4, q5, [sp, #160]
	stp	q6, q7, [sp, #192]
	mov	x0, x16
	mov	x1, x30
	add	x2, sp, #240
	bl	kb_gate_in
	mov	x9, x0
	ldp	x0, x1, [sp, #16]
	ldp	x2, x3, [sp, #32]
	ldp	x4, x5, [sp, #48]
	ldp	x6, x7, [sp, #64]
	ldr	x8, [sp, #80]
	ldp	q0, q1, [sp, #96]
	ldp	q2, q3, [sp, #128]
	ldp	q4, q5, [sp, #160]
	ldp	q6, q7, [sp, #192]
	ldr	x10, [sp, #224]
	ldp	x29, x30, [sp], #240
	cbz	x9, 1f
	each	st, KB_GATE_CALLER
	each	ld, KB_GATE_GIVEN
	adr	x30, kb_gate_return
1:	ldr	x10, [x10]
	br	x10

/* Results are in x0, x1 and v0 to v3. */
kb_gate_return:
	stp	x0, x1, [sp, #-16]!
	bl	kb_gate_innermost
	mov	x9, x0
	ldp	x0, x1, [sp], #16
	mov	x10, sp
	str	x10, [x9, #KB_GATE_FOUND_STACK]
	ldr	x10, [x9, #KB_GATE_STACK]
	mov	sp, x10
	each	st, KB_GATE_FOUND
	each	ld, KB_GATE_CALLER
	stp	x0, x1, [sp, #-80]!
	stp	q0, q1, [sp, #16]
	stp	q2, q3, [sp, #48]
	mov	x0, x9
	bl	kb_gate_out
	mov	x30, x0
	ldp	q0, q1, [sp, #16]
	ldp	q2, q3, [sp, #48]
	ldp	x0, x1, [sp], #80
	ret
	.size	kb_gate_enter, . - kb_gate_enter

	.section .note.GNU-stack, "", %progbits
