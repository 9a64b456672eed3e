/*
 * Results of several environments in one store: each has series of its own, and two are compared only where that tells something.
 */
#include "unit/cli/runs.h"

#include <string.h>

/* Two architectures, and of one of them two configurations, of one two kernels; beside each a row of Linux, which is the same everywhere. */
static const struct { struct plan plan; double cost; } sel4_runs[] = {
	{ { "r-1", .arch = "x86_64", .kernel = "k1", .config = "c1" }, 48 }, { { "r-2", .arch = "x86_64", .kernel = "k2", .config = "c1" }, 50 },
	{ { "r-3", .arch = "x86_64", .kernel = "k3", .config = "c2" }, 68 }, { { "r-4", .arch = "riscv64", .kernel = "k4", .config = "c3" }, 77 },
};

static int make_environments(void **state)
{
	if (make_place(state))
		return -1;
	for (size_t i = 0; i < sizeof sel4_runs / sizeof *sel4_runs; i++) {
		const struct row rows[] = {
			{ "sel4.signal", NULL, sel4_runs[i].cost, .0001, 5, KB_OK }, { "sys.null", NULL, 100, .0001, 5, KB_OK },
		};

		put_run(*state, &sel4_runs[i].plan, rows, 2);
	}
	return 0;
}

static unsigned count_of(const char *words)
{
	unsigned count = 0;

	for (const char *at = output; (at = strstr(at, words)) != NULL; at++)
		count++;
	return count;
}

static void history_of_environments(void **state)
{
	assert_int_equal(run_to(*state, &kb_command_history, "sel4.signal", NULL), 0);
	says("sel4 riscv64, kernel k4, configuration c3, QEMU");
	says("  77.0");
	assert_null(strstr(output, "  48.0"));
	says("(3 results of other environment IDs or CPUs left out:");
	assert_int_equal(run_to(*state, &kb_command_history, "sys.null", NULL), 0);
	assert_int_equal(count_of("100.0"), 4);
	/* Kernels of one configuration are one series. */
	assert_int_equal(run_to(*state, &kb_command_history, "sel4.signal --env * --json", NULL), 0);
	assert_int_equal(count_of("\"env_id\""), 3);
	assert_int_equal(count_of("\"run\""), 4);
	/* The newest machine's configurations are a series each. */
	put_run(*state, &(struct plan){ "r-5", .arch = "x86_64", .kernel = "k5", .config = "c1" },
		&(struct row){ "sel4.signal", NULL, 49, .0001, 5, KB_OK }, 1);
	assert_int_equal(run_to(*state, &kb_command_history, "sel4.signal", NULL), 0);
	says("configuration c1");
	says("configuration c2");
	assert_int_equal(count_of("abc1234"), 4);
	assert_null(strstr(output, "  77.0"));
	says("(1 result of other environment IDs or CPUs left out:");
	assert_int_equal(run_to(*state, &kb_command_history, "sel4.signal --env nothing", NULL), 2);
}

/* Row by row: what was measured on this machine is compared, whatever else the runs have. */
static void comparison_of_environments(void **state)
{
	assert_int_equal(run_to(*state, &kb_command_compare, "r-1 r-2 --gate", NULL), 1);
	says("kernels differ: k1 and k2");
	assert_int_equal(run_to(*state, &kb_command_compare, "r-1 r-3", NULL), 2);
	says("the kernels are configured differently (c1 and c2");
	assert_int_equal(run_to(*state, &kb_command_compare, "r-1 r-3 --gate --any-config", NULL), 1);
	assert_int_equal(run_to(*state, &kb_command_compare, "r-1 r-4 --any-config", NULL), 2);
	says("sel4.signal: environment IDs ");
	says("(arch: x86_64 and riscv64; ");
	assert_int_equal(run_to(*state, &kb_command_compare, "r-1 r-4 sys.null --gate", NULL), 0);
	assert_int_equal(run_to(*state, &kb_command_compare, "r-1 r-4 --any-env", NULL), 0);
	says("1 equivalent, 1 inconclusive");
	assert_int_equal(run_to(*state, &kb_command_compare, "r-1 r-4 --any-env --gate", NULL), 4);
	/* What was not measured says not on what it would have been. */
	put_run(*state, &(struct plan){ .id = "r-5" }, &(struct row){ "sel4.signal", NULL, 0, 0, 0, KB_SKIPPED }, 1);
	assert_int_equal(run_to(*state, &kb_command_compare, "r-4 r-5", NULL), 0);
	says("1 result: 1 inconclusive");
}

/* How much occasions differ is found of results of the same configuration: the others' are others. */
static void occasions_of_environments(void **state)
{
	char id[16];

	for (int i = 0; i < 20; i++) {
		snprintf(id, sizeof id, "s-%02d", i);
		put_run(*state, &(struct plan){ .id = id, .arch = "x86_64", .kernel = "k9", .config = "c9" },
			&(struct row){ "sel4.signal", NULL, i % 2 ? 60 : 70, .0001, 5, KB_OK }, 1);
	}
	assert_int_equal(run_to(*state, &kb_command_compare, "r-1 r-2 --gate", NULL), 1);
}

static void environments_shown(void **state)
{
	assert_int_equal(run_to(*state, &kb_command_show, "r-4", NULL), 0);
	says("run r-4 (r-4), environment ID 0123456789abcdef\n");
	says("sel4.signal: environment ID ");
	says("sel4 riscv64, kernel k4, configuration c3,");
	assert_null(strstr(output, "sys.null: environment ID"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(history_of_environments, make_environments, remove_place),
		cmocka_unit_test_setup_teardown(comparison_of_environments, make_environments, remove_place),
		cmocka_unit_test_setup_teardown(occasions_of_environments, make_environments, remove_place),
		cmocka_unit_test_setup_teardown(environments_shown, make_environments, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
