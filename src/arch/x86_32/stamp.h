/*
 * Time stamps of x86-32: the same instructions as in 64-bit mode, and the same counter. The processor must have SSE2
 * (lfence) and rdtscp, as every one has that also runs x86-64.
 */
#include "arch/x86_64/stamp.h"

#undef KB_ARCH_NAME
#define KB_ARCH_NAME "x86_32"
