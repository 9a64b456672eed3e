/* The kinds of interference that a benchmark can be measured under: the names of `--interfere`, of `--interference=` and of the record. */
#ifndef KB_BASE_INTERFERENCE_H
#define KB_BASE_INTERFERENCE_H

#include "types.h"
#include "base/text.h"

enum kb_interference { KB_INTERFERENCE_MEMORY, KB_INTERFERENCE_CACHE, KB_INTERFERENCE_SYSCALLS, KB_INTERFERENCE_SPIN, KB_INTERFERENCES };

/* The kind whose name these bytes are, KB_INTERFERENCES if it is none's. */
enum kb_interference kb_interference_find(const char *name, size_t length);

/* Whether this word, such as "beside=spin", is what version 1 of record and result called interference=KIND: the benchmark's own
   parameters of that name have other values. */
bool kb_interference_is_old(struct kb_span word);

#define KB_INTERFERENCE_GROWS 6         /* bytes by which the new word is longer */

/* A name of a result, or a list of parameters, in the words of today: its last word may be that of version 1. */
void kb_interference_rename(struct kb_text *to, const char *name);

#endif
