/*
 * One process of a measurement on Linux: executes the plan that comes on standard input, writes the record to standard output,
 * computes nothing. A fresh process each time: new address-space layout, and a crash stays there.
 */
#ifndef KB_COLLECT_LINUX_COLLECT_H
#define KB_COLLECT_LINUX_COLLECT_H

#include "kbench.h"

/* The whole collector. `benches`, ended by NULL, are those that --bench can name besides a plug-in's: those of kbench-collect, or the
   program's own, which executes itself again to be their collector. Call it once, before threads and output. Returns the exit code. */
int kb_collect_main(int argc, char **argv, const struct kb_bench *const *benches);

#endif
