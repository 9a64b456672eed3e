/* Facts of machines made of files, the class, and this machine. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <dirent.h>
#include <sys/resource.h>

#include "fake.h"

static void expect_fact(const struct kb_env *env, const char *key, const char *value)
{
	const char *told = kb_env_get(env, key);

	if (!told || strcmp(told, value))
		fail_msg("%s is \"%s\", expected \"%s\"", key, told ? told : "(absent)", value);
}

static void bare_metal_facts(void **state)
{
	static const char *const expected[][2] = {
		{ "kernel", "6.1.0-18-amd64" }, { "os", "Debian GNU/Linux 12 (bookworm)" }, { "arch", "x86_64" },
		{ "cpu_vendor", "GenuineIntel" }, { "cpu_model", "Xeon  of some kind" }, { "cpu_family", "6" },
		{ "cpu_model_number", "106" }, { "cpu_stepping", "6" }, { "microcode", "0xd0003a5" }, { "cpus", "4" },
		{ "cache_l1d", "48K" }, { "cache_l1i", "32K" }, { "cache_l2", "1280K" }, { "cache_l3", "unknown" },
		{ "line_size", "64" }, { "memory", "8192000000" }, { "memory_available", "6144000000" },
		{ "numa_nodes", "1" }, { "hypervisor", "none" }, { "clocksource", "tsc" },
		{ "governor", "performance" }, { "driver", "intel_pstate" },
		{ "frequency_khz", "2900000-2900000" }, { "turbo", "off" }, { "smt", "off" },
		{ "aslr", "full" }, { "thp", "madvise" }, { "thp_defrag", "madvise" }, { "isolated_cpus", "3" },
		{ "nohz_full", "none" }, { "mitigations", "mds=Vulnerable: no microcode, spectre_v2=Enhanced IBRS" },
		{ "cmdline", "BOOT_IMAGE=/vmlinuz root=UUID=4711 ro isolcpus=3 preempt=full -- init words" },
		{ "boot_options", "ro isolcpus=3 preempt=full" }, { "preempt", "dynamic-full" },
		{ "cgroup_quota", "none" }, { "timer_slack_ns", "50000" }, { "perf_event_paranoid", "1" },
		{ "pmu", "yes" }, { "event_names", "libpfm4" }, { "perf_software", "yes" }, { "ptrace", "unrestricted" }, { "uid", "0" },
		{ "boot_id", "1b4e28ba-2fa1-41d2-883f-0016d3cca427" }, { "load1", "0.10" }, { "steal", "0.00%" }, { "mhz", "2900.100" }, { "lockdown", "unknown" }, { "swap", "0" },
	};
	struct fake fake;
	struct kb_env env;

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	fake_env(&fake, &env);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		expect_fact(&env, expected[i][0], expected[i][1]);
	assert_int_equal(env.count, sizeof(expected) / sizeof(expected[0]));
	assert_null(kb_env_get(&env, "no_such_fact"));
	kb_env_free(&env);
	assert_int_equal(env.count, 0);
	fake_end(&fake);
}

/* A directory without any file: every fact is there, and none claims anything. */
static void nothing_is_unknown(void **state)
{
	struct fake fake;
	struct kb_env env;

	(void)state;
	fake_begin(&fake);
	fake_env(&fake, &env);
	assert_true(env.count > 40);
	for (size_t i = 0; i < env.count; i++) {
		if (strcmp(env.facts[i].key, "arch") && strcmp(env.facts[i].key, "uid"))
			expect_fact(&env, env.facts[i].key, "unknown");
	}
	kb_env_free(&env);
	fake_end(&fake);
}

