/* The SBI names its implementation to the kernel only. */
#ifndef KB_ARCH_HYPERVISOR_H
#define KB_ARCH_HYPERVISOR_H

#include "arch/hypervisor_none.h"

#endif
