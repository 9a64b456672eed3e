/* The code of riscv64 uses nothing beyond RV64G, which every system that Linux runs on with this ABI has. */
#ifndef KB_ARCH_EXTENSIONS_H
#define KB_ARCH_EXTENSIONS_H

#include "types.h"

static inline bool kb_arch_has(unsigned feature)
{
	return feature == 0;
}

/* cbo.flush (Zicbom) is new, and Linux keeps it to itself. False: there is no way. */
static inline bool kb_flush_line(const void *line)
{
	(void)line;
	return false;
}

#endif
