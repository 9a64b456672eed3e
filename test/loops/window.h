/* A loop of one dependent chain and no-operations, made at run time: what an architecture supplies for window.c. */
#ifndef KB_TEST_WINDOW_H
#define KB_TEST_WINDOW_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes a function void (uint64_t loops) of `chain` multiplications, each of which needs the one before, the first of a loop nothing, and
 * `nops` no-operations; `adds` additions after them are one chain over all loops. The bytes written.
 */
size_t write_loop(unsigned char *code, unsigned chain, unsigned nops, unsigned adds);

#endif
