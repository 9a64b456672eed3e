/* See cross.h. */
#include "suite/cross.h"

#include <errno.h>
#include <stdio.h>

#include "suite/select.h"

static bool matches_one(const char *pattern, const struct kb_bench *const *benches, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (kb_pattern_match(pattern, benches[i]->name))
			return true;
	}
	return false;
}

int kb_cross_select(const struct kb_collectors *collectors, bool emulate, const char *const *patterns, size_t pattern_count,
                    const struct kb_bench **benches, unsigned *count, char error[320])
{
	char why[256];

	for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench; cross++) {
		if (kb_collector_measures(kb_collectors_of(collectors, cross->bench), emulate, why))
			benches[(*count)++] = cross->bench;
	}
	/* Of a pattern that means more, such as a domain, what runs is measured; of one that means nothing else, the reason is told: by a
	   row that is skipped, or by an error. None comes twice: once it is there, a pattern that means it means something. */
	for (size_t i = 0; i < pattern_count; i++) {
		if (matches_one(patterns[i], benches, *count))
			continue;
		for (const struct kb_cross_bench *cross = kb_cross_benches(); cross->bench; cross++) {
			const struct kb_collector *collector = kb_collectors_of(collectors, cross->bench);

			if (!kb_pattern_match(patterns[i], cross->bench->name) || kb_collector_measures(collector, emulate, why))
				continue;
			if (!collector->skips) {
				snprintf(error, 320, "%s is not available here: %s", cross->bench->name, why);
				return -ENODEV;
			}
			benches[(*count)++] = cross->bench;
		}
	}
	return 0;
}
