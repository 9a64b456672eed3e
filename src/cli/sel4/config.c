/*
 * What the configuration of a seL4 kernel means for a benchmark. gen_config.json is the truth: the kernel's own build drops
 * options with unmet dependencies, and reports none of it. Switches there are true or false, numbers are strings.
 */
#include "cli/sel4/sel4.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32.h"

static json_t *load(const char *includes, const char *name, char path[PATH_MAX])
{
	for (const char *at = includes; at && *at; at += strcspn(at, ":"), at += *at == ':') {
		snprintf(path, PATH_MAX, "%.*s/%s", (int)strcspn(at, ":"), at, name);
		json_t *json = json_load_file(path, 0, NULL);

		if (json)
			return json;
	}
	return NULL;
}

/* From the start of memory of QEMU's board, which the first region may leave to the firmware, to the end of the last one: a machine with less
   hangs. */
static unsigned memory_of(const struct kb_sel4_config *config, const char *platform)
{
	double start = strcmp(config->arch, "riscv64") == 0 ? 0x80000000u : 0x40000000u, end = 0;
	json_t *json = platform[0] ? json_load_file(platform, 0, NULL) : NULL;
	const json_t *region;
	size_t i;

	json_array_foreach(json_object_get(json, "memory"), i, region) {
		double stop = json_number_value(json_object_get(region, "end"));

		end = stop > end ? stop : end;
	}
	json_decref(json);
	return end > start ? (unsigned)((end - start) / (1 << 20)) : strcmp(config->arch, "x86_64") == 0 ? 256 : 1024;
}

void kb_sel4_config_read(const struct kb_sel4_job *job, struct kb_sel4_config *config)
{
	char other[PATH_MAX];

	*config = (struct kb_sel4_config){ .kernel = NULL };
	config->kernel = load(job->prefix.includes, "kernel/gen_config.json", config->path);
	if (!config->kernel)
		kb_die(job->command, KB_EXIT_USAGE, "no kernel/gen_config.json in %.300s: is this the install prefix of an seL4 kernel?",
		       job->prefix.includes);
	config->user = load(job->prefix.includes, "sel4/gen_config.json", other);
	snprintf(config->arch, sizeof config->arch, "%s", kb_sel4_config_text(config, "SEL4_ARCH"));
	if (strcmp(config->arch, "x86_64") != 0 && strcmp(config->arch, "riscv64") != 0 && strcmp(config->arch, "aarch64") != 0)
		kb_die(job->command, KB_EXIT_UNFIT, "%s: SEL4_ARCH is %s; this root server is for x86_64, riscv64 and aarch64", config->path,
		       config->arch);
	config->megabytes = memory_of(config, job->prefix.platform);
}

void kb_sel4_config_free(struct kb_sel4_config *config)
{
	json_decref(config->kernel);
	json_decref(config->user);
}

uint32_t kb_sel4_config_but_counting(const struct kb_sel4_config *config)
{
	static const char *const counting[] = { "NO_BENCHMARKS", "BENCHMARK_TRACK_UTILISATION", "KERNEL_BENCHMARK", "ENABLE_BENCHMARKS" };
	json_t *rest = json_copy(config->kernel);

	for (size_t i = 0; i < sizeof counting / sizeof counting[0]; i++)
		json_object_del(rest, counting[i]);

	char *text = json_dumps(rest, JSON_COMPACT | JSON_SORT_KEYS);
	uint32_t hash = text ? kb_crc32(0, text, strlen(text)) : 0;

	free(text);
	json_decref(rest);
	return hash;
}

/* No option of the kernel's: whether any of those is on that let threads read a counter. */
#define USER_COUNTER "EXPORT_*_USER"

static bool exports_counter(const struct kb_sel4_config *config)
{
	static const char *const options[] = { "EXPORT_PMU_USER", "EXPORT_VCNT_USER", "EXPORT_PCNT_USER" };
	bool exports = false;

	for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
		exports |= json_is_true(json_object_get(config->kernel, options[i]));
	return exports;
}

const char *kb_sel4_config_text(const struct kb_sel4_config *config, const char *key)
{
	const json_t *value = json_object_get(config->kernel, key);

	if (strcmp(key, USER_COUNTER) == 0)
		return exports_counter(config) ? "yes" : "no";

	if (!value)
		value = json_object_get(config->user, key);
	if (json_is_string(value))
		return json_string_value(value);
	return json_is_true(value) ? "yes" : "no";
}

/* ---- what it means ------------------------------------------------------------------------------------------- */

