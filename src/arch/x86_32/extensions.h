/* Instructions that not every x86 has: CPUID and XGETBV tell the same in both modes. */
#include "arch/x86_64/extensions.h"
