/* What the processor reports of its translation caches and clocks: CPUID answers the same in both modes. */
#ifndef KB_ARCH_DECLARED_32_H
#define KB_ARCH_DECLARED_32_H

#include "arch/x86_64/declared.h"

#endif