/* Files that hold anything but what they should. */
static void garbage_is_survived(void **state)
{
	static const char *const paths[] = {
		"/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/self/cgroup", "/etc/os-release", "/proc/cmdline",
		"/sys/devices/system/cpu/online", "/proc/sys/kernel/randomize_va_space", "/proc/loadavg",
		"/sys/kernel/mm/transparent_hugepage/enabled", "/sys/devices/system/cpu/cpu0/cache/index0/level",
		"/sys/devices/system/cpu/vulnerabilities/spectre_v2", "/proc/sys/kernel/random/boot_id",
	};
	static char many[20001];
	const char *const texts[] = { "", "\n", ":", "::::\n::\n[", "][", "-", "PRETTY_NAME=", "PRETTY_NAME=\"",
				      "a:cpu:", many };

	(void)state;
	memset(many, 'x', sizeof(many) - 1);
	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		struct fake fake;
		struct kb_env env;

		fake_begin(&fake);
		for (size_t p = 0; p < sizeof(paths) / sizeof(paths[0]); p++)
			fake_file(&fake, paths[p], texts[t]);
		fake_env(&fake, &env);
		for (size_t i = 0; i < env.count; i++)
			assert_true(env.facts[i].value[0] && !strchr(env.facts[i].value, '\n'));
		expect_fact(&env, "cpus", "unknown");
		expect_fact(&env, "aslr", "unknown");
		expect_fact(&env, "memory", "unknown");
		expect_fact(&env, "cgroup_quota", "unknown");
		kb_env_free(&env);
		fake_end(&fake);
	}
}

static void expect_one(struct fake *fake, const char *key, const char *value)
{
	struct kb_env env;

	fake_env(fake, &env);
	expect_fact(&env, key, value);
	kb_env_free(&env);
}

static void variants(void **state)
{
	static const char directory[] = "/sys/devices/system/cpu/cpufreq";
	struct fake fake;
	char path[128];

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	snprintf(path, sizeof(path), "%s/policy1/scaling_governor", directory);
	fake_file(&fake, path, "powersave\n");
	expect_one(&fake, "governor", "mixed");
	fake_without(&fake, "/sys/devices/system/cpu/intel_pstate/no_turbo");
	expect_one(&fake, "turbo", "unknown");
	snprintf(path, sizeof(path), "%s/boost", directory);
	fake_file(&fake, path, "1\n");
	expect_one(&fake, "turbo", "on");
	fake_file(&fake, "/proc/sys/kernel/yama/ptrace_scope", "2\n");
	expect_one(&fake, "ptrace", "admin");
	fake_file(&fake, "/sys/devices/system/cpu/smt/active", "1\n");
	expect_one(&fake, "smt", "on");
	fake.answers.fixed_layout = true;
	expect_one(&fake, "aslr", "off");
	fake_file(&fake, "/sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n");
	fake_file(&fake, "/sys/devices/system/cpu/vulnerabilities/spectre_v2", "Not affected\n");
	expect_one(&fake, "mitigations", "none");
	fake_file(&fake, "/proc/stat", "cpu  100 0 100 9700 0 0 0 100 0 0\n");
	expect_one(&fake, "steal", "1.00%");
	fake_end(&fake);
}

/* The tightest limit of all groups above us counts, in both versions of cgroups. */
static void quotas(void **state)
{
	/* One file after the other, and the quota that is known then; NULL: half of it is missing. */
	static const struct { const char *path, *text, *quota; } steps[] = {
		{ "/sys/fs/cgroup/user/job/cpu.max", "300000 100000\n", "3.00 cpus" },
		{ "/sys/fs/cgroup/user/cpu.max", "150000 100000\n", "1.50 cpus" },
		{ "/sys/fs/cgroup/cpu.max", "400000 100000\n", "1.50 cpus" },
		{ "/proc/self/cgroup", "3:cpuset:/\n2:cpu,cpuacct:/box\n", "unknown" },
		{ "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n", NULL },
		{ "/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n", "none" },
		{ "/sys/fs/cgroup/cpu/box/cpu.cfs_quota_us", "50000\n", NULL },
		{ "/sys/fs/cgroup/cpu/box/cpu.cfs_period_us", "100000\n", "0.50 cpus" },
	};
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_common(&fake);
	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		fake_file(&fake, steps[i].path, steps[i].text);
		if (steps[i].quota)
			expect_one(&fake, "cgroup_quota", steps[i].quota);
	}
	fake_end(&fake);
}

