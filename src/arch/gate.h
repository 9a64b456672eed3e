/*
 * Gates of composed functions, which check what a call leaves behind: kb_gate_enter, in assembler, is jumped to instead of the
 * function, with a struct kb_gate in a scratch register. It keeps the registers that belong to the caller, gives the function others
 * instead, and lets it return to itself. A function that brings nothing back is seen whatever it had found there.
 */
#ifndef KB_ARCH_GATE_H
#define KB_ARCH_GATE_H

#define KB_GATE_REGISTERS 26    /* at most, of any architecture */
#define KB_GATE_STATES 4

/* Offsets in struct kb_gate_frame. */
#define KB_GATE_CALLER 0
#define KB_GATE_GIVEN (8 * KB_GATE_REGISTERS)
#define KB_GATE_FOUND (16 * KB_GATE_REGISTERS)
#define KB_GATE_GATE (24 * KB_GATE_REGISTERS)
#define KB_GATE_STACK (KB_GATE_GATE + 8)
#define KB_GATE_FOUND_STACK (KB_GATE_GATE + 16)
#define KB_GATE_FLAGS (KB_GATE_GATE + 24)

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct kb_gate { uint64_t function; void *code; };     /* where it is while the gate stands in its place; whose it is */

/* One call. Words of 64 bits, whatever a register has. */
struct kb_gate_frame {
	uint64_t caller[KB_GATE_REGISTERS];     /* by kb_gate_enter: what belongs to the caller, in the order of kb_gate_names */
	uint64_t given[KB_GATE_REGISTERS];      /* what the function found there */
	uint64_t found[KB_GATE_REGISTERS];      /* and what it left */
	uint64_t gate;
	uint64_t stack, found_stack;            /* the stack pointer behind the return: as it must be, and as it was */
	uint64_t flags;                         /* x86: behind the return */
	uint64_t back;                          /* where the caller goes on */
	uint64_t state[KB_GATE_STATES];         /* kb_gate_read_state before the call */
};

_Static_assert(offsetof(struct kb_gate_frame, given) == KB_GATE_GIVEN && offsetof(struct kb_gate_frame, found) == KB_GATE_FOUND &&
	offsetof(struct kb_gate_frame, gate) == KB_GATE_GATE && offsetof(struct kb_gate_frame, stack) == KB_GATE_STACK &&
	offsetof(struct kb_gate_frame, found_stack) == KB_GATE_FOUND_STACK && offsetof(struct kb_gate_frame, flags) == KB_GATE_FLAGS,
	"the assembler's offsets");

void kb_gate_enter(void);

/* What kb_gate_enter calls; they use no register but those of whole numbers. The frame of this call, NULL: it is not looked at, for too many
   are inside each other; the innermost; where to go on. */
struct kb_gate_frame *kb_gate_in(const struct kb_gate *, uintptr_t back, uintptr_t stack);
struct kb_gate_frame *kb_gate_innermost(void);
uintptr_t kb_gate_out(struct kb_gate_frame *);

#endif
#endif
