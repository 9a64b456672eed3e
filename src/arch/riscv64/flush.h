/* cbo.flush (Zicbom) is new, and Linux keeps it to itself. False: there is no way. */
#ifndef KB_ARCH_FLUSH_H
#define KB_ARCH_FLUSH_H

#include "types.h"

static inline bool kb_flush_line(const void *line)
{
	(void)line;
	return false;
}

#endif
