/* What the system says, from a machine made of files. */
#define _GNU_SOURCE
#include "suite/params_system.h"

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

/* A file with all its folders. */
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
	struct kb_source source = { root };
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
	assert_int_equal(system.cache[0].sharers, 1);
	assert_int_equal(system.cache[1].bytes, 1 << 20);
	assert_int_equal(system.cache[2].bytes, 32 << 20);
	assert_int_equal(system.cache[2].sharers, 5);
	assert_string_equal(system.cache[2].cpus, "0-3,8");
	assert_int_equal(kb_system_last_cache(&system), 32 << 20);
	assert_float_equal(system.cpuinfo_mhz, 2300, 0);
	assert_float_equal(system.cpufreq_low_mhz, 800, 0);
	assert_float_equal(system.cpufreq_high_mhz, 3700, 0);
	assert_int_equal(system.available, 4096 << 10);
}

/* Nothing to read, and files of nonsense, are no word and no crash. */
static void says_nothing(void **state)
{
	struct kb_source source = { root };
	struct kb_system system;

	(void)state;
	kb_system_read(&source, 7, &system);
	assert_int_equal(kb_system_last_cache(&system), 0);
	put_cache(0, "9\n", "Data\n", "48K\n", "3\n");
	put_cache(1, "2\n", "Unified\n", "much\n", "a few\n");
	kb_system_read(&source, 3, &system);
	assert_int_equal(kb_system_last_cache(&system), 0);
	assert_int_equal(system.cache[1].sharers, 0);
	assert_float_equal(system.cpufreq_high_mhz, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_machine, make, gone), cmocka_unit_test_setup_teardown(says_nothing, make, gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
