/* What the processor reports of its translation caches and clocks: here no program without privileges can ask it. */
#include "arch/declared_none.h"
