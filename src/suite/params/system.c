/* See system.h. */
#include "suite/params/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "declared.h"

#define INDICES 8               /* of /sys/.../cache: Linux knows levels 1 to 4, the first one twice */
#define TEXT_ROOM 8192          /* the first processor of /proc/cpuinfo, of which one field is asked */

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
