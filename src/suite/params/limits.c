/* See limits.h. Control groups of both versions; a limit may stand at any ancestor of the own group. */
#include "suite/params/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define TEXT_ROOM 8192
#define PATH_ROOM 1024
#define SHARE 4
#define UNLIMITED (INT64_MAX / 2)       /* version 1 writes the largest number of whole pages instead of "max" */

struct group { const char *root, *limit, *usage, *inactive, *active; };

static const struct group versions[] = {
	{ "/sys/fs/cgroup", "memory.max", "memory.current", "\ninactive_file ", "\nactive_file " },
	{ "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "\ntotal_inactive_file ", "\ntotal_active_file " },
};

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t after(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

/* What one group leaves. Pages of files count as used, but make room when it is needed. */
static uint64_t left_in(const struct kb_fact_source *source, const struct group *group, const char *inside)
{
	char path[PATH_ROOM + 128], text[TEXT_ROOM];
	int64_t limit, usage;

	snprintf(path, sizeof path, "%s%s/%s", group->root, inside, group->limit);
	if (!kb_source_number(source, path, &limit) || limit < 0 || limit > UNLIMITED)
		return KB_NO_LIMIT;
	snprintf(path, sizeof path, "%s%s/%s", group->root, inside, group->usage);
	if (!kb_source_number(source, path, &usage))
		return (uint64_t)limit;
	text[0] = '\n';
	snprintf(path, sizeof path, "%s%s/memory.stat", group->root, inside);
	if (!kb_source_text(source, path, text + 1, sizeof text - 1))
		text[1] = '\0';

	uint64_t files = after(text, group->inactive) + after(text, group->active), used = (uint64_t)usage;

	used -= lower(used, files);
	return used < (uint64_t)limit ? (uint64_t)limit - used : 0;
}

/* From the own group up to the root. */
static uint64_t left_up(const struct kb_fact_source *source, const struct group *group, char *inside)
{
	uint64_t left = left_in(source, group, "");

	for (char *slash; inside[0] && (slash = strrchr(inside, '/')); *slash = '\0') {
		if (slash[1])
			left = lower(left, left_in(source, group, inside));
	}
	return left;
}

/* "0::/path" of version 2, "4:memory:/path" of version 1, "4:cpu,memory:/path". */
static uint64_t groups(const struct kb_fact_source *source)
{
	char text[TEXT_ROOM], *rest = text, *line;
	uint64_t left = KB_NO_LIMIT;

	if (!kb_source_text(source, "/proc/self/cgroup", text, sizeof text))
		return left;
	while ((line = strsep(&rest, "\n"))) {
		char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;

		if (!path || strlen(path) >= PATH_ROOM)
			continue;
		*path++ = '\0';
		if (names[1] == '\0')
			left = lower(left, left_up(source, &versions[0], path));
		else if (strstr(names, "memory"))
			left = lower(left, left_up(source, &versions[1], path));
	}
	return left;
}

static uint64_t resource_limit(int which)
{
	struct rlimit limit;

	return getrlimit((__rlimit_resource_t)which, &limit) || limit.rlim_cur == RLIM_INFINITY ? KB_NO_LIMIT : (uint64_t)limit.rlim_cur;
}

void kb_limits_read(const struct kb_fact_source *source, struct kb_limits *limits)
{
	char text[TEXT_ROOM], value[KB_SOURCE_LINE];

	*limits = (struct kb_limits){ .available = KB_NO_LIMIT, .group = groups(source) };
	if (kb_source_text(source, "/proc/meminfo", text, sizeof text) && kb_source_field(text, "MemAvailable", value, sizeof value))
		limits->available = strtoull(value, NULL, 10) << 10;
	limits->address = lower(resource_limit(RLIMIT_AS), resource_limit(RLIMIT_DATA));
	limits->locked = resource_limit(RLIMIT_MEMLOCK);
}

uint64_t kb_limits_lowest(const struct kb_limits *limits, const char **name)
{
	uint64_t lowest = lower(lower(limits->available, limits->group), limits->address);

	*name = lowest == KB_NO_LIMIT ? "" : lowest == limits->group ? "the control group" : lowest == limits->address ?
		"the limit of address space" : "MemAvailable";
	return lowest;
}

uint64_t kb_limits_bound(const struct kb_limits *limits, uint64_t wanted)
{
	const char *name;
	uint64_t lowest = kb_limits_lowest(limits, &name);

	return lowest == KB_NO_LIMIT ? wanted : lower(wanted, lowest / SHARE);
}

static void put(char *text, size_t room, const char *name, uint64_t bytes)
{
	size_t used = strlen(text);
	const char *comma = used ? ", " : "";

	if (bytes == KB_NO_LIMIT)
		snprintf(text + used, room - used, "%s%s: no limit", comma, name);
	else
		snprintf(text + used, room - used, "%s%s: %llu MB", comma, name, (unsigned long long)(bytes >> 20));
}

void kb_limits_text(const struct kb_limits *limits, char *text, size_t room)
{
	text[0] = '\0';
	put(text, room, "MemAvailable", limits->available);
	put(text, room, "control group", limits->group);
	put(text, room, "address space", limits->address);
	put(text, room, "lockable", limits->locked);
}
