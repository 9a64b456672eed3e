/* See system.h. */
#include "suite/params/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/units.h"
#include "control_groups.h"
#include "declared.h"

#define INDICES 8               /* of /sys/.../cache: Linux knows levels 1 to 4, the first one twice */
#define TEXT_ROOM 8192          /* the first processor of /proc/cpuinfo, of which one field is asked */
#define SHARE 4                 /* of what the limits leave: so much of it a sweep may use */

static bool cache_line(const struct kb_fact_source *source, unsigned cpu, int index, const char *name, char *line)
{
	char path[128];

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cache/index%d/%s", cpu, index, name);
	return kb_source_line(source, path, line, KB_SOURCE_LINE);
}

static unsigned cache_number(const struct kb_fact_source *source, unsigned cpu, int index, const char *name)
{
	char line[KB_SOURCE_LINE];
	long value = cache_line(source, cpu, index, name, line) ? strtol(line, NULL, 10) : 0;

	return value > 0 ? (unsigned)value : 0;
}

static void read_cache(const struct kb_fact_source *source, unsigned cpu, int index, struct kb_system *system)
{
	unsigned level = cache_number(source, cpu, index, "level");
	char line[KB_SOURCE_LINE];

	if (level < 1 || level > KB_SYSTEM_CACHES || !cache_line(source, cpu, index, "type", line) || !strcmp(line, "Instruction"))
		return;

	struct kb_system_cache *cache = &system->cache[level - 1];

	if (!cache_line(source, cpu, index, "size", line) || !kb_parse_size(line, &cache->bytes))
		cache->bytes = 0;
	cache->ways = cache_number(source, cpu, index, "ways_of_associativity");
	cache->line = cache_number(source, cpu, index, "coherency_line_size");
	if (cache_line(source, cpu, index, "shared_cpu_list", line) && strlen(line) < sizeof cache->cpus)
		strcpy(cache->cpus, line);
}

static double cpufreq_mhz(const struct kb_fact_source *source, unsigned cpu, const char *name)
{
	char path[128];
	int64_t khz;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/%s", cpu, name);
	return kb_source_number(source, path, &khz) ? (double)khz / 1000 : 0;
}

/* A field of a file in /proc, as a number in front of its unit. */
static double field(const struct kb_fact_source *source, const char *path, const char *name)
{
	char text[TEXT_ROOM], value[KB_SOURCE_LINE];

	if (!kb_source_text(source, path, text, sizeof text) || !kb_source_field(text, name, value, sizeof value))
		return 0;
	return strtod(value, NULL);
}

void kb_system_end(struct kb_system *system)
{
	kb_topology_close(system->hwloc);
	system->hwloc = NULL;
}

void kb_system_read(const struct kb_fact_source *source, unsigned cpu, struct kb_system *system)
{
	struct kb_answers answers;

	*system = (struct kb_system){ .tlb_source = { "", "" }, .huge_tlb_source = { "", "" } };
	for (int i = 0; i < INDICES; i++)
		read_cache(source, cpu, i, system);
	for (unsigned level = 1; level <= KB_SYSTEM_CACHES; level++)
		kb_arch_cache(level, &system->processor[level - 1]);
	for (unsigned level = 1; level <= 2; level++) {
		system->tlb[level - 1] = kb_arch_tlb_entries(level, false, &system->tlb_source[level - 1]);
		system->huge_tlb[level - 1] = kb_arch_tlb_entries(level, true, &system->huge_tlb_source[level - 1]);
	}
	if (source->root[0] == '\0')
		system->hwloc = kb_topology_open();
	for (unsigned level = 1; level <= KB_SYSTEM_CACHES && system->hwloc; level++)
		kb_topology_cache(system->hwloc, cpu, level, &system->topology[level - 1]);
	system->cpuinfo_mhz = field(source, "/proc/cpuinfo", "cpu MHz");
	system->cpufreq_low_mhz = cpufreq_mhz(source, cpu, "cpuinfo_min_freq");
	system->cpufreq_high_mhz = cpufreq_mhz(source, cpu, "cpuinfo_max_freq");
	system->base_mhz = kb_arch_base_mhz();
	system->tsc_mhz = kb_arch_tsc_mhz();
	kb_limits_read(source, &system->limits);
	memset(&answers, 0, sizeof answers);
	kb_answers_ask_hypervisor(&answers);
	kb_hypervisor_name(source, &answers, system->hypervisor, sizeof system->hypervisor);
}

bool kb_system_is_guest(const struct kb_system *system)
{
	return strcmp(system->hypervisor, "none") && strcmp(system->hypervisor, "unknown");
}

uint64_t kb_system_last_cache(const struct kb_system *system)
{
	uint64_t last = 0;

	for (int i = 0; i < KB_SYSTEM_CACHES; i++)
		last = system->cache[i].bytes > last ? system->cache[i].bytes : last;
	return last;
}

/* ---- limits ---------------------------------------------------------------------------------------------- */

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
	double available = 1024 * field(source, "/proc/meminfo", "MemAvailable");

	*limits = (struct kb_limits){ .available = KB_NO_LIMIT, .group = kb_control_groups_memory_left(source->root) };
	if (available > 0 && available < (double)KB_NO_LIMIT)
		limits->available = (uint64_t)available;
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
