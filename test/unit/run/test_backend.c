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

#include "run/backend/backend.h"
#include "run/backend/kernel.h"
#include "run/backend/module.h"
#include "stamp.h"
#include "suite/select.h"

static char directory[PATH_MAX], collector[PATH_MAX + 16];

static void make_file(const char *name, const char *text)
{
	char path[PATH_MAX + 64];
	FILE *file;

	snprintf(path, sizeof path, "%s/%s", directory, name);
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

static int make_directory(void **state)
{
	const char *base = getenv("TMPDIR");

	(void)state;
	snprintf(directory, sizeof directory, "%.200s/foreign-XXXXXX", base && base[0] ? base : "/tmp");
	if (!mkdtemp(directory))
		return -1;
	snprintf(collector, sizeof collector, "%s/kbench-collect", directory);
	return setenv("PATH", directory, 1);
}

static int remove_directory(void **state)
{
	static const char *const names[] = { "kbench-collect-s390", "kbench-collect-riscv64", "kbench-collect-x86_32",
		"qemu-riscv64-static", "qemu-riscv64", "qemu-i386", "kbench-collect-kernel" };
	char path[PATH_MAX + 64];

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		snprintf(path, sizeof path, "%s/%s", directory, names[i]);
		unlink(path);
	}
	return rmdir(directory);
}

static void test_what_is_missing_is_named(void **state)
{
	struct kb_collector found;

	(void)state;
	kb_collector_find(collector, "riscv64", &found);
	assert_string_equal(found.unavailable_reason, "no collector for riscv64: install gcc-riscv64-linux-gnu libc6-dev-riscv64-cross and build kbench again");
	make_program("kbench-collect-riscv64");
	kb_collector_find(collector, "riscv64", &found);
	assert_string_equal(found.unavailable_reason, "no qemu-riscv64: install qemu-user");
	make_program("kbench-collect-s390");
	kb_collector_find(collector, "s390", &found);
	assert_string_equal(found.unavailable_reason, "s390 is no platform of kbench");
}

static void test_emulators_are_found(void **state)
{
	struct kb_collector found;
	char wanted[PATH_MAX + 64];

	(void)state;
	make_program("qemu-riscv64-static");
	kb_collector_find(collector, "riscv64", &found);
	assert_string_equal(found.unavailable_reason, "");
	snprintf(wanted, sizeof wanted, "%s/qemu-riscv64-static", directory);
	assert_string_equal(found.emulator, wanted);
	make_program("qemu-riscv64");
	kb_collector_find(collector, "riscv64", &found);
	snprintf(wanted, sizeof wanted, "%s/qemu-riscv64", directory);
	assert_string_equal(found.emulator, wanted);
	snprintf(wanted, sizeof wanted, "%s-riscv64", collector);
	assert_string_equal(found.path, wanted);
}

/* The 32-bit mode of x86-64: no emulator, though there is one. */
static void test_own_modes_run_directly(void **state)
{
	bool here = strcmp(KB_ARCH_NAME, "x86_64") == 0;
	struct kb_collector found;

	(void)state;
	make_program("kbench-collect-x86_32");
	make_program("qemu-i386");
	kb_collector_find(collector, "x86_32", &found);
	assert_string_equal(found.unavailable_reason, "");
	assert_int_equal(found.emulator[0] == '\0', here);
	/* A kernel that does not execute it: it is no program. */
	make_file("kbench-collect-x86_32", "");
	kb_collector_find(collector, "x86_32", &found);
	assert_string_equal(found.unavailable_reason, "");
	assert_true(found.emulator[0] != '\0');
}

static void test_clock_of_a_row(void **state)
{
	struct kb_collector direct = { .backend = kb_backend_find("x86_32") };
	struct kb_collector emulated = { .backend = kb_backend_find("riscv64"), .emulator = "qemu" };
	struct kb_clock ours = { .name = "tsc" };
	struct kb_row rows[] = { { .collector = NULL }, { .collector = &direct }, { .collector = &emulated } };

	(void)state;
	assert_ptr_equal(kb_backend_clock(&rows[0], &ours), &ours);
	assert_ptr_equal(kb_backend_clock(&rows[1], &ours), &ours);
	assert_string_equal(kb_backend_clock(&rows[2], &ours)->name, "ns");
	assert_true(kb_is_emulated(&rows[2]) && !kb_is_emulated(&rows[1]) && !kb_is_emulated(&rows[0]));
}

