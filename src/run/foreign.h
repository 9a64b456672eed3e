/*
 * Benchmarks of another platform: Yamba programs in machine code that this processor has in another mode, or not at all.
 * Each platform has a collector of its own beside ours, with its programs linked in. It runs directly where the processor
 * has that mode, else under an emulator, whose times mean nothing: then only the programs' own checks do.
 */
#ifndef KB_RUN_FOREIGN_H
#define KB_RUN_FOREIGN_H

#include <limits.h>

#include "kbench.h"
#include "measure/measure.h"
#include "run/run.h"

/* A program as the parent knows it: name, parameters, summary; its functions lie in the collector of its platform. */
struct kb_foreign { const struct kb_bench *bench; const char *platform; };

/* Of all platforms but this one, ends with a null bench; generated from bench/yamba. */
extern const struct kb_foreign kb_foreigns[];

/* How launches of one platform are started. */
struct kb_foreign_way {
	const char *platform;
	char collector[PATH_MAX];
	char emulator[PATH_MAX];        /* that runs it; "": the processor does */
	char lacks[160];                /* why there is no way, with the remedy; "": there is one */
};

/* The platform of a benchmark; NULL: this one. */
const char *kb_foreign_platform(const struct kb_bench *);

/* Looks for the collector of that platform beside `collector`, and for what runs it. */
void kb_foreign_find(const char *collector, const char *platform, struct kb_foreign_way *);

/* True where this kind of processor itself runs code of that platform. */
bool kb_foreign_is_direct(const char *platform);

bool kb_foreign_is_emulated(const struct kb_row *);

/* The clock for launches of a row: ours, but under an emulator nanoseconds, which bound their length and say nothing else. */
const struct kb_clock *kb_foreign_clock(const struct kb_row *, const struct kb_clock *ours);

#endif
