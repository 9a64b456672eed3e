/*
 * Any bytes as files of /proc and /sys, of a machine that is made of them: "<letter><content>\0" again and again. Facts have a value that
 * can be shown, findings one line, numbers are finite; nothing of it ends the program.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "control_groups.h"
#include "env/activity.h"
#include "env/gather.h"
#include "suite/params/system.h"

/* In the order of their letters, from 'a'. */
static const char *const paths[] = {
	"/proc/cpuinfo", "/proc/meminfo", "/proc/self/cgroup", "/proc/self/mountinfo", "/proc/stat", "/proc/vmstat", "/proc/cmdline", "/proc/loadavg",
	"/etc/os-release", "/proc/version", "/proc/device-tree/model", "/sys/devices/system/cpu/online", "/sys/devices/system/cpu/isolated",
	"/sys/devices/system/cpu/smt/active", "/sys/devices/system/cpu/cpu0/cache/index0/size", "/sys/devices/system/cpu/cpu0/cache/index0/level",
	"/sys/devices/system/cpu/cpu0/cache/index0/shared_cpu_list", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq",
	"/sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq", "/sys/devices/system/cpu/vulnerabilities/meltdown",
	"/sys/kernel/mm/transparent_hugepage/enabled", "/sys/fs/cgroup/cpu.max", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current",
	"/sys/fs/cgroup/memory.stat", "/sys/devices/system/clocksource/clocksource0/current_clocksource", "/proc/sys/kernel/perf_event_paranoid",
	"/sys/devices/system/node/online", "/sys/hypervisor/type", "/sys/class/dmi/id/product_name", "/proc/sys/kernel/osrelease",
	"/sys/devices/system/cpu/cpu0/cache/index0/type", "/sys/devices/system/cpu/cpu0/cache/index0/coherency_line_size",
};

#define PATHS (sizeof paths / sizeof paths[0])

static char root[300];
static int files[PATHS];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk)
{
	(void)status;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void remove_machine(void)
{
	nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Links to files in memory: to write them costs no disk. */
static void make_machine(void)
{
	char full[500], target[40];

	fuzz_directory(root);
	atexit(remove_machine);
	for (size_t i = 0; i < PATHS; i++) {
		files[i] = -1;
		fuzz_file(&files[i], NULL, 0);
		snprintf(full, sizeof full, "%s%s", root, paths[i]);
		for (char *slash = strchr(full + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
			*slash = '\0';
			require(mkdir(full, 0700) == 0 || errno == EEXIST);
			*slash = '/';
		}
		snprintf(target, sizeof target, "/proc/self/fd/%d", files[i]);
		require(symlink(target, full) == 0);
	}
}

static void write_files(const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < PATHS; i++)
		fuzz_file(&files[i], NULL, 0);
	while (size > 0) {
		unsigned which = fuzz_choice(&data, &size, PATHS);
		const uint8_t *end = memchr(data, 0, size);
		size_t length = end ? (size_t)(end - data) : size;

		fuzz_file(&files[which], data, length);
		data += length + (end != NULL);
		size -= length + (end != NULL);
	}
}

static void gather(const struct kb_fact_source *source)
{
	static const char *const machines[] = { "x86_64", "aarch64", "riscv64" };
	static unsigned turn;
	struct kb_answers answers = { .pmu = KB_ANSWER_UNKNOWN, .hypervisor = KB_ANSWER_UNKNOWN, .perf_software = KB_ANSWER_UNKNOWN };
	struct kb_finding findings[KB_FINDINGS_MAX];
	struct kb_env env;
	char id[17];

	snprintf(answers.machine, sizeof answers.machine, "%s", machines[turn++ % 3]);
	require(kb_env_gather(source, &answers, &env) == 0);
	for (size_t i = 0; i < env.count; i++)
		require(env.facts[i].key[0] && env.facts[i].value[0] && !strchr(env.facts[i].value, '\n'));
	kb_env_id(&env, id);
	require(strlen(id) == 16 && strspn(id, "0123456789abcdef") == 16);
	/* Which waits a while for the machine that it runs on. */
	if (turn % 4096 == 1) {
		size_t count = kb_doctor(&env, findings);

		require(count <= KB_FINDINGS_MAX);
		for (size_t i = 0; i < count; i++)
			require(findings[i].fitness <= KB_UNFIT && !strchr(findings[i].what, '\n') && !strchr(findings[i].remedy, '\n'));
	}
	kb_env_free(&env);
}

static void read_system(const struct kb_fact_source *source)
{
	struct kb_system system;
	struct kb_limits limits;
	const char *name;
	char text[300];

	kb_system_read(source, 0, &system);
	require(isfinite(system.cpuinfo_mhz) && isfinite(system.cpufreq_low_mhz) && isfinite(system.base_mhz) && isfinite(system.tsc_mhz));
	kb_system_end(&system);
	kb_limits_read(source, &limits);
	kb_limits_text(&limits, text, sizeof text);
	require(kb_is_visible(text));
	require(kb_limits_bound(&limits, 1 << 20) <= 1 << 20);
	kb_limits_lowest(&limits, &name);
	kb_control_groups_memory_left(source->root);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct kb_fact_source source = { root };
	struct kb_activity before, between;

	if (!root[0])
		make_machine();
	kb_activity_read(&source, &before);
	write_files(data, size);
	gather(&source);
	read_system(&source);
	kb_activity_read(&source, &between);
	between = kb_activity_between(&before, &between);
	require(!between.known || between.idle <= between.total || between.total == 0 || between.idle > 0);
	return 0;
}
