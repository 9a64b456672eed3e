/* For hypervisor.h of architectures that tell a guest in user space nothing of its hypervisor; the firmware tables may. */
#ifndef KB_ARCH_HYPERVISOR_NONE_H
#define KB_ARCH_HYPERVISOR_NONE_H

#include "types.h"

/* Whether kb_arch_hypervisor() can tell at all. */
static inline bool kb_arch_sees_hypervisor(void)
{
	return false;
}

/* Always false here: it means "not known", not "none". */
static inline bool kb_arch_hypervisor(char name[13])
{
	name[0] = 0;
	return false;
}

#endif
