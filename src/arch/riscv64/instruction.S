/*
 * Exact machine code of riscv64 for kbench_code.h. In assembler and not in C, so that the bytes, hence the hash, do not
 * depend on the compiler; not compressed, and not relaxed by the linker. a0: struct kb_loop_state; t0, t1: loops and rest,
 * on no chain; a1: start; a2: operand; a3: more[0]; a4: the first start; fa0, fa1: start and operand.
 */
#define LOOPS_LEFT t0
#define REST_LEFT t1

#include "arch/instruction_macros.h"

	.option	norvc
	.option	norelax
	.option	arch, +a, +f, +d, +zifencei
	.text

/* ---- frames ---- */

.macro enter
	addi	sp, sp, -48
	sd	ra, 0(sp)
	sd	s0, 8(sp)
	sd	s1, 16(sp)
	sd	s2, 24(sp)
	sd	s3, 32(sp)
	sd	s4, 40(sp)
	ld	t0, 0(a0)
	ld	t1, 8(a0)
	ld	a1, 16(a0)
	ld	a2, 24(a0)
	ld	a3, MORE(a0)
	mv	a4, a1
.endm

.macro leave_loop
	sd	t0, 0(a0)
	ld	ra, 0(sp)
	ld	s0, 8(sp)
	ld	s1, 16(sp)
	ld	s2, 24(sp)
	ld	s3, 32(sp)
	ld	s4, 40(sp)
	addi	sp, sp, 48
	ret
.endm

/* Integers are in their place already. Words are kept with their sign, and handed back without it. */
op load_integer
op store_integer, "sd a1, 16(a0)"
op load_word
op store_word, "slli a1, a1, 32", "srli a1, a1, 32", "sd a1, 16(a0)"
op load_single, "fmv.w.x fa0, a1", "fmv.w.x fa1, a2"
op store_single, "fmv.x.w a1, fa0", "op_store_word"
op load_double, "fmv.d.x fa0, a1", "fmv.d.x fa1, a2"
op store_double, "fsd fa0, 16(a0)"

op store_rest, "sd t1, 8(a0)"
op factor, "fmv.d.x ft8, a2"
.macro if_none counter, label
	beqz	\counter, \label
.endm
.macro again counter, label
	addi	\counter, \counter, -1
	bnez	\counter, \label
.endm

/* ---- chains ---- */

op add32, "addw a1, a1, a2"
/* There is none for words: the upper halves are 0 here. */
op xor32, "xor a1, a1, a2"
op mul32, "mulw a1, a1, a2"
op div32, "divuw a1, a1, a2"
op div64, "divu a1, a1, a2"
op mod32, "remuw a1, a1, a2", "addw a1, a1, a4"
op mod64, "remu a1, a1, a2", "add a1, a1, a4"
op fadd32, "fadd.s fa0, fa0, fa1"
op fmul32, "fmul.s fa0, fa0, fa1"
op fdiv32, "fdiv.s fa0, fa0, fa1"
op fsqrt32, "fsqrt.s fa0, fa0"
op fma32, "fmadd.s fa0, fa0, fa1, fa1"
op fadd64, "fadd.d fa0, fa0, fa1"
op fmul64, "fmul.d fa0, fa0, fa1"
op fdiv64, "fdiv.d fa0, fa0, fa1"
op fsqrt64, "fsqrt.d fa0, fa0"
op fma64, "fmadd.d fa0, fa0, fa1, fa1"
/* Ordered like the locked instructions of x86, so that results mean the same. */
op xadd, "amoadd.d.aqrl a1, a1, (a3)"
op swap, "amoswap.d.aqrl a1, a1, (a3)", "add a1, a1, a2"
.macro op_llsc
77:	lr.d.aqrl a5, (a3)
	add	a5, a5, a2
	sc.d.rl	a6, a5, (a3)
	bnez	a6, 77b
.endm
op fence, "sd a1, 0(a3)", "fence rw, rw", "add a1, a1, a2"
op plain, "ld a5, 0(a3)", "add a5, a5, a2", "sd a5, 0(a3)"
op fence_i, "fence.i"

.irp name, div64, mod64, xadd, swap, llsc, fence, plain, fence_i
chain \name, integer
.endr
.irp name, add32, xor32, mul32, div32, mod32
chain \name, word
.endr
.irp name, fadd32, fmul32, fdiv32, fsqrt32, fma32
chain \name, single
.endr
.irp name, fadd64, fmul64, fdiv64, fsqrt64, fma64
chain \name, double
.endr

/* ---- independent chains ---- */

