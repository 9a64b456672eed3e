/* A look at what the operations do to memory, by numbers that are too dear to be read around samples: once a run, behind its measured part. */
#ifndef KB_COLLECT_LINUX_LOOK_H
#define KB_COLLECT_LINUX_LOOK_H

#include "collect/linux/context.h"

/* Runs operations, and writes the claims with what was seen. 0, or -errno of the operation with its detail. */
int kb_look(struct kb_run *);

#endif
