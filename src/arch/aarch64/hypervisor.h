/* No register readable from user space tells a guest of its hypervisor. */
#ifndef KB_ARCH_HYPERVISOR_H
#define KB_ARCH_HYPERVISOR_H

#include "arch/hypervisor_none.h"

#endif
