/*
 * Whether a hypervisor runs below us, as the processor says. CPUID leaf 1, ECX bit 31 is 0 on real processors and
 * reserved for hypervisors, which name themselves in leaf 0x40000000 (EBX, ECX, EDX: twelve characters). A hypervisor
 * may hide both, so "no" is good evidence and no proof.
 */
#ifndef KB_ARCH_HYPERVISOR_H
#define KB_ARCH_HYPERVISOR_H

#include <cpuid.h>

#include "types.h"

/* Whether kb_arch_hypervisor() can tell at all. */
static inline bool kb_arch_sees_hypervisor(void)
{
	return true;
}

/* True and its signature ("" if it gives none), or false. In a guest each CPUID costs an exit of several us. */
static inline bool kb_arch_hypervisor(char name[13])
{
	unsigned a, b, c, d;

	name[0] = 0;
	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31))
		return false;
	__cpuid(0x40000000, a, b, c, d);
	const unsigned words[3] = { b, c, d };

	for (unsigned i = 0; i < 12; i++)
		name[i] = (char)(words[i / 4] >> (8 * (i % 4)) & 0xff);
	name[12] = 0;
	return true;
}

#endif
