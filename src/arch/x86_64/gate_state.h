/* What belongs to the caller on x86-64, next to the stack pointer: see arch/gate.h. */
#ifndef KB_ARCH_GATE_STATE_H
#define KB_ARCH_GATE_STATE_H

#define KB_GATE_NAMES "rbx", "rbp", "r12", "r13", "r14", "r15"

#include "arch/gate_x86.h"

/* Jumps to kb_gate_enter with the gate in r11. */
static inline size_t kb_gate_write(uint8_t *bytes, const struct kb_gate *gate)
{
	const uint64_t at = (uintptr_t)gate, enter = (uintptr_t)kb_gate_enter;

	/* movabs r11, gate; movabs r10, enter; jmp r10 */
	bytes[0] = 0x49, bytes[1] = 0xbb;
	__builtin_memcpy(bytes + 2, &at, 8);
	bytes[10] = 0x49, bytes[11] = 0xba;
	__builtin_memcpy(bytes + 12, &enter, 8);
	bytes[20] = 0x41, bytes[21] = 0xff, bytes[22] = 0xe2;
	return 23;
}

#endif
