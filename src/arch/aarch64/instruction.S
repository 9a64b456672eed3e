/*
 * Exact machine code of aarch64 for kbench_code.h. In assembler and not in C, so that the bytes, hence the hash, do not
 * depend on the compiler. x0: struct kb_loop_state; x9, x10: loops and rest, on no chain; x1: start; x2: operand;
 * x3: more[0]; x8: the first start; v0, v1: start and operand.
 */
#define LOOPS_LEFT x9
#define REST_LEFT x10

#include "arch/instruction_macros.h"

	.arch_extension lse
	.text

/* ---- frames ---- */

.macro enter
	stp	x29, x30, [sp, -32]!
	stp	x19, x20, [sp, 16]
	ldp	x9, x10, [x0]
	ldp	x1, x2, [x0, 16]
	ldr	x3, [x0, MORE]
	mov	x8, x1
.endm

.macro leave_loop
	str	x9, [x0]
	ldp	x19, x20, [sp, 16]
	ldp	x29, x30, [sp], 32
	ret
.endm

/* Integers are in their place already. */
op load_integer
op store_integer, "str x1, [x0, 16]"
op load_real, "fmov d0, x1", "fmov d1, x2"
op store_real, "str d0, [x0, 16]"

op store_rest, "str x10, [x0, 8]"
op factor, "fmov d24, x2"
.macro if_none counter, label
	cbz	\counter, \label
.endm
.macro again counter, label
	sub	\counter, \counter, 1
	cbnz	\counter, \label
.endm

/* ---- chains ---- */

op add32, "add w1, w1, w2"
op xor32, "eor w1, w1, w2"
op mul32, "mul w1, w1, w2"
op div32, "udiv w1, w1, w2"
op div64, "udiv x1, x1, x2"
/* A remainder is a division and a multiplication: there is no instruction for it. */
op mod32, "udiv w4, w1, w2", "msub w1, w4, w2, w1", "add w1, w1, w8"
op mod64, "udiv x4, x1, x2", "msub x1, x4, x2, x1", "add x1, x1, x8"
op fadd32, "fadd s0, s0, s1"
op fmul32, "fmul s0, s0, s1"
op fdiv32, "fdiv s0, s0, s1"
op fsqrt32, "fsqrt s0, s0"
op fma32, "fmadd s0, s0, s1, s1"
op fadd64, "fadd d0, d0, d1"
op fmul64, "fmul d0, d0, d1"
op fdiv64, "fdiv d0, d0, d1"
op fsqrt64, "fsqrt d0, d0"
op fma64, "fmadd d0, d0, d1, d1"
/* Ordered like the locked instructions of x86, so that results mean the same. */
op xadd, "ldaddal x1, x1, [x3]"
op swap, "swpal x1, x1, [x3]", "add x1, x1, x2"
/* A comparison that fails leaves the cell as it is: the final value tells. */
op cas, "add x5, x1, x2", "mov x4, x1", "casal x4, x5, [x3]", "mov x1, x5"
.macro op_llsc
77:	ldaxr	x4, [x3]
	add	x4, x4, x2
	stlxr	w5, x4, [x3]
	cbnz	w5, 77b
.endm
op fence, "str x1, [x3]", "dmb ish", "add x1, x1, x2"
op plain, "ldr x4, [x3]", "add x4, x4, x2", "str x4, [x3]"
op isb, "isb"

.irp name, add32, xor32, mul32, div32, mod32, div64, mod64, xadd, swap, cas, llsc, fence, plain, isb
chain \name, integer
.endr
.irp name, fadd32, fmul32, fdiv32, fsqrt32, fma32, fadd64, fmul64, fdiv64, fsqrt64, fma64
chain \name, real
.endr

/* ---- independent chains ---- */

/* \what for the first \width registers; `index` counts them. x18 belongs to the platform, d8 to d15 to the caller. */
.macro each_integer what, width
	each \what, \width, x1, x3, x4, x5, x6, x7, x8, x11, x12, x13, x14, x15, x16, x17, x19, x20
.endm
.macro each_real what, width
	each \what, \width, d0, d1, d2, d3, d4, d5, d6, d7, d16, d17, d18, d19, d20, d21, d22, d23
.endm

of_register fetch_integer, ldr	\register, [x0, MORE + 8 * index]
of_register fetch_real, ldr	\register, [x0, MORE + 8 * index]
of_register keep_integer, str	\register, [x0, MORE + 8 * index]
of_register keep_real, str	\register, [x0, MORE + 8 * index]
of_register step_add, add	\register, \register, x2
of_register step_mul, mul	\register, \register, x2
of_register step_fadd, fadd	\register, \register, d24
of_register step_fmul, fmul	\register, \register, d24
of_register step_fma, fmadd	\register, \register, d24, d24

