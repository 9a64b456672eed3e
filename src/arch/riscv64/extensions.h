/* The code of riscv64 uses nothing beyond RV64G, which every system that Linux runs on with this ABI has. */
#ifndef KB_ARCH_EXTENSIONS_H
#define KB_ARCH_EXTENSIONS_H

#include "types.h"

static inline bool kb_arch_has(unsigned feature)
{
	return feature == 0;
}

#endif
