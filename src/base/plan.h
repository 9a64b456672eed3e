/*
 * The plan: what a collector is asked to do, one line a block, on its standard input.
 *
 *   block 7 o300 b600 p c o1200 q      measure: op, base, clock probes, an empty clock pair, op, one single operation
 *   block 7 probe=560 o300 b600 p      the same with a contention probe of 560 loops around every sample
 *   warm 0 o300 b300                   the same, but its observations carry the flag `warmup`
 *   group 3 w2 t30 o33                 2 + 30 tests of 33 operations, the first 2 flagged `warmup`; between them nothing
 *                                      but the benchmark's own re-arming: the probe brackets the whole group
 */
#ifndef KB_BASE_PLAN_H
#define KB_BASE_PLAN_H

#include "types.h"
#include "base/text.h"

enum kb_step_kind { KB_STEP_OP = 'o', KB_STEP_BASE = 'b', KB_STEP_PROBE = 'p', KB_STEP_CLOCK = 'c', KB_STEP_SINGLE = 'q' };

struct kb_step {
	enum kb_step_kind kind;
	uint64_t n;             /* operations; 1 for q, 0 for p and c */
};

#define KB_BLOCK_STEPS_MAX 128
#define KB_GROUP_TESTS_MAX 1024         /* of a group, skipped ones included */

struct kb_block {
	bool warm;
	uint64_t index;
	unsigned skip, tests;   /* tests > 0: a group; its only step, an op, is repeated skip + tests times */
	uint64_t probe;         /* loops of the contention probe around each sample; 0: none. Not in a group */
	unsigned count;
	struct kb_step steps[KB_BLOCK_STEPS_MAX];
};

#define KB_PLAN_LINE_MAX 4096

/* Reads one line without its newline. 0, or -EINVAL: unknown word, n = 0, too many steps or tests, no steps. */
int kb_plan_parse(struct kb_span line, struct kb_block *block);

/* Writes the line with its newline. */
void kb_plan_format(struct kb_text *, const struct kb_block *block);

#endif
