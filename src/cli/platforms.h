/* Benchmarks of other platforms and worlds, for `kbench list` and `kbench run`: which of them run here, how, and why the others do not. */
#ifndef KB_CLI_PLATFORMS_H
#define KB_CLI_PLATFORMS_H

#include "cli/cli.h"
#include "run/backend/foreign.h"

#define KB_PLATFORMS_MAX 8

struct kb_platforms {
	struct kb_foreign_way ways[KB_PLATFORMS_MAX];
	unsigned count;
	struct kb_foreign_way own;      /* of the program that the user added */
};

/* Looks for the collectors of all platforms that have programs: beside ours, or beside this one. */
void kb_platforms_find(struct kb_platforms *);
void kb_platforms_beside(struct kb_platforms *, const char *collector);

/* The way of a benchmark; NULL: it is of this platform. */
const struct kb_foreign_way *kb_platforms_way(const struct kb_platforms *, const struct kb_bench *);

/* False with the reason and the remedy in `why`. NULL as a way is this platform. */
bool kb_platforms_run(const struct kb_foreign_way *, bool emulate, char why[256]);

/* Puts behind the first `count` of benches all that run here, and returns how many there are then; room is for
   kb_platforms_room() more. Where a pattern means only some that do not, those that can be skipped come along, and else the
   program ends. */
unsigned kb_platforms_room(void);
unsigned kb_platforms_add(const struct kb_command *, const struct kb_platforms *, bool emulate, const char *const *patterns,
			  size_t pattern_count, const struct kb_bench **benches, unsigned count);

#endif
