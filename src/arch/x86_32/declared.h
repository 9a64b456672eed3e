/* What the processor reports of its translation caches and clocks: CPUID answers the same in both modes. */
#include "arch/x86_64/declared.h"
