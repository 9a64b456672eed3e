/* Rows of memory lie in huge pages, where this machine has any. */
#ifndef KB_SUITE_PAGES_H
#define KB_SUITE_PAGES_H

#include "run/run.h"

/* Rows whose benchmark wants huge pages only by default become rows of small ones, in name and in fact. How many. */
size_t kb_pages_small(struct kb_row *rows, size_t count);

#endif
