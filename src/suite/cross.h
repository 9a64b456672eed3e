/* Which benchmarks of other targets a selection means: those that run here, and those whose pattern means nothing else. */
#ifndef KB_SUITE_CROSS_H
#define KB_SUITE_CROSS_H

#include "run/backend/backend.h"

/*
 * Puts behind the first *count of benches all of other targets that run here; room is for kb_cross_count() more. Where a pattern means
 * only some that do not, those that can be skipped come along. 0; else -ENODEV with the reason: one was asked for that cannot be.
 */
int kb_cross_select(const struct kb_collectors *, bool emulate, const char *const *patterns, size_t pattern_count,
                    const struct kb_bench **benches, unsigned *count, char error[320]);

#endif