/* \what for the first \width registers; `index` counts them. */
.macro each_integer what, width
	each \what, \width, a1, a3, a4, a5, a6, a7, t2, t3, t4, t5, t6, s0, s1, s2, s3, s4
.endm
.macro each_real what, width
	each \what, \width, fa0, fa1, fa2, fa3, fa4, fa5, fa6, fa7, ft0, ft1, ft2, ft3, ft4, ft5, ft6, ft7
.endm

of_register fetch_integer, ld	\register, MORE + 8 * index(a0)
of_register keep_integer, sd	\register, MORE + 8 * index(a0)
of_register fetch_real, fld	\register, MORE + 8 * index(a0)
of_register keep_real, fsd	\register, MORE + 8 * index(a0)
of_register step_add, add	\register, \register, a2
of_register step_mul, mul	\register, \register, a2
of_register step_fadd, fadd.d	\register, \register, ft8
of_register step_fmul, fmul.d	\register, \register, ft8
of_register step_fma, fmadd.d	\register, \register, ft8, ft8

.irp width, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16
parallel add, integer, \width
parallel mul, integer, \width
parallel fadd, real, \width
parallel fmul, real, \width
parallel fma, real, \width
.endr

/* ---- branches ---- */

begin branch
	enter
	ld	a5, MORE + 8(a0)
	beqz	t0, 3f
	.p2align 6
kb_code_branch_body:
1:	add	a6, a2, a5
	lbu	a6, 0(a6)
	addi	a5, a5, 1
	and	a5, a5, a3
	beqz	a6, 2f
	addi	a1, a1, 1
2:	addi	t0, t0, -1
	bnez	t0, 1b
kb_code_branch_end:
3:	sd	a5, MORE + 8(a0)
	op_store_integer
	leave_loop
end branch

/* Targets 8 bytes apart. */
begin jump
	enter
	ld	a5, MORE + 8(a0)
	lla	a7, 3f
	beqz	t0, 2f
	.p2align 6
kb_code_jump_body:
1:	add	a6, a2, a5
	lbu	a6, 0(a6)
	addi	a5, a5, 1
	and	a5, a5, a3
	slli	a6, a6, 3
	add	a6, a6, a7
	jr	a6
3:	.set	target, 1
	.rept	64
	addi	a1, a1, target
	j	4f
	.set	target, target + 1
	.endr
4:	addi	t0, t0, -1
	bnez	t0, 1b
kb_code_jump_end:
2:	sd	a5, MORE + 8(a0)
	op_store_integer
	leave_loop
end jump

/* Function 1 calls 2 and so on, 32 bytes each; the last one returns. A depth enters that many before the end. */
begin call
	enter
	lla	a7, kb_code_call_end
	slli	a3, a3, 5
	sub	a7, a7, a3
	beqz	t0, 2f
1:	jalr	a7
	addi	t0, t0, -1
	bnez	t0, 1b
2:	op_store_integer
	leave_loop
	.p2align 6
kb_code_call_body:
	.rept	63
	.p2align 5
	addi	sp, sp, -16
	sd	ra, 8(sp)
	add	a1, a1, a2
	jal	. + 20          /* the next one */
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
	.endr
	.p2align 5
	add	a1, a1, a2
	ret
	.p2align 5
kb_code_call_end:
end call

/* ---- window: load a, fillers, load b, fillers. The fillers are entered so far before their end ---- */

op fill_nop, "nop"
op fill_integer, "add t2, a0, t0"
op fill_mixed, "add t2, a0, t0", "fadd.d fa2, fa0, fa1"

.macro window name, group
begin window_\name
	enter
	fmv.d.x	fa0, zero
	fmv.d.x	fa1, zero
	slli	a2, a2, 2
	lla	a6, 2f
	lla	a7, 3f
	sub	a6, a6, a2
	sub	a7, a7, a2
	bnez	t0, 1f
	j	4f
	.p2align 6
kb_code_window_\name\()_body:
1:	ld	a1, 0(a1)
	jr	a6
	.rept	FILLERS / \group
	op_fill_\name
	.endr
2:	ld	a3, 0(a3)
	jr	a7
	.rept	FILLERS / \group
	op_fill_\name
	.endr
3:	addi	t0, t0, -1
	beqz	t0, 4f
	j	1b
kb_code_window_\name\()_end:
4:	sd	a3, MORE(a0)
	op_store_integer
	leave_loop
end window_\name
.endm

window nop, 1
window integer, 1
window mixed, 2

	.section .note.GNU-stack, "", @progbits
