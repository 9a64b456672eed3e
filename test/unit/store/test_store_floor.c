/* The floor of the contention probe: kept with its run, by CPU model, the newest first, and gone with the run; old stores have none. */
#include "fixture.h"

#define ID_A "01965e7a-0000-7000-8000-00000000000a"
#define ID_B "01965e7a-0000-7000-8000-00000000000b"
#define ID_C "01965e7a-0000-7000-8000-00000000000c"

static unsigned floors(struct kb_store *store, const char *key, double *k, unsigned room)
{
	unsigned count = 99;

	assert_int_equal(kb_store_get_floors(store, key, k, room, &count), 0);
	return count;
}

static void kept_by_model(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	double k[3];

	assert_int_equal(add_run(store, ID_A, "1", ""), 0);
	assert_int_equal(add_run(store, ID_B, "2", ""), 0);
	assert_int_equal(add_run(store, ID_C, "3", ""), 0);
	assert_int_equal(floors(store, "x86_64 A", k, 3), 0);
	assert_int_equal(kb_store_put_floor(store, ID_A, "x86_64 A", 1.7), 0);
	assert_int_equal(kb_store_put_floor(store, ID_B, "x86_64 A", 1.75), 0);
	assert_int_equal(kb_store_put_floor(store, ID_C, "it's \"another\"", 2), 0);
	assert_int_equal(kb_store_put_floor(store, ID_A, "x86_64 A", 1.72), 0);
	assert_int_equal(kb_store_put_floor(store, "nobody", "x86_64 A", 3), -ENOENT);
	kb_store_close(store);

	store = opened(place->path, KB_STORE_READ);
	assert_int_equal(floors(store, "x86_64 A", k, 3), 2);
	assert_true(k[0] == 1.75 && k[1] == 1.72);
	assert_int_equal(floors(store, "x86_64 A", k, 1), 1);
	assert_true(k[0] == 1.75);
	assert_int_equal(floors(store, "it's \"another\"", k, 3), 1);
	assert_int_equal(floors(store, "x86_64", k, 3), 0);
	assert_true(kb_store_put_floor(store, ID_A, "x86_64 A", 1) < 0);
	kb_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kept_by_model, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
