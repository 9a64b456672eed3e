/* What the system says, from a machine made of files. */
#define _GNU_SOURCE
#include "suite/params/system.h"

#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define CPU "/sys/devices/system/cpu/cpu3"

static char root[64];

/* A file with all its directories. */
static void put(const char *path, const char *text)
{
	char full[256];

	snprintf(full, sizeof full, "%s%s", root, path);
	for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	FILE *file = fopen(full, "w");

	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void put_cache(int index, const char *level, const char *type, const char *size, const char *cpus)
{
	static const char *const names[] = { "level", "type", "size", "shared_cpu_list", "ways_of_associativity", "coherency_line_size" };
	const char *const values[] = { level, type, size, cpus, "12\n", "64\n" };

	for (int i = 0; i < 6; i++) {
		char path[128];

		snprintf(path, sizeof path, CPU "/cache/index%d/%s", index, names[i]);
		put(path, values[i]);
	}
}

static int make(void **state)
{
	(void)state;
	snprintf(root, sizeof root, "/tmp/kbench-params-XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int drop(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
	(void)info;
	(void)kind;
	(void)walk;
	return remove(path);
}

static int gone(void **state)
{
	(void)state;
	return nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static void a_machine(void **state)
{
	struct kb_fact_source source = { root };
	struct kb_system system;

	(void)state;
	put_cache(0, "1\n", "Data\n", "48K\n", "3\n");
	put_cache(1, "1\n", "Instruction\n", "32K\n", "3\n");
	put_cache(2, "2\n", "Unified\n", "1024K\n", "3\n");
	put_cache(3, "3\n", "Unified\n", "32768K\n", "0-3,8\n");
	put("/proc/cpuinfo", "processor\t: 0\ncpu MHz\t\t: 2300.000\n\n");
	put("/proc/meminfo", "MemTotal: 8000 kB\nMemAvailable:    4096 kB\n");
	put(CPU "/cpufreq/cpuinfo_min_freq", "800000\n");
	put(CPU "/cpufreq/cpuinfo_max_freq", "3700000\n");
	kb_system_read(&source, 3, &system);
	assert_int_equal(system.cache[0].bytes, 48 << 10);
	assert_int_equal(system.cache[0].ways, 12);
	assert_int_equal(system.cache[0].line, 64);
	assert_int_equal(system.cache[1].bytes, 1 << 20);
	assert_int_equal(system.cache[2].bytes, 32 << 20);
	assert_string_equal(system.cache[2].cpus, "0-3,8");
	assert_int_equal(kb_system_last_cache(&system), 32 << 20);
	assert_float_equal(system.cpuinfo_mhz, 2300, 0);
	assert_float_equal(system.cpufreq_low_mhz, 800, 0);
	assert_float_equal(system.cpufreq_high_mhz, 3700, 0);
	assert_int_equal(system.limits.available, 4096 << 10);
	assert_null(system.hwloc); /* it would speak of this machine */
}

/* Nothing to read, and files of nonsense, are no word and no crash. */
static void says_nothing(void **state)
{
	struct kb_fact_source source = { root };
	struct kb_system system;

	(void)state;
	kb_system_read(&source, 7, &system);
	assert_int_equal(kb_system_last_cache(&system), 0);
	put_cache(0, "9\n", "Data\n", "48K\n", "3\n");
	put_cache(1, "2\n", "Unified\n", "much\n", "a few\n");
	kb_system_read(&source, 3, &system);
	assert_int_equal(kb_system_last_cache(&system), 0);
	assert_float_equal(system.cpufreq_high_mhz, 0, 0);
}

/* ---- limits ---------------------------------------------------------------------------------------------- */

#define M (UINT64_C(1) << 20)

static void limits_of_groups(void **state)
{
	struct kb_fact_source source = { root };
	struct kb_limits limits;
	const char *name;
	char text[160];

	(void)state;
	put("/proc/meminfo", "MemTotal: 900000 kB\nMemAvailable:    819200 kB\n");
	kb_limits_read(&source, &limits);
	limits.address = KB_NO_LIMIT; /* whatever this process has */
	assert_int_equal(limits.group, KB_NO_LIMIT);
	assert_int_equal(kb_limits_lowest(&limits, &name), 800 * M);
	assert_string_equal(name, "MemAvailable");
	assert_int_equal(kb_limits_bound(&limits, 100 * M), 100 * M);
	assert_int_equal(kb_limits_bound(&limits, 300 * M), 200 * M);

	/* More than any number of bytes is no limit. */
	put("/proc/meminfo", "MemAvailable: 71279999999999999999 kB\n");
	kb_limits_read(&source, &limits);
	assert_int_equal(limits.available, KB_NO_LIMIT);
	put("/proc/meminfo", "MemTotal: 900000 kB\nMemAvailable:    819200 kB\n");

	/* Version 2: the parent's limit counts, pages of files make room. 512 - (300 - 100) = 312. */
	put("/proc/self/cgroup", "0::/user/me\n");
	put("/sys/fs/cgroup/user/me/memory.max", "max\n");
	put("/sys/fs/cgroup/user/memory.max", "536870912\n");
	put("/sys/fs/cgroup/user/memory.current", "314572800\n");
	put("/sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 94371840\nactive_file 10485760\n");
	kb_limits_read(&source, &limits);
	limits.address = KB_NO_LIMIT;
	assert_int_equal(limits.group, 312 * M);
	assert_int_equal(kb_limits_lowest(&limits, &name), 312 * M);
	assert_string_equal(name, "the control group");
	kb_limits_text(&limits, text, sizeof text);
	assert_non_null(strstr(text, "MemAvailable: 800 MB, control group: 312 MB, address space: no limit"));

	/* Version 1: "no limit" is a number, and a group above its limit leaves nothing. */
	put("/proc/self/cgroup", "7:cpu:/\n4:memory:/job\n0::/\n");
	put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
	kb_limits_read(&source, &limits);
	assert_int_equal(limits.group, KB_NO_LIMIT);
	put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "104857600\n");
	put("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", "209715200\n");
	kb_limits_read(&source, &limits);
	assert_int_equal(limits.group, 0);
	put("/sys/fs/cgroup/memory/job/memory.stat", "inactive_file 0\ntotal_inactive_file 209715200\n");
	kb_limits_read(&source, &limits);
	assert_int_equal(limits.group, 100 * M);
}

static void no_limits(void **state)
{
	struct kb_fact_source source = { root };
	struct kb_limits limits;
	const char *name;

	(void)state;
	put("/proc/self/cgroup", "nonsense\n0::\n::::\n");
	kb_limits_read(&source, &limits);
	limits.address = KB_NO_LIMIT;
	assert_int_equal(kb_limits_lowest(&limits, &name), KB_NO_LIMIT);
	assert_string_equal(name, "");
	assert_int_equal(kb_limits_bound(&limits, 5), 5);
}

/* The counts of Zen 5 are in 32s, and a hypervisor that hides the bit that says so hides no family. */
static void entries_in_32s(void **state)
{
	enum { ZEN4 = 0xa10f11, ZEN5 = 0xb00f21, INTEL = 0x806f8, BIT = 1 << 14 };

	(void)state;
	assert_int_equal(kb_arch_tlb_unit(BIT, ZEN5, false), 32);
	assert_int_equal(kb_arch_tlb_unit(0x204, ZEN5, true), 32);
	assert_int_equal(kb_arch_tlb_unit(0x204, ZEN5, false), 1);
	assert_int_equal(kb_arch_tlb_unit(0x204, ZEN4, true), 1);
	assert_int_equal(kb_arch_tlb_unit(0, INTEL, true), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_machine, make, gone), cmocka_unit_test_setup_teardown(says_nothing, make, gone),
		cmocka_unit_test_setup_teardown(limits_of_groups, make, gone), cmocka_unit_test_setup_teardown(no_limits, make, gone),
		cmocka_unit_test(entries_in_32s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