static void hypervisors(void **state)
{
	struct fake fake;

	(void)state;
	fake_begin(&fake);
	fake_guest(&fake);
	expect_one(&fake, "hypervisor", "kvm");
	strcpy(fake.answers.signature, "TCGTCGTCGTCG");
	expect_one(&fake, "hypervisor", "qemu-tcg");
	strcpy(fake.answers.signature, "Unheard\nOf");
	expect_one(&fake, "hypervisor", "Unheard Of");
	fake.answers.signature[0] = 0;
	expect_one(&fake, "hypervisor", "unnamed");
	fake.answers.hypervisor = KB_ANSWER_UNKNOWN;
	expect_one(&fake, "hypervisor", "unknown");
	fake_file(&fake, "/sys/class/dmi/id/product_name", "Some Board\n");
	expect_one(&fake, "hypervisor", "none");
	fake_file(&fake, "/sys/class/dmi/id/sys_vendor", "QEMU\n");
	expect_one(&fake, "hypervisor", "qemu");
	/* A hypervisor that hides in CPUID is still betrayed by its board. */
	fake.answers.hypervisor = KB_ANSWER_NO;
	expect_one(&fake, "hypervisor", "qemu");
	fake_file(&fake, "/sys/hypervisor/type", "xen\n");
	expect_one(&fake, "hypervisor", "xen");
	fake_end(&fake);
}

/* A firmware may call its board anything. */
static void facts_are_visible(void **state)
{
	struct kb_env env = { 0 };

	(void)state;
	assert_int_equal(kb_env_add(&env, "key\u202e", "a\x1b[31m\xc2\x9b\xae\u2028\n\u00ae", true), 0);
	assert_string_equal(env.facts[0].key, "key ");
	assert_string_equal(env.facts[0].value, "a [31m    \u00ae");
	kb_env_free(&env);
}

static void add_or_replace(void **state)
{
	struct kb_env env = { 0 };
	char key[16];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(key, sizeof(key), "key_%d", i);
		assert_int_equal(kb_env_add(&env, key, key, true), 0);
	}
	assert_int_equal(env.count, 200);
	expect_fact(&env, "key_137", "key_137");
	assert_int_equal(kb_env_add(&env, "key_137", "two\nlines", false), 0);
	assert_int_equal(env.count, 200);
	expect_fact(&env, "key_137", "two lines");
	assert_int_equal(kb_env_add(&env, "key_137", "", true), 0);
	expect_fact(&env, "key_137", "unknown");
	kb_env_free(&env);
}

/* Stands before the C library's: fails once the countdown ends; -1: never. */
static long allocations_left = -1;

static void *allocate(void *old, size_t size)
{
	if (allocations_left == 0)
		return NULL;
	allocations_left -= allocations_left > 0;
	return realloc(old, size);
}

char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = allocate(NULL, size);

	return copy ? memcpy(copy, text, size) : NULL;
}

void *reallocarray(void *old, size_t count, size_t size)
{
	return allocate(old, count * size);
}

/* Wherever memory ends, the answer is -ENOMEM, nothing is kept and the process lives. */
static void memory_ends(void **state)
{
	struct fake fake;
	struct kb_env env;
	long survived = 0;

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	for (long k = 0; k < 1000; k++) {
		allocations_left = k;
		int result = kb_env_gather(&fake.source, &fake.answers, &env);

		allocations_left = -1;
		if (!result) {
			survived = k;
			break;
		}
		assert_int_equal(result, -ENOMEM);
		assert_true(!env.facts && !env.count);
	}
	assert_true(survived > 50);
	kb_env_free(&env);
	fake_end(&fake);
}

static void expect_class(const char *const facts[][2], size_t count, bool backwards, const char *passing, char out[17])
{
	struct kb_env env = { 0 };

	for (size_t i = 0; i < count; i++) {
		const char *const *fact = facts[backwards ? count - 1 - i : i];

		assert_int_equal(kb_env_add(&env, fact[0], fact[1], true), 0);
	}
	assert_int_equal(kb_env_add(&env, "load1", passing, false), 0);
	kb_env_id(&env, out);
	assert_int_equal(strlen(out), 16);
	assert_int_equal(strspn(out, "0123456789abcdef"), 16);
	kb_env_free(&env);
}

