/* How a collector of another platform is found, and what is said where there is none. The programs are those of this build. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "run/backend/foreign.h"
#include "run/backend/kernel.h"
#include "run/backend/module.h"
#include "stamp.h"
#include "suite/select.h"

static char folder[PATH_MAX], collector[PATH_MAX + 16];

static void make_file(const char *name, const char *text)
{
	char path[PATH_MAX + 64];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

static void make_program(const char *name)
{
	make_file(name, "#!/bin/sh\nexit 2\n");
}

static int make_folder(void **state)
{
	const char *base = getenv("TMPDIR");

	(void)state;
	snprintf(folder, sizeof folder, "%.200s/foreign-XXXXXX", base && base[0] ? base : "/tmp");
	if (!mkdtemp(folder))
		return -1;
	snprintf(collector, sizeof collector, "%s/kbench-collect", folder);
	return setenv("PATH", folder, 1);
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "kbench-collect-s390", "kbench-collect-riscv64", "kbench-collect-x86_32",
		"qemu-riscv64-static", "qemu-riscv64", "qemu-i386", "kbench-collect-kernel" };
	char path[PATH_MAX + 64];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

static void test_what_is_missing_is_named(void **state)
{
	struct kb_foreign_way way;

	(void)state;
	kb_foreign_find(collector, "riscv64", &way);
	assert_string_equal(way.lacks, "no collector for riscv64: install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross and build kbench again");
	make_program("kbench-collect-riscv64");
	kb_foreign_find(collector, "riscv64", &way);
	assert_string_equal(way.lacks, "no qemu-riscv64: install qemu-user");
	make_program("kbench-collect-s390");
	kb_foreign_find(collector, "s390", &way);
	assert_string_equal(way.lacks, "nothing is known of s390");
}

static void test_emulators_are_found(void **state)
{
	struct kb_foreign_way way;
	char wanted[PATH_MAX + 64];

	(void)state;
	make_program("qemu-riscv64-static");
	kb_foreign_find(collector, "riscv64", &way);
	assert_string_equal(way.lacks, "");
	snprintf(wanted, sizeof wanted, "%s/qemu-riscv64-static", folder);
	assert_string_equal(way.emulator, wanted);
	make_program("qemu-riscv64");
	kb_foreign_find(collector, "riscv64", &way);
	snprintf(wanted, sizeof wanted, "%s/qemu-riscv64", folder);
	assert_string_equal(way.emulator, wanted);
	snprintf(wanted, sizeof wanted, "%s-riscv64", collector);
	assert_string_equal(way.collector, wanted);
}

/* The 32-bit mode of x86-64: no emulator, though there is one. */
static void test_own_modes_run_directly(void **state)
{
	bool here = strcmp(KB_ARCH_NAME, "x86_64") == 0;
	struct kb_foreign_way way;

	(void)state;
	make_program("kbench-collect-x86_32");
	make_program("qemu-i386");
	kb_foreign_find(collector, "x86_32", &way);
	assert_string_equal(way.lacks, "");
	assert_int_equal(way.emulator[0] == '\0', here);
	/* A kernel that does not execute it: it is no program. */
	make_file("kbench-collect-x86_32", "");
	kb_foreign_find(collector, "x86_32", &way);
	assert_string_equal(way.lacks, "");
	assert_true(way.emulator[0] != '\0');
	assert_int_equal(kb_foreign_is_direct("x86_32"), here);
	assert_false(kb_foreign_is_direct("aarch64") || kb_foreign_is_direct("riscv64") || kb_foreign_is_direct("s390"));
}

static void test_clock_of_a_row(void **state)
{
	struct kb_foreign_way direct = { .platform = "x86_32" }, emulated = { .platform = "riscv64", .emulator = "qemu" };
	struct kb_clock ours = { .name = "tsc" };
	struct kb_row rows[] = { { .way = NULL }, { .way = &direct }, { .way = &emulated } };

	(void)state;
	assert_ptr_equal(kb_foreign_clock(&rows[0], &ours), &ours);
	assert_ptr_equal(kb_foreign_clock(&rows[1], &ours), &ours);
	assert_string_equal(kb_foreign_clock(&rows[2], &ours)->name, "ns");
	assert_true(kb_foreign_is_emulated(&rows[2]) && !kb_foreign_is_emulated(&rows[1]) && !kb_foreign_is_emulated(&rows[0]));
}

