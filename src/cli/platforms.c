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

void kb_platforms_find(struct kb_platforms *platforms)
{
	char collector[PATH_MAX];

	platforms->count = 0;
	kb_start_find_collector(collector);
	for (const struct kb_foreign *foreign = kb_foreigns; foreign->bench; foreign++) {
		if (platforms->count < KB_PLATFORMS_MAX && !find(platforms, foreign->platform))
			kb_foreign_find(collector, foreign->platform, &platforms->ways[platforms->count++]);
	}
}

const struct kb_foreign_way *kb_platforms_way(const struct kb_platforms *platforms, const struct kb_bench *bench)
{
	const char *platform = kb_foreign_platform(bench);

	return platform ? find(platforms, platform) : NULL;
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

	while (kb_foreigns[count].bench)
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

/* Of a pattern that means more, such as a domain, what runs is measured; of one that means nothing else, the reason is told. */
static void explain(const struct kb_command *command, const struct kb_platforms *platforms, bool emulate, const char *pattern)
{
	char why[256];

	for (const struct kb_foreign *foreign = kb_foreigns; foreign->bench; foreign++) {
		if (kb_pattern_match(pattern, foreign->bench->name) &&
		    !kb_platforms_run(find(platforms, foreign->platform), emulate, why))
			kb_die(command, KB_EXIT_USAGE, "%s is not available here: %s", foreign->bench->name, why);
	}
}

unsigned kb_platforms_add(const struct kb_command *command, const struct kb_platforms *platforms, bool emulate,
			  const char *const *patterns, size_t pattern_count, const struct kb_bench **benches, unsigned count)
{
	char why[256];

	for (const struct kb_foreign *foreign = kb_foreigns; foreign->bench; foreign++) {
		if (kb_platforms_run(find(platforms, foreign->platform), emulate, why))
			benches[count++] = foreign->bench;
	}
	for (size_t i = 0; i < pattern_count; i++) {
		if (!matches_one(patterns[i], benches, count))
			explain(command, platforms, emulate, patterns[i]);
	}
	return count;
}