static void class_of_stable_facts(void **state)
{
	static const char *const one[][2] = { { "kernel", "6.1" }, { "arch", "x86_64" }, { "smt", "on" } };
	static const char *const two[][2] = { { "kernel", "6.1" }, { "arch", "x86_64" }, { "smt", "off" } };
	static const char *const glued[][2] = { { "kernel6", ".1" }, { "arch", "x86_64" }, { "smt", "on" } };
	char first[17], again[17];

	(void)state;
	expect_class(one, 3, false, "0.1", first);
	/* Recorded histories hang on it; computed apart, FNV-1a over "arch\0x86_64\0kernel\0006.1\0smt\0on\0". */
	assert_string_equal(first, "af8a1d7b33112887");
	expect_class(one, 3, true, "7.5", again);
	assert_string_equal(first, again);
	expect_class(two, 3, false, "0.1", again);
	assert_string_not_equal(first, again);
	expect_class(glued, 3, false, "0.1", again);
	assert_string_not_equal(first, again);
}

/* What differs between two boots, two users and two moments of one machine does not change its class. */
static void class_survives_a_reboot(void **state)
{
	struct fake fake;
	struct kb_env env;
	char before[17], after[17];

	(void)state;
	fake_begin(&fake);
	fake_bare_metal(&fake);
	fake_env(&fake, &env);
	kb_env_id(&env, before);
	kb_env_free(&env);
	fake_file(&fake, "/proc/sys/kernel/random/boot_id", "6ba7b810-9dad-41d1-80b4-00c04fd430c8\n");
	fake_file(&fake, "/proc/loadavg", "3.00 2.00 1.00 5/100 1\n");
	fake_file(&fake, "/proc/stat", "cpu  100 0 100 800 0 0 0 900 0 0\n");
	fake_file(&fake, "/proc/meminfo", "MemTotal: 7999996 kB\nMemAvailable: 100 kB\n");
	fake_file(&fake, "/proc/cmdline", "BOOT_IMAGE=/other root=UUID=1 ro isolcpus=3 preempt=full\n");
	fake.answers.uid = 1000;
	fake.answers.pmu = KB_ANSWER_FORBIDDEN;
	fake_env(&fake, &env);
	kb_env_id(&env, after);
	kb_env_free(&env);
	assert_string_equal(before, after);
	fake_file(&fake, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
	fake_env(&fake, &env);
	kb_env_id(&env, after);
	kb_env_free(&env);
	assert_string_not_equal(before, after);
	fake_end(&fake);
}

/* -1 if the directory cannot be read. */
static int open_files(void)
{
	DIR *directory = opendir("/proc/self/fd");
	int count = 0;

	while (directory && readdir(directory))
		count++;
	if (directory)
		closedir(directory);
	return directory ? count : -1;
}

static void this_machine(void **state)
{
	static const char *const sure[] = { "kernel", "arch", "cpus", "uid", "memory", "load1" };
	struct kb_env env, again;
	char first[17], second[17];
	int open_before = open_files();

	(void)state;
	assert_int_equal(kb_env_read(&env), 0);
	assert_int_equal(kb_env_read(&again), 0);
	for (size_t i = 0; i < env.count; i++)
		assert_true(env.facts[i].key[0] && env.facts[i].value[0]);
	for (size_t i = 0; i < sizeof(sure) / sizeof(sure[0]); i++)
		assert_string_not_equal(kb_env_get(&env, sure[i]), "unknown");
	assert_true(atol(kb_env_get(&env, "cpus")) > 0);
	assert_int_equal(atol(kb_env_get(&env, "uid")), geteuid());
	if (access("/proc/sys/kernel/random/boot_id", R_OK) == 0) {
		assert_int_equal(strlen(kb_env_get(&env, "boot_id")), 36);
		assert_string_equal(kb_env_get(&env, "boot_id"), kb_env_get(&again, "boot_id"));
	}
	kb_env_id(&env, first);
	kb_env_id(&again, second);
	assert_string_equal(first, second);
	kb_env_free(&env);
	kb_env_free(&again);
	assert_int_equal(open_files(), open_before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bare_metal_facts), cmocka_unit_test(nothing_is_unknown),
		cmocka_unit_test(garbage_is_survived), cmocka_unit_test(variants), cmocka_unit_test(quotas),
		cmocka_unit_test(hypervisors), cmocka_unit_test(facts_are_visible), cmocka_unit_test(add_or_replace), cmocka_unit_test(memory_ends),
		cmocka_unit_test(class_of_stable_facts),
		cmocka_unit_test(class_survives_a_reboot), cmocka_unit_test(this_machine),
	};

	return cmocka_run_group_tests_name("env", tests, NULL, NULL);
}
