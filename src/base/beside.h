/* The kinds of neighbours that a row can be measured beside: the names of `--interfere`, of `--beside=` and of the record. */
#ifndef KB_BASE_BESIDE_H
#define KB_BASE_BESIDE_H

#include "types.h"

enum kb_beside { KB_BESIDE_MEMORY, KB_BESIDE_CACHE, KB_BESIDE_SYSCALLS, KB_BESIDE_SPIN, KB_BESIDES };

/* The kind whose name these bytes are, KB_BESIDES if it is none's. */
enum kb_beside kb_beside_find(const char *name, size_t length);

#endif
