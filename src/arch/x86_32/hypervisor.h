/* Whether a hypervisor runs below us: CPUID answers the same in both modes. */
#ifndef KB_ARCH_HYPERVISOR_32_H
#define KB_ARCH_HYPERVISOR_32_H

#include "arch/x86_64/hypervisor.h"

#endif
