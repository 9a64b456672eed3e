/* See limits.h. */
#include "suite/params/limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "control_groups.h"

#define TEXT_ROOM 8192
#define SHARE 4

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t resource_limit(int which)
{
	struct rlimit limit;

	return getrlimit((__rlimit_resource_t)which, &limit) || limit.rlim_cur == RLIM_INFINITY ? KB_NO_LIMIT : (uint64_t)limit.rlim_cur;
}

void kb_limits_read(const struct kb_fact_source *source, struct kb_limits *limits)
{
	char text[TEXT_ROOM], value[KB_SOURCE_LINE];

	*limits = (struct kb_limits){ .available = KB_NO_LIMIT, .group = kb_control_groups_memory_left(source->root) };
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
