/*
 * Benchmarks of other worlds. One is another platform: Yamba programs in machine code that this processor has in another mode,
 * or not at all; it runs directly where the processor has that mode, else under an emulator, whose times mean nothing: then
 * only the programs' own checks do. Others are the inside of this kernel (run/backend/kernel.h) and an
 * emulated machine with seL4 (run/backend/sel4.h). Each world has a collector of its own
 * beside ours, with the command line of ours.
 */
#ifndef KB_RUN_BACKEND_FOREIGN_H
#define KB_RUN_BACKEND_FOREIGN_H

#include <limits.h>

#include "kbench.h"
#include "measure/measure.h"
#include "run/method.h"
#include "run/process/guardian.h"
#include "run/run.h"

/* A program as the parent knows it: name, parameters, summary; its functions lie in the collector of its platform. */
struct kb_foreign { const struct kb_bench *bench; const char *platform; };      /* or another world */

/* Programs of all platforms but this one, ends with a null bench; generated from bench/yamba. */
extern const struct kb_foreign kb_foreigns[];

/* A program of the user's, with the path of the collector that was linked for it alone, up to "-PLATFORM"; one, before anything
   else is asked. It goes before a program of the same name among ours. Nothing is copied. */
void kb_foreign_add(const struct kb_bench *, const char *platform, const char *collector);

/* That path; NULL: it is none of the user's. */
const char *kb_foreign_collector(const struct kb_bench *);

/* The benchmarks of all worlds, by number from 0; a null bench behind the last. */
struct kb_foreign kb_foreign_at(unsigned number);

#define KB_FOREIGN_LACKS 240

/* How launches of one platform are started. */
struct kb_foreign_way {
	const char *platform;
	char collector[PATH_MAX];
	char emulator[PATH_MAX];        /* that runs it; "": the processor does */
	char lacks[KB_FOREIGN_LACKS];   /* why there is no way, with the remedy; "": there is one */
	bool skips;                     /* where there is none, what is asked for is skipped; else asking is an error, as of what must be rebuilt */
};

/* The platform of a benchmark; NULL: this one. */
const char *kb_foreign_platform(const struct kb_bench *);

/* Where a shell would find a program. */
bool kb_in_path(const char *program, char path[PATH_MAX]);

/* Looks for the collector of that platform beside `collector`, and for what runs it. */
void kb_foreign_find(const char *collector, const char *platform, struct kb_foreign_way *);

/* For a comparison, whose launches are alive together and measure block by block in turn: where those of a world cannot, it lacks
   that, with what does instead. Nothing is skipped then. */
void kb_foreign_take_turns(struct kb_foreign_way *);

/* True where this kind of processor itself runs code of that platform. */
bool kb_foreign_is_direct(const char *platform);

bool kb_foreign_is_emulated(const struct kb_row *);

/* Before a launch in that world: what the world needs is made ready. 0, or -errno with the reason, which makes the row
   `skipped`. NULL, this platform, needs nothing. */
int kb_foreign_ready(const struct kb_foreign_way *, struct kb_guardian *, const struct kb_bench *, char why[KB_FOREIGN_LACKS]);

/* What stands for the machine inside that world; NULL: it has none. For the collector's --device. */
const char *kb_foreign_device(const struct kb_foreign_way *);

/* Where a world's launches are too dear to be probed it has a design of its own. False: it is probed as here. */
bool kb_foreign_design(const struct kb_row *, const char *method, struct kb_design *);

/* How many tests of method kanata a launch there has room for; 0: any number. */
unsigned kb_foreign_tests(const struct kb_bench *);

/* How many launches a row of that world needs where the user did not say: of an exact count others only confirm it. */
unsigned kb_foreign_launches(const struct kb_row *, unsigned planned);

/* The clock for launches of a row: ours, but under an emulator nanoseconds, which bound their length and say nothing else. */
const struct kb_clock *kb_foreign_clock(const struct kb_row *, const struct kb_clock *ours);

#endif