/* A target that is no architecture: nothing emulates it, its rows can be skipped, and it has a device. */
static void test_kernel(void **state)
{
	struct kb_collector found;
	char module[KB_KERNEL_MODULE_MAX];

	(void)state;
	assert_int_equal(setenv("KBENCH_DEVICE", "/nonexistent/device", 1), 0);
	kb_collector_find(collector, KB_KERNEL, &found);
	assert_string_equal(found.unavailable_reason, "no kbench-collect-kernel: build or install kbench again");
	assert_false(found.skips);
	make_program("kbench-collect-kernel");
	kb_collector_find(collector, KB_KERNEL, &found);
	assert_string_equal(found.unavailable_reason, "");
	assert_true(found.skips && !found.emulator[0]);
	assert_string_equal(found.backend->device(), "/nonexistent/device");
	assert_int_equal(unsetenv("KBENCH_DEVICE"), 0);
	assert_string_equal(found.backend->device(), "/dev/kbench");
	assert_null(kb_backend_of(&(struct kb_row){ .collector = NULL })->device);
	kb_kernel_module_of("kernel.fib_lookup", module);
	assert_string_equal(module, "kbench_fib_lookup");
}

static void test_modules_are_found_by_release(void **state)
{
	char path[PATH_MAX], why[KB_KERNEL_WHY];

	(void)state;
	assert_int_equal(setenv("XDG_CACHE_HOME", "/a", 1), 0);
	assert_true(kb_kernel_directory("6.1.0", path));
	assert_string_equal(path, "/a/kbench/kernel/6.1.0");
	assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1) | setenv("HOME", "/elsewhere/b", 1), 0);
	assert_true(kb_kernel_directory("6.1.0", path));
	assert_string_equal(path, "/elsewhere/b/.cache/kbench/kernel/6.1.0");
	assert_int_equal(unsetenv("XDG_CACHE_HOME") | unsetenv("HOME"), 0);
	assert_false(kb_kernel_directory("6.1.0", path));
	assert_int_equal(kb_kernel_find("kbench_no_such", path, why), -ENOENT);
	assert_non_null(strstr(why, "kbench kernel build"));
	assert_false(kb_module_is_live("kbench_no_such"));
}

/* Two rows of one name could not be told apart. */
static void test_names_are_apart(void **state)
{
	const struct kb_cross_bench *all = kb_cross_benches();
	unsigned count = 0;

	(void)state;
	for (; all[count].bench; count++) {
		assert_string_not_equal(all[count].backend->name, KB_ARCH_NAME);
		assert_ptr_equal(kb_backend_of_bench(all[count].bench), all[count].backend);
		for (unsigned i = 0; i < kb_bench_count; i++)
			assert_string_not_equal(all[count].bench->name, kb_benches[i]->name);
		for (unsigned i = 0; i < count; i++)
			assert_string_not_equal(all[count].bench->name, all[i].bench->name);
	}
	assert_true(count > 0);
	assert_int_equal(count, kb_cross_count());
	assert_true(kb_backend_of_bench(kb_benches[0])->native);
}

/* Last, for it stays added. One of ours with its name gives way, and no other. */
static void test_of_the_user(void **state)
{
	static struct kb_bench own;
	static struct kb_collectors collectors;
	const struct kb_bench *ours = kb_cross_benches()[1].bench;
	unsigned count = kb_cross_count(), same = 0;

	(void)state;
	own = (struct kb_bench){ .name = ours->name };
	kb_cross_add(&own, "riscv64", "/cache/own");
	assert_ptr_equal(kb_cross_benches()[0].bench, &own);
	assert_string_equal(kb_backend_of_bench(&own)->name, "riscv64");
	kb_collectors_find(&collectors, collector);
	assert_ptr_equal(kb_collectors_of(&collectors, &own), &collectors.users);
	assert_ptr_equal(kb_collectors_of(&collectors, kb_cross_benches()[1].bench)->backend, kb_cross_benches()[1].backend);
	assert_null(kb_collectors_of(&collectors, kb_benches[0]));
	for (unsigned i = 0; i < count; i++)
		same += !strcmp(kb_cross_benches()[i].bench->name, own.name);
	assert_int_equal(same, 1);
	assert_int_equal(kb_cross_count(), count);
	own.name = "yamba.other";
	kb_cross_add(&own, "riscv64", "/cache/own");
	assert_int_equal(kb_cross_count(), count + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_missing_is_named), cmocka_unit_test(test_emulators_are_found),
		cmocka_unit_test(test_own_modes_run_directly), cmocka_unit_test(test_clock_of_a_row),
		cmocka_unit_test(test_names_are_apart), cmocka_unit_test(test_kernel),
		cmocka_unit_test(test_modules_are_found_by_release), cmocka_unit_test(test_of_the_user),
	};

	return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
