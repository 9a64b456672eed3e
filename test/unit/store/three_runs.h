/* A store that questions about results are asked of. */
#ifndef TEST_STORE_THREE_RUNS_H
#define TEST_STORE_THREE_RUNS_H

#include "fixture.h"

#define ID_A "01935a00-0000-7000-8000-00000000000a"
#define ID_B "01935a00-0000-7000-8000-00000000000b"
#define ID_C "01935b00-0000-7000-8000-00000000000c"
#define ID_D "01935b00-0000-7000-8000-00000000000d"

static inline int add(struct kb_store *store, const char *id, const char *started, const char *environment, const char *settings)
{
	return kb_store_add_run(store, &(struct kb_stored_run){ .id = id, .started = started, .finished = "", .label = "night",
		.command = "", .env_class = environment, .env = "{}", .settings = settings });
}

/* Three runs: A and C of one environment and CPU, B a side of a comparison; results of A carry environment IDs of their own. */
static inline struct kb_store *three_runs(const struct place *place)
{
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);

	assert_int_equal(add(store, ID_C, "2024-01-01T00:00:00Z", "env", "{\"tool\":\"kbench 1+abc\",\"cpus\":[3,4]}"), 0);
	assert_int_equal(add(store, ID_A, "2024-01-01T00:00:00Z", "env", "{\"cpus\":[3]}"), 0);
	assert_int_equal(add(store, ID_B, "2024-01-02T00:00:00Z", "env", "{\"cpus\":[3],\"ab\":{\"side\":\"a\"}}"), 0);
	assert_int_equal(put_value(store, ID_A, "x size=2", 0, 2), 0);
	assert_int_equal(put_value(store, ID_A, "x size=1", 1, 1), 0);
	assert_int_equal(put_value(store, ID_B, "x size=1", 0, 5), 0);
	assert_int_equal(put_value(store, ID_C, "x size=1", 0, 3), 0);
	assert_int_equal(put_value(store, ID_C, "w", 1, 4), 0);
	assert_int_equal(kb_store_put_result(store, ID_C, "v", 2, "{\"benchmark\":\"v\",\"environment\":{\"id\":\"its-own\"},"
					     "\"estimate\":{\"value\":null},\"verdict\":{\"status\":\"noisy\"}}"), 0);
	return store;
}

#endif
