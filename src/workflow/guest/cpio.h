/* An archive of files as the kernel unpacks it at boot: cpio's format "newc". */
#ifndef KB_WORKFLOW_GUEST_CPIO_H
#define KB_WORKFLOW_GUEST_CPIO_H

#include <stdio.h>

#include "types.h"

/* mode: as of stat(2). False: it cannot be written. */
bool kb_cpio_put(FILE *, const char *name, unsigned mode, const char *bytes, size_t count);
bool kb_cpio_end(FILE *);

#endif
