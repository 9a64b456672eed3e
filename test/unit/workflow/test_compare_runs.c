/* Two stored runs: which results belong together, which run one is held against, and what is refused (the decisions: cli/test_compare.c). */
#include "unit/cli/runs.h"

#include <errno.h>

#include "workflow/runs/compare.h"

#define ID(n) "0000000" #n "-0000-7000-8000-000000000000"

static const struct row sys[] = { { "sys.null", NULL, 100, .001, 5, KB_OK }, { "sys.stat", NULL, 300, .001, 5, KB_OK } };
static const struct row mem[] = { { "mem.latency size=64M", NULL, 90, .001, 5, KB_OK } };
static const struct row both[] = { { "sys.null", NULL, 110, .001, 5, KB_OK }, { "mem.latency size=64M", NULL, 90, .001, 5, KB_OK } };

static int make_runs(void **state)
{
	static const char cpu_1[] = "{\"cpus\":[1]}", cpu_2[] = "{\"cpus\":[2]}", side[] = "{\"cpus\":[1],\"ab\":{\"batch\":\"x\",\"side\":\"b\"}}",
		side_a[] = "{\"cpus\":[1],\"ab\":{\"batch\":\"" ID(8) "\",\"side\":\"a\"}}",
		side_b[] = "{\"cpus\":[1],\"ab\":{\"batch\":\"" ID(8) "\",\"side\":\"b\"}}";

	if (make_place(state))
		return -1;
	put_run(*state, &(struct plan){ ID(1), "one", .settings = cpu_1 }, sys, 2);
	put_run(*state, &(struct plan){ ID(2), "two", .settings = cpu_1 }, mem, 1);
	put_run(*state, &(struct plan){ ID(3), "other cpu", .settings = cpu_2 }, sys, 2);
	put_run(*state, &(struct plan){ ID(4), "other machine", .env_class = "fedcba9876543210", .settings = cpu_1 }, sys, 2);
	put_run(*state, &(struct plan){ ID(5), "a side", .settings = side }, sys, 2);
	put_run(*state, &(struct plan){ ID(6), "both", .settings = cpu_1 }, both, 2);
	put_run(*state, &(struct plan){ ID(7), "sys again", .settings = cpu_1 }, sys, 2);
	put_run(*state, &(struct plan){ ID(8), "ab-a", .settings = side_a }, sys, 2);
	put_run(*state, &(struct plan){ ID(9), "ab-b", .settings = side_b }, sys, 2);
	return 0;
}

static void the_base_is_of_the_same_machine(void **state)
{
	static const struct { const char *run, *base; } rows[] = {
		/* The newest that shares a result; run 6 is newer than run 1. */
		{ ID(7), ID(6) }, { ID(6), ID(2) },
		/* None shares one: the newest. */
		{ ID(2), ID(1) },
		{ ID(1), NULL }, { ID(3), NULL }, { ID(4), NULL },
		/* Sides: B's is A, as long as that is there. */
		{ ID(9), ID(8) }, { ID(8), ID(7) }, { ID(5), ID(1) },
	};
	const struct place *place = *state;
	struct kb_store *store;
	char base[37];

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_READ), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(kb_compare_find_base(store, rows[i].run, base), rows[i].base ? 0 : -ENOENT);
		assert_string_equal(base, rows[i].base ?: "");
	}
	assert_int_equal(kb_compare_find_base(store, "none", base), -ENOENT);
	kb_store_close(store);
}

static void results_meet_their_partners(void **state)
{
	static const char *const short_name[] = { "mem.latency 64M" };
	const struct place *place = *state;
	struct kb_compare_request request = { .runs = { NULL, "both" }, .margin = .01 };
	struct kb_compared compared;
	struct kb_failure failure;
	struct kb_store *store;

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_READ), 0);
	assert_int_equal(kb_compare_runs(store, &request, &compared, &failure), 0);
	assert_string_equal(compared.side[0].saved.id, ID(2));
	assert_int_equal(compared.count, 1);
	assert_string_equal(compared.rows[0].key, "mem.latency size=64M");
	assert_false(compared.side[1].items[0].taken);
	assert_string_equal(compared.environment, "0123456789abcdef");
	json_t *json = kb_compared_to_json(&compared, 0);
	assert_string_equal(json_string_value(json_array_get(json_object_get(json, "only_new"), 0)), "sys.null");
	json_decref(json);
	kb_compared_release(&compared);

	request = (struct kb_compare_request){ .runs = { "one", "both" }, .margin = .01 };
	assert_int_equal(kb_compare_runs(store, &request, &compared, &failure), 0);
	assert_int_equal(compared.rows[0].decision, KB_SLOWER);
	kb_compared_release(&compared);

	request = (struct kb_compare_request){ .runs = { "two", "both" }, .patterns = short_name, .pattern_count = 1, .margin = .01 };
	assert_int_equal(kb_compare_runs(store, &request, &compared, &failure), 0);
	assert_int_equal(compared.side[1].count, 1);
	kb_compared_release(&compared);
	kb_store_close(store);
}

static void failures_name_what_is_wrong(void **state)
{
	static const char *const none[] = { "zz" };
	static const struct { struct kb_compare_request request; const char *words; } rows[] = {
		{ { .runs = { "one", "nine" } }, "nine" }, { { .runs = { "nine", "one" } }, "nine" }, { { .runs = { NULL, "one" } }, "first one" },
		{ { .runs = { "one", "both" }, .patterns = none, .pattern_count = 1 }, "'zz' is neither" }, { { .runs = { "one", "other machine" } }, "environment IDs" },
		{ { .runs = { "one", "other cpu" } }, "the CPUs 1 and 2" },
	};
	const struct place *place = *state;
	struct kb_compared compared;
	struct kb_failure failure;
	struct kb_store *store;

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_READ), 0);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(kb_compare_runs(store, &rows[i].request, &compared, &failure), KB_EXIT_USAGE);
		assert_non_null(strstr(failure.text, rows[i].words));
		kb_compared_release(&compared);
	}
	/* No result in common is no failure here. */
	struct kb_compare_request apart = { .runs = { "one", "two" } };
	assert_int_equal(kb_compare_runs(store, &apart, &compared, &failure), 0);
	assert_int_equal(compared.count, 0);
	kb_compared_release(&compared);
	kb_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_base_is_of_the_same_machine, make_runs, remove_place),
		cmocka_unit_test_setup_teardown(results_meet_their_partners, make_runs, remove_place),
		cmocka_unit_test_setup_teardown(failures_name_what_is_wrong, make_runs, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
