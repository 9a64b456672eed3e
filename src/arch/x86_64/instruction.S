/*
 * Exact machine code of x86-64 for kbench_code.h. In assembler and not in C, so that the bytes, hence the hash, do not
 * depend on the compiler. rdi: struct kb_loop_state; r9, r10: loops and rest, on no chain; rax: start; rbx: operand;
 * r8: the first start; rsi: more[0]; xmm0, xmm1: start and operand.
 */
#define LOOPS_LEFT %r9
#define REST_LEFT %r10

#include "arch/instruction_macros.h"

#define LOOPS 0(%rdi)
#define REST 8(%rdi)
#define START 16(%rdi)
#define OPERAND 24(%rdi)

	.text

/* ---- frames ---- */

.macro enter
	.irp	register, rbx, rbp, r12, r13, r14, r15
	push	%\register
	.endr
	mov	LOOPS, %r9
	mov	REST, %r10
	mov	START, %rax
	mov	OPERAND, %rbx
	mov	%rax, %r8
	mov	MORE(%rdi), %rsi
.endm

.macro leave_loop
	mov	%r9, LOOPS
	.irp	register, r15, r14, r13, r12, rbp, rbx
	pop	%\register
	.endr
	ret
.endm

/* Integers are in their place already. */
op load_integer
op store_integer, "mov %rax, 16(%rdi)"
op load_real, "movq %rax, %xmm0", "movq %rbx, %xmm1"
op store_real, "movq %xmm0, 16(%rdi)"

op store_rest, "mov %r10, 8(%rdi)"
op factor, "movq %rbx, %xmm15"
.macro if_none counter, label
	test	\counter, \counter
	jz	\label
.endm
.macro again counter, label
	dec	\counter
	jnz	\label
.endm

/* ---- chains ---- */

op add32, "add %ebx, %eax"
op xor32, "xor %ebx, %eax"
op mul32, "imul %ebx, %eax"
/* The upper half of the dividend is cleared as compilers do it; the chain goes through rax. */
op div32, "xor %edx, %edx", "div %ebx"
op div64, "xor %edx, %edx", "div %rbx"
op mod32, "xor %edx, %edx", "div %ebx", "lea (%rdx,%r8), %eax"
op mod64, "xor %edx, %edx", "div %rbx", "lea (%rdx,%r8), %rax"
op fadd32, "addss %xmm1, %xmm0"
op fmul32, "mulss %xmm1, %xmm0"
op fdiv32, "divss %xmm1, %xmm0"
op fsqrt32, "sqrtss %xmm0, %xmm0"
op fma32, "vfmadd213ss %xmm1, %xmm1, %xmm0"
op fadd64, "addsd %xmm1, %xmm0"
op fmul64, "mulsd %xmm1, %xmm0"
op fdiv64, "divsd %xmm1, %xmm0"
op fsqrt64, "sqrtsd %xmm0, %xmm0"
op fma64, "vfmadd213sd %xmm1, %xmm1, %xmm0"
op xadd, "lock xadd %rax, (%rsi)"
op swap, "xchg %rax, (%rsi)", "add %rbx, %rax"
/* A comparison that fails leaves the cell as it is: the final value tells. */
op cas, "lea (%rax,%rbx), %rcx", "lock cmpxchg %rcx, (%rsi)", "mov %rcx, %rax"
op fence, "mov %rax, (%rsi)", "mfence", "add %rbx, %rax"
op plain, "add %rbx, (%rsi)"
/* Leaf 0: cpuid overwrites rbx, which no other instruction here needs. */
op cpuid, "xor %eax, %eax", "cpuid"
op lfence, "lfence"

.irp name, add32, xor32, mul32, div32, mod32, div64, mod64, xadd, swap, cas, fence, plain, cpuid, lfence
chain \name, integer
.endr
.irp name, fadd32, fmul32, fdiv32, fsqrt32, fma32, fadd64, fmul64, fdiv64, fsqrt64, fma64
chain \name, real
.endr

/* ---- independent chains ---- */

/* \what for the first \width registers; `index` counts them. */
.macro each_integer what, width
	each \what, \width, rax, rcx, rdx, rbp, rsi, r8, r10, r11, r12, r13, r14, r15
.endm
.macro each_real what, width
	each \what, \width, xmm0, xmm1, xmm2, xmm3, xmm4, xmm5, xmm6, xmm7, xmm8, xmm9, xmm10, xmm11, xmm12, xmm13, xmm14
.endm

of_register fetch_integer, mov	MORE + 8 * index(%rdi), %\register
of_register keep_integer, mov	%\register, MORE + 8 * index(%rdi)
of_register fetch_real, movq	MORE + 8 * index(%rdi), %\register
of_register keep_real, movq	%\register, MORE + 8 * index(%rdi)
of_register step_add, add	%rbx, %\register
of_register step_mul, imul	%rbx, %\register
of_register step_fadd, addsd	%xmm15, %\register
of_register step_fmul, mulsd	%xmm15, %\register
of_register step_fma, vfmadd213sd %xmm15, %xmm15, %\register

