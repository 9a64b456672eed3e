/* A comparison is kept with its newer run, replaced by a later one, and gone with the run; old stores have none. */
#include "fixture.h"

#define ID_A "01965e7a-0000-7000-8000-00000000000a"
#define ID_B "01965e7a-0000-7000-8000-00000000000b"

static void expect_json(struct kb_store *store, const char *run, const char *row, const char *expected)
{
	char *json;

	assert_int_equal(kb_store_get_comparison(store, run, row, &json), 0);
	if (expected)
		assert_string_equal(json, expected);
	else
		assert_null(json);
	free(json);
}

static void kept_and_replaced(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	char *json;

	assert_int_equal(add_run(store, ID_A, "1", ""), 0);
	assert_int_equal(add_run(store, ID_B, "2", ""), 0);
	expect_json(store, ID_B, "sys.null", NULL);
	assert_int_equal(kb_store_put_comparison(store, ID_B, "sys.null", "{\"ratio\":1}"), 0);
	assert_int_equal(kb_store_put_comparison(store, ID_B, "sys.null", "{\"ratio\":2}"), 0);
	assert_int_equal(kb_store_put_comparison(store, ID_B, "it's \"another\"", "{}"), 0);
	assert_int_equal(kb_store_put_comparison(store, "nobody", "sys.null", "{}"), -ENOENT);
	assert_int_equal(kb_store_get_comparison(store, "nobody", "sys.null", &json), -ENOENT);
	assert_null(json);
	kb_store_close(store);

	store = opened(place->path, KB_STORE_READ);
	expect_json(store, ID_B, "sys.null", "{\"ratio\":2}");
	expect_json(store, ID_B, "it's \"another\"", "{}");
	expect_json(store, ID_A, "sys.null", NULL);
	assert_true(kb_store_put_comparison(store, ID_A, "sys.null", "{}") < 0);
	kb_store_close(store);
}

/* Results made again from records say nothing of other runs, and leave a comparison alone. */
static void outlives_results(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);

	assert_int_equal(add_run(store, ID_A, "1", ""), 0);
	assert_int_equal(kb_store_put_comparison(store, ID_A, "sys.null", "{}"), 0);
	assert_int_equal(kb_store_drop_results(store, NULL), 0);
	expect_json(store, ID_A, "sys.null", "{}");
	kb_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kept_and_replaced, make_place, remove_place),
		cmocka_unit_test_setup_teardown(outlives_results, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
