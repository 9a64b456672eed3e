/* See platforms.h. */
#include "cli/platforms.h"

#include <stdio.h>
#include <string.h>

#include "cli/start.h"
#include "suite/select.h"

static const struct kb_foreign_way *find(const struct kb_platforms *platforms, const char *platform)
{
	for (unsigned i = 0; i < platforms->count; i++) {
		if (!strcmp(platforms->ways[i].platform, platform))
			return &platforms->ways[i];
	}
	return NULL;
}

static const struct kb_foreign_way *way_of(const struct kb_platforms *platforms, const struct kb_foreign *foreign)
{
	return kb_foreign_collector(foreign->bench) ? &platforms->own : find(platforms, foreign->platform);
}

void kb_platforms_beside(struct kb_platforms *platforms, const char *collector)
{
	struct kb_foreign foreign;

	platforms->count = 0;
	for (unsigned i = 0; (foreign = kb_foreign_at(i)).bench; i++) {
		const char *own = kb_foreign_collector(foreign.bench);

		if (own)
			kb_foreign_find(own, foreign.platform, &platforms->own);
		else if (platforms->count < KB_PLATFORMS_MAX && !find(platforms, foreign.platform))
			kb_foreign_find(collector, foreign.platform, &platforms->ways[platforms->count++]);
	}
}

void kb_platforms_find(struct kb_platforms *platforms)
{
	char collector[PATH_MAX], why[KB_TRUST_WHY];

	if (kb_start_find_collector(collector, why))
		collector[0] = '\0';
	kb_platforms_beside(platforms, collector);
}

const struct kb_foreign_way *kb_platforms_way(const struct kb_platforms *platforms, const struct kb_bench *bench)
{
	struct kb_foreign foreign = { bench, kb_foreign_platform(bench) };

	return foreign.platform ? way_of(platforms, &foreign) : NULL;
}

bool kb_platforms_run(const struct kb_foreign_way *way, bool emulate, char why[256])
{
	why[0] = '\0';
	if (way && way->lacks[0])
		snprintf(why, 256, "%s", way->lacks);
	else if (way && way->emulator[0] && !emulate)
		snprintf(why, 256, "%s runs emulated only, which checks it and tells no times: use run --emulate", way->platform);
	return !why[0];
}

unsigned kb_platforms_room(void)
{
	unsigned count = 0;

	while (kb_foreign_at(count).bench)
		count++;
	return count;
}

static bool matches_one(const char *pattern, const struct kb_bench *const *benches, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		if (kb_pattern_match(pattern, benches[i]->name))
			return true;
	}
	return false;
}

/* Of a pattern that means more, such as a domain, what runs is measured; of one that means nothing else, the reason is told:
   by a row that is skipped, or by an error. */
static unsigned explain(const struct kb_command *command, const struct kb_platforms *platforms, bool emulate, const char *pattern,
			const struct kb_bench **benches, unsigned count)
{
	struct kb_foreign foreign;
	char why[256];

	for (unsigned i = 0; (foreign = kb_foreign_at(i)).bench; i++) {
		const struct kb_foreign_way *way = way_of(platforms, &foreign);

		if (!kb_pattern_match(pattern, foreign.bench->name) || kb_platforms_run(way, emulate, why))
			continue;
		if (!way->skips)
			kb_die(command, KB_EXIT_USAGE, "%s is not available here: %s", foreign.bench->name, why);
		benches[count++] = foreign.bench;
	}
	return count;
}

unsigned kb_platforms_add(const struct kb_command *command, const struct kb_platforms *platforms, bool emulate,
			  const char *const *patterns, size_t pattern_count, const struct kb_bench **benches, unsigned count)
{
	struct kb_foreign foreign;
	char why[256];

	for (unsigned i = 0; (foreign = kb_foreign_at(i)).bench; i++) {
		if (kb_platforms_run(way_of(platforms, &foreign), emulate, why))
			benches[count++] = foreign.bench;
	}
	/* None comes twice: once it is there, a pattern that means it means something. */
	for (size_t i = 0; i < pattern_count; i++) {
		if (!matches_one(patterns[i], benches, count))
			count = explain(command, platforms, emulate, patterns[i], benches, count);
	}
	return count;
}
