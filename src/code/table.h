/*
 * The functions of an entry by their arguments, words of 64 bits: an open hash table that readers look through without a lock
 * (kb_yamba_function of kbench_yamba.h) while one writer at a time adds to it.
 */
#ifndef KB_CODE_TABLE_H
#define KB_CODE_TABLE_H

#include "kbench_yamba.h"

/* Where the function of these arguments is, or would be. */
uint64_t *kb_table_place(struct kb_yamba_table *, const uint64_t *words, size_t count);

/* Into the table, or into a larger one that takes its place. False: no memory. */
bool kb_table_put(struct kb_yamba_table **, const void *function, const uint64_t *words, size_t count);

/* Of one that is there. Its place stays taken, for others lie behind it. */
void kb_table_forget(struct kb_yamba_table *, const uint64_t *words, size_t count);

#endif
