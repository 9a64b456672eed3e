/* What the instruction.S of all architectures have in common. */
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

#endif
