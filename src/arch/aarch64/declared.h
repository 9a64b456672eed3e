/* What the processor reports of its translation caches and clocks: here no program without privileges can ask it. */
#ifndef KB_ARCH_DECLARED_H
#define KB_ARCH_DECLARED_H

#include "arch/declared_none.h"

#endif
