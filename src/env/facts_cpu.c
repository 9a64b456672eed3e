/* The processor: its names, its caches, and what decides how fast it runs; the memory: how much, on how many nodes, in which pages. */
#include "env/gather.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first processor of /proc/cpuinfo fits: 1.5 KB on x86. Reading all of 512 CPUs would take longer than we may. */
#define CPUINFO_ROOM 8192

/* Each fact's name on x86, then what stands for it on ARM and RISC-V. */
static const struct { const char *key, *names[3]; } identities[] = {
	{ "cpu_vendor", { "vendor_id", "CPU implementer", "mvendorid" } },
	{ "cpu_model", { "model name", "CPU part", "uarch" } },
	{ "cpu_family", { "cpu family", "CPU architecture", "isa" } },
	{ "cpu_model_number", { "model", "CPU variant", "marchid" } },
	{ "cpu_stepping", { "stepping", "CPU revision", "mimpid" } },
	{ "microcode", { "microcode" } },
};

static void identify(struct kb_gather *gather)
{
	char text[CPUINFO_ROOM], value[KB_SOURCE_LINE];

	kb_source_text(gather->source, "/proc/cpuinfo", text, sizeof(text));
	for (size_t i = 0; i < sizeof(identities) / sizeof(identities[0]); i++) {
		bool found = false;

		for (size_t k = 0; k < 3 && !found && identities[i].names[k]; k++)
			found = kb_source_field(text, identities[i].names[k], value, sizeof(value));
		kb_gather_fact(gather, identities[i].key, found ? value : NULL, KB_STABLE);
	}
	/* What the clock runs at right now; on ARM and RISC-V the kernel does not say. */
	bool mhz = kb_source_field(text, "cpu MHz", value, sizeof(value));

	kb_gather_fact(gather, "mhz", mhz ? value : NULL, KB_PASSING);
}

/* Which fact a cache index of /sys is; NULL: a level or type that has no fact. */
static const char *cache_key(int64_t level, const char *type)
{
	if (level == 1)
		return !strcmp(type, "Instruction") ? "cache_l1i" : "cache_l1d";
	if (!strcmp(type, "Instruction"))
		return NULL;
	return level == 2 ? "cache_l2" : level == 3 ? "cache_l3" : NULL;
}

/* Of CPU 0, which every machine has. Machines with two kinds of cores are told apart by their model name. */
static void describe_caches(struct kb_gather *gather)
{
	static const char *const keys[] = { "cache_l1d", "cache_l1i", "cache_l2", "cache_l3", "line_size" };
	static const char index[] = "/sys/devices/system/cpu/cpu0/cache/index";
	char path[96], type[32], text[32];
	int64_t level;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		kb_gather_fact(gather, keys[i], NULL, KB_STABLE);
	/* Eight: Linux knows levels 1 to 4, the first one twice. */
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "%s%d/level", index, i);
		if (!kb_source_number(gather->source, path, &level))
			return;
		snprintf(path, sizeof(path), "%s%d/type", index, i);
		kb_source_line(gather->source, path, type, sizeof(type));
		const char *key = cache_key(level, type);

		snprintf(path, sizeof(path), "%s%d/size", index, i);
		if (key && kb_source_line(gather->source, path, text, sizeof(text)))
			kb_gather_fact(gather, key, text, KB_STABLE);
		snprintf(path, sizeof(path), "%s%d/coherency_line_size", index, i);
		if (i == 0 && kb_source_line(gather->source, path, text, sizeof(text)))
			kb_gather_fact(gather, "line_size", text, KB_STABLE);
	}
}

/* One word for what all frequency policies say: the word, "mixed", or "" without any. */
static void agree(char *common, size_t room, const char *word)
{
	if (!common[0])
		snprintf(common, room, "%s", word);
	else if (strcmp(common, word))
		snprintf(common, room, "mixed");
}

/* The lowest and the highest core clock that the policy allows, in kHz: "3000000-3000000" is a fixed clock. */
static bool policy_range(struct kb_gather *gather, const char *policy, char *range, size_t room)
{
	char path[160];
	int64_t low, high;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpufreq/%s/scaling_min_freq", policy);
	if (!kb_source_number(gather->source, path, &low))
		return false;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpufreq/%s/scaling_max_freq", policy);
	if (!kb_source_number(gather->source, path, &high))
		return false;
	snprintf(range, room, "%" PRId64 "-%" PRId64, low, high);
	return true;
}

static void describe_frequency(struct kb_gather *gather)
{
	static const char directory[] = "/sys/devices/system/cpu/cpufreq";
	char governor[64] = "", driver[64] = "", range[64] = "", path[160], word[64];
	char (*policies)[KB_SOURCE_NAME];
	size_t count = kb_source_names(gather->source, directory, "policy", &policies);

	for (size_t i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/scaling_governor", directory, policies[i]);
		if (kb_source_line(gather->source, path, word, sizeof(word)))
			agree(governor, sizeof(governor), word);
		snprintf(path, sizeof(path), "%s/%s/scaling_driver", directory, policies[i]);
		if (kb_source_line(gather->source, path, word, sizeof(word)))
			agree(driver, sizeof(driver), word);
		if (policy_range(gather, policies[i], word, sizeof(word)))
			agree(range, sizeof(range), word);
	}
	free(policies);
	kb_gather_fact(gather, "governor", governor, KB_STABLE);
	kb_gather_fact(gather, "driver", driver, KB_STABLE);
	kb_gather_fact(gather, "frequency_khz", range, KB_STABLE);
}

/* Intel's driver says it the other way round: no_turbo is 1 when turbo is off. */
static const char *turbo(const struct kb_fact_source *source)
{
	int64_t value;

	if (kb_source_number(source, "/sys/devices/system/cpu/intel_pstate/no_turbo", &value))
		return value ? "off" : "on";
	if (kb_source_number(source, "/sys/devices/system/cpu/cpufreq/boost", &value))
		return value ? "on" : "off";
	return "unknown";
}

/* "on", or why not: off, forceoff, notsupported. */
static void describe_smt(struct kb_gather *gather)
{
	char control[32] = "";
	int64_t active;

	if (kb_source_number(gather->source, "/sys/devices/system/cpu/smt/active", &active) && active)
		snprintf(control, sizeof(control), "on");
	else
		kb_source_line(gather->source, "/sys/devices/system/cpu/smt/control", control, sizeof(control));
	kb_gather_fact(gather, "smt", control, KB_STABLE);
}

/* A file that lists CPUs: empty means none (the kernel prints "(null)" for a list that it never made). */
static void describe_list(struct kb_gather *gather, const char *key, const char *path)
{
	char list[KB_SOURCE_LINE];
	bool read = kb_source_line(gather->source, path, list, sizeof(list));

	if (read && (!list[0] || !strcmp(list, "(null)")))
		snprintf(list, sizeof(list), "none");
	kb_gather_fact(gather, key, read ? list : NULL, KB_STABLE);
}

void kb_gather_cpu(struct kb_gather *gather)
{
	identify(gather);
	kb_gather_count(gather, "cpus", "/sys/devices/system/cpu/online");
	describe_caches(gather);
	describe_frequency(gather);
	kb_gather_fact(gather, "turbo", turbo(gather->source), KB_STABLE);
	describe_smt(gather);
	describe_list(gather, "isolated_cpus", "/sys/devices/system/cpu/isolated");
	describe_list(gather, "nohz_full", "/sys/devices/system/cpu/nohz_full");
}

/* ---- memory -------------------------------------------------------------------------------------- */

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
 * Not stable, the total neither: it moves by some pages from boot to boot with what the kernel reserves, and an
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