.irp width, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16
parallel add, integer, \width
parallel mul, integer, \width
parallel fadd, real, \width
parallel fmul, real, \width
parallel fma, real, \width
.endr

/* ---- vectors: twelve accumulators, their factor in v24. fmla adds the product: a + b x b, with b = 1 the same ---- */

.macro each_vector what, lanes
	.set	index, 0
	.irp	register, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19
	\what	\register, \lanes
	.set	index, index + 1
	.endr
.endm
.macro fetch_vector register, lanes
	ldr	q\register, [x1, 64 * index]
.endm
.macro keep_vector register, lanes
	str	q\register, [x1, 64 * index]
.endm
.macro step_vector register, lanes
	fmla	v\register\().\lanes, v24.\lanes, v24.\lanes
.endm

.macro vector name, lanes
begin vector_\name
	enter
	ldr	q24, [x1, 64 * 12]
	each_vector fetch_vector, \lanes
	unrolled vector_\name, PARALLEL / 12, each_vector step_vector, \lanes
	each_vector keep_vector, \lanes
	leave_loop
end vector_\name
.endm

vector 32x128, 4s
vector 64x128, 2d

/* ---- branches ---- */

begin branch
	enter
	ldr	x5, [x0, MORE + 8]
	cbz	x9, 3f
	.p2align 6
kb_code_branch_body:
1:	ldrb	w4, [x2, x5]
	add	x5, x5, 1
	and	x5, x5, x3
	cbz	w4, 2f
	add	x1, x1, 1
2:	sub	x9, x9, 1
	cbnz	x9, 1b
kb_code_branch_end:
3:	str	x5, [x0, MORE + 8]
	op_store_integer
	leave_loop
end branch

/* Targets 8 bytes apart. */
begin jump
	enter
	ldr	x5, [x0, MORE + 8]
	adr	x11, 3f
	cbz	x9, 2f
	.p2align 6
kb_code_jump_body:
1:	ldrb	w4, [x2, x5]
	add	x5, x5, 1
	and	x5, x5, x3
	add	x4, x11, x4, lsl 3
	br	x4
3:	.set	target, 1
	.rept	64
	add	x1, x1, target
	b	4f
	.set	target, target + 1
	.endr
4:	sub	x9, x9, 1
	cbnz	x9, 1b
kb_code_jump_end:
2:	str	x5, [x0, MORE + 8]
	op_store_integer
	leave_loop
end jump

/* Function 1 calls 2 and so on, 32 bytes each; the last one returns. A depth enters that many before the end. */
begin call
	enter
	adr	x11, kb_code_call_end
	sub	x11, x11, x3, lsl 5
	cbz	x9, 2f
1:	blr	x11
	sub	x9, x9, 1
	cbnz	x9, 1b
2:	op_store_integer
	leave_loop
	.p2align 6
kb_code_call_body:
	.rept	63
	.p2align 5
	stp	x29, x30, [sp, -16]!
	add	x1, x1, x2
	bl	. + 24          /* the next one */
	ldp	x29, x30, [sp], 16
	ret
	.endr
	.p2align 5
	add	x1, x1, x2
	ret
	.p2align 5
kb_code_call_end:
end call

/* ---- window: load a, fillers, load b, fillers. The fillers are entered so far before their end ---- */

op fill_nop, "nop"
op fill_integer, "add x4, x0, x9"
op fill_mixed, "add x4, x0, x9", "dup v0.2d, v1.d[0]"

.macro window name, group
begin window_\name
	enter
	adr	x11, 2f
	adr	x12, 3f
	sub	x11, x11, x2, lsl 2
	sub	x12, x12, x2, lsl 2
	cbz	x9, 4f
	.p2align 6
kb_code_window_\name\()_body:
1:	ldr	x1, [x1]
	br	x11
	.rept	FILLERS / \group
	op_fill_\name
	.endr
2:	ldr	x3, [x3]
	br	x12
	.rept	FILLERS / \group
	op_fill_\name
	.endr
3:	sub	x9, x9, 1
	cbnz	x9, 1b
kb_code_window_\name\()_end:
4:	str	x3, [x0, MORE]
	op_store_integer
	leave_loop
end window_\name
.endm

window nop, 1
window integer, 1
window mixed, 2

	.section .note.GNU-stack, "", %progbits
