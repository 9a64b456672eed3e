/* The command line of a launch in another world: that of kbench-collect, as far as it means something there. */
#ifndef KB_COLLECT_COMMON_OPTIONS_H
#define KB_COLLECT_COMMON_OPTIONS_H

#include "kbench.h"
#include "measure/params.h"

struct kb_world_options {
	const char *device, *method, *lacks;    /* lacks: why nothing can be measured, "" or NULL: it can */
	const char *scratch;                    /* a folder of the run; "": none */
	const char *description;                /* the file of the description of a benchmark that is none of `benches`; NULL: it is one */
	uint64_t seed, launch;
	unsigned cpu;
	bool copies;                            /* asked for beside others, or beside a neighbour */
	struct kb_settings settings;            /* with the benchmark */
};

/* benches: of this world, ended by NULL. 0, or -errno after one line on standard error. */
int kb_world_options(int argc, char **argv, const struct kb_bench *const *benches, struct kb_world_options *);

#endif