static const struct kb_sel4_rule rules[] = {
	{ "KERNEL_MCS", "yes", NULL, KB_SEL4_NOTE, "scheduling contexts: an operation costs more than without, so compare only kernels that agree in this" },
	{ "KERNEL_MCS", "no", NULL, KB_SEL4_NOTE, "a periodic tick interrupts samples" },
	{ "SUPPORT_PCID", "yes", "x86_64", KB_SEL4_BOARD, "emulation has no PCID and the kernel stops: build it with KernelSupportPCID=OFF" },
	{ "ARM_HYPERVISOR_SUPPORT", "yes", "aarch64", KB_SEL4_REFUSED, "a kernel for EL2: the loader starts kernels at EL1 only; take a "
	  "configuration without hypervisor support" },
	{ "ARM_TLS_REG", "tpidruro", "aarch64", KB_SEL4_REFUSED, "threads cannot set their thread pointer: build with tpidru" },
	{ "HUGE_PAGE", "yes", "x86_64", KB_SEL4_NOTE, "needs huge pages of the processor; QEMU is started with -cpu max" },
	{ "PRINTING", "no", NULL, KB_SEL4_NOTE, "the console goes by the port or by semihosting, not through the kernel" },
	{ "DEBUG_BUILD", "yes", NULL, KB_SEL4_WARNING, "a debug kernel: an operation costs about 40 % more, and results are marked debug_kernel" },
	{ "FASTPATH", "no", NULL, KB_SEL4_WARNING, "no fast path: IPC takes the general one" },
	{ "SIGNAL_FASTPATH", "yes", NULL, KB_SEL4_NOTE, "signals try a fast path first, which ends where a higher priority wakes" },
	{ "KERNEL_SKIM_WINDOW", "*", "x86_64", KB_SEL4_NOTE, "instruction counts hardly see it, times do" },
	{ "KERNEL_FSGS_BASE", "*", "x86_64", KB_SEL4_NOTE, "msr costs a dozen instructions a switch more than inst" },
	{ "KERNEL_X86_MICRO_ARCH", "*", "x86_64", KB_SEL4_NOTE, "the compiler's target: other instructions, another count" },
	{ "NUM_DOMAINS", "!1", NULL, KB_SEL4_NOTE, "more domains cost a few instructions a switch" },
	{ "MAX_NUM_NODES", "!1", NULL, KB_SEL4_WARNING, "a multicore kernel on one core: locks are inside every operation" },
	{ "TIMER_TICK_MS", "*", NULL, KB_SEL4_NOTE, "period of the tick in ms; below 100 many samples hold one" },
	{ "TIME_SLICE", "*", NULL, KB_SEL4_NOTE, "ticks of a time slice" },
	{ "KERNEL_BENCHMARK", "none", NULL, KB_SEL4_NOTE, "no kernel entries are counted: results have the reason no_entry_count" },
	{ "KERNEL_BENCHMARK", "track_utilisation", NULL, KB_SEL4_WARNING, "entries and schedules are counted, which costs up to 40 % of an operation: "
	  "evidence yes, times no" },
	{ "KERNEL_BENCHMARK", "track_kernel_entries", NULL, KB_SEL4_WARNING, "every entry is logged: never time on this kernel" },
	{ USER_COUNTER, "no", "aarch64", KB_SEL4_REFUSED, "threads may read no counter: build it with KernelArmExportPMUUser=ON" },
	{ "EXPORT_PMU_USER", "*", "aarch64", KB_SEL4_NOTE, "yes: PMCCNTR can be read by threads, which count cycles on a board" },
	{ "LIB_SEL4_USE_THREAD_LOCALS", "*", NULL, KB_SEL4_NOTE, "how libsel4 finds the IPC buffer; part of wait=libsel4" },
};

static bool applies(const struct kb_sel4_rule *rule, const struct kb_sel4_config *config)
{
	const char *value = kb_sel4_config_text(config, rule->key);

	if (rule->arch && strcmp(rule->arch, config->arch) != 0)
		return false;
	if (rule->when[0] == '!')
		return strcmp(value, rule->when + 1) != 0;
	return rule->when[0] == '*' || strcmp(value, rule->when) == 0;
}

const struct kb_sel4_rule *kb_sel4_next_rule(const struct kb_sel4_config *config, const struct kb_sel4_rule *rule, enum kb_sel4_weight least)
{
	for (rule = rule ? rule + 1 : rules; rule < rules + sizeof rules / sizeof rules[0]; rule++) {
		if (rule->weight >= least && applies(rule, config))
			return rule;
	}
	return NULL;
}
