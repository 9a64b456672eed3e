/* What belongs to the caller on x86 of 32 bits, next to the stack pointer: see arch/gate.h. */
#ifndef KB_ARCH_GATE_STATE_H
#define KB_ARCH_GATE_STATE_H

#define KB_GATE_NAMES "ebx", "esi", "edi", "ebp"

#include "arch/gate_x86.h"

/* Jumps to kb_gate_enter with the gate in ecx. */
static inline size_t kb_gate_write(uint8_t *bytes, const struct kb_gate *gate)
{
	const uint32_t at = (uintptr_t)gate, enter = (uintptr_t)kb_gate_enter;

	/* mov ecx, gate; mov edx, enter; jmp edx */
	bytes[0] = 0xb9;
	__builtin_memcpy(bytes + 1, &at, 4);
	bytes[5] = 0xba;
	__builtin_memcpy(bytes + 6, &enter, 4);
	bytes[10] = 0xff, bytes[11] = 0xe2;
	return 12;
}

#endif
