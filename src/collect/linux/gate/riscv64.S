/* See arch/gate.h. t0: the gate. Arguments are in a0 to a7 and fa0 to fa7. */
#include "arch/gate.h"

	.text

/* s0 to s11 and fs0 to fs11, at t0. */
.macro each whole, real, array
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\whole	s\number, \array+8*\number(t0)
	.endr
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\real	fs\number, \array+96+8*\number(t0)
	.endr
.endm

/* gp and tp are nobody's to change, so that they are given as they are. */
.macro keep array
	sd	gp, \array+192(t0)
	sd	tp, \array+200(t0)
.endm

	.globl	kb_gate_enter
	.hidden	kb_gate_enter
	.type	kb_gate_enter, @function
kb_gate_enter:
	addi	sp, sp, -160
	sd	ra, 0(sp)
	sd	t0, 136(sp)
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	sd	a\number, 8+8*\number(sp)
	fsd	fa\number, 72+8*\number(sp)
	.endr
	mv	a0, t0
	mv	a1, ra
	addi	a2, sp, 160
	call	kb_gate_in
	mv	t0, a0
	ld	ra, 0(sp)
	.irp	number, 0, 1, 2, 3, 4, 5, 6, 7
	ld	a\number, 8+8*\number(sp)
	fld	fa\number, 72+8*\number(sp)
	.endr
	ld	t1, 136(sp)
	addi	sp, sp, 160
	beqz	t0, 1f
	each	sd, fsd, KB_GATE_CALLER
	keep	KB_GATE_CALLER
	keep	KB_GATE_GIVEN
	each	ld, fld, KB_GATE_GIVEN
	lla	ra, kb_gate_return
1:	ld	t1, 0(t1)
	jr	t1

/* Results are in a0, a1, fa0 and fa1. */
kb_gate_return:
	addi	sp, sp, -16
	sd	a0, 0(sp)
	sd	a1, 8(sp)
	call	kb_gate_innermost
	mv	t0, a0
	ld	a0, 0(sp)
	ld	a1, 8(sp)
	addi	sp, sp, 16
	sd	sp, KB_GATE_FOUND_STACK(t0)
	ld	sp, KB_GATE_STACK(t0)
	each	sd, fsd, KB_GATE_FOUND
	keep	KB_GATE_FOUND
	each	ld, fld, KB_GATE_CALLER
	addi	sp, sp, -32
	sd	a0, 0(sp)
	sd	a1, 8(sp)
	fsd	fa0, 16(sp)
	fsd	fa1, 24(sp)
	mv	a0, t0
	call	kb_gate_out
	mv	ra, a0
	ld	a0, 0(sp)
	ld	a1, 8(sp)
	fld	fa0, 16(sp)
	fld	fa1, 24(sp)
	addi	sp, sp, 32
	ret
	.size	kb_gate_enter, . - kb_gate_enter

	.section .note.GNU-stack, "", @progbits
