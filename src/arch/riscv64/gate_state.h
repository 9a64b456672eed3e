/* What belongs to the caller on RISC-V of 64 bits, next to the stack pointer: see arch/gate.h. */
#ifndef KB_ARCH_GATE_STATE_H
#define KB_ARCH_GATE_STATE_H

#include "arch/gate_words.h"

#define KB_GATE_NAMES "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", \
	"fs0", "fs1", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11", "gp", "tp"
#define KB_GATE_STATE_NAMES "frm"

static inline void kb_gate_read_state(uint64_t state[KB_GATE_STATES], const struct kb_gate_frame *frame)
{
	(void)frame;
	__asm__ volatile("frrm %0" : "=r"(state[0]));
}

static inline void kb_gate_write_state(const uint64_t state[KB_GATE_STATES])
{
	__asm__ volatile("fsrm %0" : : "r"(state[0]));
}

/* Jumps to kb_gate_enter with the gate in t0. */
static inline size_t kb_gate_write(uint8_t *bytes, const struct kb_gate *gate)
{
	/* auipc t1, 0; ld t0, 16(t1); ld t1, 24(t1); jr t1; .dword gate; .dword enter */
	static const uint32_t code[] = { 0x00000317, 0x01033283, 0x01833303, 0x00030067 };

	return kb_gate_write_words(bytes, code, gate);
}

/* ret, or its short form. */
static inline int kb_gate_returns(const uint8_t *at)
{
	uint32_t word;

	__builtin_memcpy(&word, at, sizeof word);
	return word == 0x00008067 || (word & 0xffff) == 0x8082;
}

#endif
