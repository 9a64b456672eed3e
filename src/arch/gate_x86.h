/* State that a function of x86 leaves as it was: how numbers are rounded, and which way strings go. */
#ifndef KB_ARCH_GATE_X86_H
#define KB_ARCH_GATE_X86_H

#include "arch/gate.h"

#define KB_GATE_STATE_NAMES "MXCSR", "the x87 control word", "the x87 registers (emms is missing)", "the direction flag"
#define DIRECTION 0x400
#define CONTROL_OF_MXCSR 0xffc0u        /* without the flags of exceptions, which are the function's to raise */

/* The stack of x87 is empty between functions; a result of long double may stand on it. */
static inline void kb_gate_read_state(uint64_t state[KB_GATE_STATES], const struct kb_gate_frame *frame)
{
	struct { uint16_t control, unused, status, unused_too, tags, rest[9]; } x87;
	uint32_t mxcsr;

	__asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
	/* It masks all exceptions, so that it is brought back. */
	__asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(x87));
	state[0] = mxcsr & CONTROL_OF_MXCSR;
	state[1] = x87.control;
	state[2] = (x87.tags | 3u << (x87.status >> 11 & 7) * 2) != 0xffff;
	state[3] = frame ? frame->flags & DIRECTION : 0;
}

static inline void kb_gate_write_state(const uint64_t state[KB_GATE_STATES])
{
	uint32_t mxcsr = (uint32_t)state[0];
	uint16_t control = (uint16_t)state[1];

	__asm__ volatile("ldmxcsr %0\n\tfldcw %1" : : "m"(mxcsr), "m"(control));
}

/* Whether an instruction returns, for one that finds no way back. */
static inline int kb_gate_returns(const uint8_t *at)
{
	return *at == 0xc3 || *at == 0xc2 || (*at == 0xf3 && at[1] == 0xc3);
}

#define KB_GATE_STACK_AT_RETURN(frame) ((frame)->stack - sizeof(uintptr_t))

#endif
