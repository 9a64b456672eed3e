/* See caches.h. */
#include "caches.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "control_groups.h"

uint64_t kb_memory_left(void)
{
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kilobytes = UINT64_MAX >> 10, group = kb_control_groups_memory_left("");
	char line[128];

	while (file && fgets(line, sizeof line, file) && sscanf(line, "MemAvailable: %" SCNu64 " kB", &kilobytes) != 1)
		;
	if (file)
		fclose(file);
	return kilobytes << 10 < group ? kilobytes << 10 : group;
}

bool kb_cpu_cache(int cpu, unsigned index, const char *name, char text[KB_CACHE_WORD])
{
	char path[96];
	FILE *file;
	bool read;

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cache/index%u/%s", cpu, index, name);
	file = fopen(path, "re");
	read = file && fgets(text, KB_CACHE_WORD, file);
	if (file)
		fclose(file);
	return read;
}

uint64_t kb_cpu_cache_size(int cpu, unsigned index)
{
	char text[KB_CACHE_WORD], *end = text;
	uint64_t size = kb_cpu_cache(cpu, index, "size", text) ? strtoull(text, &end, 10) : 0;

	return size << (*end == 'K' ? 10 : *end == 'M' ? 20 : 0);
}

uint64_t kb_cpu_last_cache(int cpu)
{
	uint64_t largest = 0, size;

	for (unsigned i = 0; i < KB_CACHES_MAX && (size = kb_cpu_cache_size(cpu, i)) > 0; i++)
		largest = size > largest ? size : largest;
	return largest;
}