/* A world that is no platform: nothing emulates it, its rows can be skipped, and it has a device. */
static void test_kernel(void **state)
{
	struct kb_foreign_way way;
	char module[KB_KERNEL_MODULE_MAX];

	(void)state;
	assert_int_equal(setenv("KBENCH_DEVICE", "/nonexistent/device", 1), 0);
	kb_foreign_find(collector, KB_KERNEL, &way);
	assert_string_equal(way.lacks, "no kbench-collect-kernel: build or install kbench again");
	assert_false(way.skips);
	make_program("kbench-collect-kernel");
	kb_foreign_find(collector, KB_KERNEL, &way);
	assert_string_equal(way.lacks, "");
	assert_true(way.skips && !way.emulator[0]);
	assert_string_equal(kb_foreign_device(&way), "/nonexistent/device");
	assert_int_equal(unsetenv("KBENCH_DEVICE"), 0);
	assert_string_equal(kb_foreign_device(&way), "/dev/kbench");
	assert_null(kb_foreign_device(NULL));
	kb_kernel_module_of("kernel.fib_lookup", module);
	assert_string_equal(module, "kbench_fib_lookup");
}

static void test_modules_are_found_by_release(void **state)
{
	char path[PATH_MAX], why[KB_KERNEL_WHY];

	(void)state;
	assert_int_equal(setenv("XDG_CACHE_HOME", "/a", 1), 0);
	assert_true(kb_kernel_folder("6.1.0", path));
	assert_string_equal(path, "/a/kbench/kernel/6.1.0");
	assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1) | setenv("HOME", "/elsewhere/b", 1), 0);
	assert_true(kb_kernel_folder("6.1.0", path));
	assert_string_equal(path, "/elsewhere/b/.cache/kbench/kernel/6.1.0");
	assert_int_equal(unsetenv("XDG_CACHE_HOME") | unsetenv("HOME"), 0);
	assert_false(kb_kernel_folder("6.1.0", path));
	assert_int_equal(kb_kernel_find("kbench_no_such", path, why), -ENOENT);
	assert_non_null(strstr(why, "kbench kernel build"));
	assert_false(kb_module_is_live("kbench_no_such"));
}

/* Two rows of one name could not be told apart. */
static void test_names_are_apart(void **state)
{
	struct kb_foreign foreign;
	unsigned count = 0;

	(void)state;
	for (; (foreign = kb_foreign_at(count)).bench; count++) {
		assert_string_not_equal(foreign.platform, KB_ARCH_NAME);
		assert_string_equal(kb_foreign_platform(foreign.bench), foreign.platform);
		for (unsigned i = 0; i < kb_bench_count; i++)
			assert_string_not_equal(foreign.bench->name, kb_benches[i]->name);
		for (unsigned i = 0; i < count; i++)
			assert_string_not_equal(foreign.bench->name, kb_foreign_at(i).bench->name);
	}
	assert_true(count > 0);
	assert_null(kb_foreign_at(count + 1).bench);
	assert_null(kb_foreign_platform(kb_benches[0]));
}

/* Last, for it stays added. One of ours with its name gives way, and no other. */
static void test_of_the_user(void **state)
{
	static struct kb_bench own;
	const struct kb_bench *ours = kb_foreign_at(1).bench;
	unsigned count = 0, same = 0;

	(void)state;
	for (unsigned before = 0; kb_foreign_at(before).bench; before++)
		count++;
	assert_null(kb_foreign_collector(ours));
	own = (struct kb_bench){ .name = ours->name };
	kb_foreign_add(&own, "riscv64", "/cache/own");
	assert_ptr_equal(kb_foreign_at(0).bench, &own);
	assert_string_equal(kb_foreign_platform(&own), "riscv64");
	assert_string_equal(kb_foreign_collector(&own), "/cache/own");
	assert_null(kb_foreign_collector(ours));
	for (unsigned i = 0; i < count; i++)
		same += !strcmp(kb_foreign_at(i).bench->name, own.name);
	assert_int_equal(same, 1);
	assert_null(kb_foreign_at(count).bench);
	own.name = "yamba.other";
	assert_non_null(kb_foreign_at(count).bench);
	assert_null(kb_foreign_at(count + 1).bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_missing_is_named), cmocka_unit_test(test_emulators_are_found),
		cmocka_unit_test(test_own_modes_run_directly), cmocka_unit_test(test_clock_of_a_row),
		cmocka_unit_test(test_names_are_apart), cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_modules_are_found_by_release), cmocka_unit_test(test_of_the_user),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
