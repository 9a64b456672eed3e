/* The program counter in a signal's ucontext; its place differs between architectures. */
#ifndef KB_ARCH_FAULT_PC_H
#define KB_ARCH_FAULT_PC_H

#include <ucontext.h>

#include "types.h"

/* By way of 32 bits without a sign: the upper half of memory would become negative. */
static inline uint64_t kb_fault_pc(const void *state)
{
	return (uint32_t)((const ucontext_t *)state)->uc_mcontext.gregs[REG_EIP];
}

#endif
