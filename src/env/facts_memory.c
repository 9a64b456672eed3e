/* Memory: how much, on how many nodes, in which pages. */
#include "env/gather.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* /proc/meminfo counts in units of 1024 bytes, which it calls kB. */
static bool meminfo_bytes(const char *text, const char *name, uint64_t *bytes)
{
	char value[64], *end;

	if (!kb_source_field(text, name, value, sizeof(value)))
		return false;
	*bytes = strtoull(value, &end, 10) * 1024;
	return end != value;
}

/*
 * Not stable, the total neither: it moves by some pages from boot to boot with what the kernel reserves, and a
 * environment ID must not.
 */
static void describe_amounts(struct kb_gather *gather)
{
	static const struct { const char *key, *name; } amounts[] = {
		{ "memory", "MemTotal" }, { "memory_available", "MemAvailable" }, { "swap", "SwapTotal" },
	};
	char text[4096];
	uint64_t bytes;

	kb_source_text(gather->source, "/proc/meminfo", text, sizeof(text));
	for (size_t i = 0; i < sizeof(amounts) / sizeof(amounts[0]); i++) {
		if (meminfo_bytes(text, amounts[i].name, &bytes))
			kb_gather_number(gather, amounts[i].key, bytes, KB_PASSING);
		else
			kb_gather_fact(gather, amounts[i].key, NULL, KB_PASSING);
	}
}

static void describe_choice(struct kb_gather *gather, const char *key, const char *path)
{
	char word[64];
	bool read = kb_source_choice(gather->source, path, word, sizeof(word));

	kb_gather_fact(gather, key, read ? word : NULL, KB_STABLE);
}

void kb_gather_memory(struct kb_gather *gather)
{
	describe_amounts(gather);
	kb_gather_count(gather, "numa_nodes", "/sys/devices/system/node/online");
	describe_choice(gather, "thp", "/sys/kernel/mm/transparent_hugepage/enabled");
	describe_choice(gather, "thp_defrag", "/sys/kernel/mm/transparent_hugepage/defrag");
}
