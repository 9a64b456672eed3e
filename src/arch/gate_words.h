/* A gate where instructions load the addresses behind them: four instructions, the gate, kb_gate_enter. */
#ifndef KB_ARCH_GATE_WORDS_H
#define KB_ARCH_GATE_WORDS_H

#include "arch/gate.h"

static inline size_t kb_gate_write_words(uint8_t *bytes, const uint32_t code[4], const struct kb_gate *gate)
{
	const uint64_t words[] = { (uintptr_t)gate, (uintptr_t)kb_gate_enter };

	__builtin_memcpy(bytes, code, 16);
	__builtin_memcpy(bytes + 16, words, sizeof words);
	return 16 + sizeof words;
}

/* The stack pointer of one that returns: nothing of the call is on the stack. */
#define KB_GATE_STACK_AT_RETURN(frame) ((frame)->stack)

#endif
