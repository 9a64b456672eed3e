/* What belongs to the caller on AArch64, next to the stack pointer: see arch/gate.h. */
#ifndef KB_ARCH_GATE_STATE_H
#define KB_ARCH_GATE_STATE_H

#include "arch/gate_words.h"

#define KB_GATE_NAMES "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", \
	"d8", "d9", "d10", "d11", "d12", "d13", "d14", "d15"
#define KB_GATE_STATE_NAMES "FPCR"

static inline void kb_gate_read_state(uint64_t state[KB_GATE_STATES], const struct kb_gate_frame *frame)
{
	(void)frame;
	__asm__ volatile("mrs %0, fpcr" : "=r"(state[0]));
}

static inline void kb_gate_write_state(const uint64_t state[KB_GATE_STATES])
{
	__asm__ volatile("msr fpcr, %0" : : "r"(state[0]));
}

/* Jumps to kb_gate_enter with the gate in x16. */
static inline size_t kb_gate_write(uint8_t *bytes, const struct kb_gate *gate)
{
	/* ldr x16, 1f; ldr x17, 2f; br x17; nop; 1: .quad gate; 2: .quad enter */
	static const uint32_t code[] = { 0x58000090, 0x580000b1, 0xd61f0220, 0xd503201f };

	return kb_gate_write_words(bytes, code, gate);
}

static inline int kb_gate_returns(const uint8_t *at)
{
	uint32_t word;

	__builtin_memcpy(&word, at, sizeof word);
	return (word & 0xfffffc1f) == 0xd65f0000;
}

#endif
