/* Instructions that not every x86 has: CPUID and XGETBV tell the same in both modes. */
#ifndef KB_ARCH_EXTENSIONS_32_H
#define KB_ARCH_EXTENSIONS_32_H

#include "arch/x86_64/extensions.h"

#endif
