/* The same instruction as on x86_64. */
#ifndef KB_ARCH_X86_32_FLUSH_H
#define KB_ARCH_X86_32_FLUSH_H

#include "arch/x86_64/flush.h"

#endif
