/*
 * What the instruction.S of all architectures have in common. Each supplies: `enter` and `leave_loop`; `op_load_KIND` and
 * `op_store_KIND` of what a chain goes through, and `op_store_rest`; `op_factor`, which the independent chains share; `if_none
 * COUNTER, LABEL`, and `again COUNTER, LABEL`, which counts down and goes on unless nothing is left; and the registers of the
 * counters, LOOPS_LEFT and REST_LEFT.
 */
#ifndef KB_ARCH_INSTRUCTION_MACROS_H
#define KB_ARCH_INSTRUCTION_MACROS_H

#define MORE 32                 /* offset of more[0] in struct kb_loop_state */
#define UNROLL 100
#define PARALLEL 240
#define FILLERS 1024

.macro begin name
	.globl	kb_code_\name, kb_code_\name\()_body, kb_code_\name\()_end
	.type	kb_code_\name, %function
	.p2align 6
kb_code_\name:
.endm

.macro end name
	.size	kb_code_\name, . - kb_code_\name
.endm

/* The macro op_\name from its instructions, each in quotes. */
.macro op name, instructions:vararg
	.macro op_\name
	.irp	instruction, \instructions
	\instruction
	.endr
	.endm
.endm

/* The macro of this name for one register, `\register` in its only instruction. */
.macro of_register name, instruction:vararg
	.macro \name register
	\instruction
	.endm
.endm

/* \what for the first \width registers; `index` counts them. */
.macro each what, width, registers:vararg
	.set	index, 0
	.irp	register, \registers
	.if	index < \width
	\what	\register
	.endif
	.set	index, index + 1
	.endr
.endm

/* `turn` so often on a line boundary, so that its distance from one is not part of the result, and again for each loop. */
.macro unrolled name, copies, turn:vararg
	if_none	LOOPS_LEFT, 2f
	.p2align 6
kb_code_\name\()_body:
	.rept	\copies
	\turn
	.endr
kb_code_\name\()_end:
	again	LOOPS_LEFT, kb_code_\name\()_body
2:
.endm

.macro chain name, kind
begin \name
	enter
	op_load_\kind
	unrolled \name, UNROLL, op_\name
	if_none	REST_LEFT, 4f
3:	op_\name
	again	REST_LEFT, 3b
4:	op_store_\kind
	op_store_rest
	leave_loop
end \name
.endm

/* Independent chains. No rest: n is a multiple of the body, or kb_code_run() tells. */
.macro parallel name, kind, width
begin parallel_\name\()\width
	enter
	op_factor
	each_\kind fetch_\kind, \width
	unrolled parallel_\name\()\width, PARALLEL / \width, each_\kind step_\name, \width
	each_\kind keep_\kind, \width
	leave_loop
end parallel_\name\()\width
.endm

#endif