.irp width, 1, 2, 3, 4, 5, 6, 8, 10, 12
parallel add, integer, \width
parallel mul, integer, \width
.endr
.irp width, 1, 2, 3, 4, 5, 6, 8, 10, 12, 15
parallel fadd, real, \width
parallel fmul, real, \width
parallel fma, real, \width
.endr

/* ---- vectors: twelve accumulators, their factor in number 15 ---- */

.macro each_vector what, kind, register
	.irp	index, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\what	\kind, \register, \index
	.endr
.endm
.macro fetch_vector kind, register, index
	vmovups	64 * \index(%rax), %\register\index
.endm
.macro keep_vector kind, register, index
	vmovups	%\register\index, 64 * \index(%rax)
.endm
.macro step_vector kind, register, index
	vfmadd213\kind %\register\()15, %\register\()15, %\register\index
.endm

.macro vector name, kind, register
begin vector_\name
	enter
	vmovups	64 * 12(%rax), %\register\()15
	each_vector fetch_vector, \kind, \register
	unrolled vector_\name, PARALLEL / 12, each_vector step_vector, \kind, \register
	each_vector keep_vector, \kind, \register
	vzeroupper
	leave_loop
end vector_\name
.endm

vector 32x128, ps, xmm
vector 64x128, pd, xmm
vector 32x256, ps, ymm
vector 64x256, pd, ymm
vector 32x512, ps, zmm
vector 64x512, pd, zmm

/* ---- branches ---- */

begin branch
	enter
	mov	MORE + 8(%rdi), %rcx
	test	%r9, %r9
	jz	3f
	.p2align 6
kb_code_branch_body:
1:	movzbl	(%rbx,%rcx), %edx
	inc	%rcx
	and	%rsi, %rcx
	test	%edx, %edx
	jz	2f
	lea	1(%rax), %rax
2:	dec	%r9
	jnz	1b
kb_code_branch_end:
3:	mov	%rcx, MORE + 8(%rdi)
	op_store_integer
	leave_loop
end branch

/* Targets 16 bytes apart. */
begin jump
	enter
	mov	MORE + 8(%rdi), %rcx
	lea	3f(%rip), %r11
	test	%r9, %r9
	jz	2f
	.p2align 6
kb_code_jump_body:
1:	movzbl	(%rbx,%rcx), %edx
	inc	%rcx
	and	%rsi, %rcx
	shl	$4, %edx
	add	%r11, %rdx
	jmp	*%rdx
	.p2align 4
3:	.set	target, 1
	.rept	64
	.p2align 4
	lea	target(%rax), %rax
	jmp	4f
	.set	target, target + 1
	.endr
4:	dec	%r9
	jnz	1b
kb_code_jump_end:
2:	mov	%rcx, MORE + 8(%rdi)
	op_store_integer
	leave_loop
end jump

/* Function 1 calls 2 and so on, 16 bytes each; the last one returns. A depth enters that many before the end. */
begin call
	enter
	shl	$4, %rsi
	lea	kb_code_call_end(%rip), %rdx
	sub	%rsi, %rdx
	test	%r9, %r9
	jz	2f
1:	call	*%rdx
	dec	%r9
	jnz	1b
2:	op_store_integer
	leave_loop
	.p2align 6
kb_code_call_body:
	.rept	63
	.p2align 4
	add	%rbx, %rax
	call	. + 13          /* the next one: 3 bytes of add, then this */
	ret
	.endr
	.p2align 4
	add	%rbx, %rax
	ret
	.p2align 4
kb_code_call_end:
end call

/* ---- window: load a, fillers, load b, fillers. The fillers are entered so far before their end ---- */

op fill_nop, "nop"
op fill_integer, "lea (%rdi,%r9), %rdx"
op fill_mixed, "lea (%rdi,%r9), %rdx", "pshufd $0, %xmm1, %xmm0"

/* \bytes of \group fillers. */
.macro window name, bytes, group
begin window_\name
	enter
	mov	%rbx, %rax
	imul	$\bytes, %rax, %rax
	shr	$\group - 1, %rax
	lea	2f(%rip), %r10
	lea	3f(%rip), %r11
	sub	%rax, %r10
	sub	%rax, %r11
	mov	%r8, %rax
	test	%r9, %r9
	jz	4f
	.p2align 6
kb_code_window_\name\()_body:
1:	mov	(%rax), %rax
	jmp	*%r10
	.rept	FILLERS / \group
	op_fill_\name
	.endr
2:	mov	(%rsi), %rsi
	jmp	*%r11
	.rept	FILLERS / \group
	op_fill_\name
	.endr
3:	dec	%r9
	jnz	1b
kb_code_window_\name\()_end:
4:	mov	%rsi, MORE(%rdi)
	op_store_integer
	leave_loop
end window_\name
.endm

/* In `mixed` two fillers are 4 + 5 bytes. */
window nop, 1, 1
window integer, 4, 1
window mixed, 9, 2

	.section .note.GNU-stack, "", @progbits
