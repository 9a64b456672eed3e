/* History and occasions of stored results that are made here: what is found, in which order, which runs count, and where the level changes. */
#include "unit/store/fixture.h"

#include <math.h>

#include "analysis/history.h"
#include "result/json/json.h"

/* A run with one result of these parameters. */
static void put_run(const struct place *place, unsigned number, const char *env, const char *params, double cost)
{
	struct kb_result result = {
		.benchmark = "sys.null", .per = "call", .clock = "tsc", .method = KB_METHOD_SLOPE, .ticks_per_ns = 1, .processes = 5,
		.processes_planned = 5, .estimate = { cost, cost * .999, cost * 1.001, cost > 0, true },
	};
	char id[37], label[20], row[KB_ROW_NAME];
	struct kb_store *store;

	snprintf(result.params, sizeof result.params, "%s", params);
	snprintf(id, sizeof id, "run-%02u", number);
	snprintf(label, sizeof label, "night%u", number);

	json_t *json = kb_result_to_json(&result);
	char *text = kb_json_text(json);

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_WRITE), 0);
	assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = id, .started = "2026-05-04T10:00:00Z", .finished = "", .label = label,
	                 .command = "", .env_class = env, .env = "{}", .settings = "{}" }), 0);
	assert_int_equal(kb_store_put_result(store, id, kb_row_name(row, &result), 0, text), 0);
	kb_store_close(store);
	free(text);
	json_decref(json);
}

/* Of 40 runs the first 24 cost 100, the others 110; one is of another environment, and one has no number. */
static int make_runs(void **state)
{
	if (make_place(state))
		return -1;
	for (unsigned i = 0; i < 40; i++)
		put_run(*state, i, i == 3 ? "other" : "here", "size=4K", i == 7 ? 0 : (i < 24 ? 100 : 110) + .1 * (i * 7 % 5));
	put_run(*state, 40, "here", "size=8K", 7);
	return 0;
}

static void rows_are_found(void **state)
{
	const struct place *place = *state;
	const char *const size[] = { "size=8K" }, *const part[] = { "size=8" };
	struct kb_history_wanted wanted = { .benchmark = "sys", .limit = 200 };
	struct kb_history *rows;
	struct kb_store *store;
	size_t count;

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_READ), 0);
	assert_int_equal(kb_history_find(store, &wanted, &rows, &count), 0);
	assert_int_equal(count, 2);
	assert_string_equal(rows[0].newest.row, "sys.null size=4K");
	assert_string_equal(rows[0].newest.run_id, "run-39");
	free(rows);
	wanted.label = "night2*";
	assert_int_equal(kb_history_find(store, &wanted, &rows, &count), 0);
	assert_int_equal(count, 1);
	assert_string_equal(rows[0].newest.run_id, "run-29");
	free(rows);
	wanted = (struct kb_history_wanted){ .benchmark = "sys.null", .parameters = size, .parameter_count = 1, .limit = 200 };
	assert_int_equal(kb_history_find(store, &wanted, &rows, &count), 0);
	assert_int_equal(count, 1);
	free(rows);
	wanted.parameters = part;
	assert_int_equal(kb_history_find(store, &wanted, &rows, &count), 0);
	assert_int_equal(count, 0);
	free(rows);
	kb_store_close(store);
}

static void levels_change_once(void **state)
{
	const struct place *place = *state;
	struct kb_history_wanted wanted = { .benchmark = "sys.null size=4K", .limit = 200 };
	struct kb_history *rows;
	struct kb_history history;
	struct kb_store *store;
	double ratio;
	size_t count;

	assert_int_equal(kb_store_open(&store, place->path, KB_STORE_READ), 0);
	assert_int_equal(kb_history_find(store, &wanted, &rows, &count), 0);
	assert_int_equal(count, 1);
	history = rows[0];
	assert_int_equal(kb_history_load(store, &wanted, &history), 0);
	assert_int_equal(history.others, 1);
	assert_int_equal(history.point_count, 39);
	assert_int_equal(history.count, 38);
	assert_string_equal(history.points[0].run_id, "run-00");
	assert_string_equal(history.newest.run_id, "run-39");
	assert_int_equal(history.changes.count, 1);
	for (size_t i = 0; i < history.point_count; i++) {
		bool first = strcmp(history.points[i].run_id, "run-24") == 0;

		assert_int_equal(kb_history_step(&history, i, &ratio), first);
		assert_true(first ? fabs(ratio - 1.1) < .001 : isnan(ratio));
	}
	assert_true(history.occasion.runs > 0 && history.sd >= 0 && history.detectable > history.sd);
	kb_history_free(&history);
	/* The newest ten are of one level. */
	wanted.limit = 10;
	history = rows[0];
	assert_int_equal(kb_history_load(store, &wanted, &history), 0);
	assert_int_equal(history.point_count, 10);
	assert_string_equal(history.points[0].run_id, "run-30");
	assert_int_equal(history.changes.count, 0);
	kb_history_free(&history);
	free(rows);
	wanted.environment = "*";
	assert_int_equal(kb_history_find(store, &wanted, &rows, &count), 0);
	assert_int_equal(count, 2);
	assert_string_equal(rows[1].newest.run_id, "run-03");
	free(rows);
	kb_store_close(store);
}

/* Only results of the line's unit and method count; alternating runs differ by 10 % from one to the next. */
static void occasions_are_of_one_quantity(void **state)
{
	struct kb_stored_result like = { .unit = "ns", .per = "call", .method = "slope", .headline = "observed", .bound = "kernel",
		.status = "ok", .cycles = { NAN, NAN, NAN } }, other;
	struct kb_occasion_line line = { .like = &like };

	(void)state;
	for (int i = 0; i < 40; i++) {
		other = like;
		other.estimate = (struct kb_stored_estimate){ i % 2 ? 105 : 95, 0, 0 };
		other.estimate.low = other.estimate.value * .999;
		other.estimate.high = other.estimate.value * 1.001;
		if (i >= 30)
			snprintf(other.unit, sizeof other.unit, "cycles");
		assert_int_equal(kb_occasion_add(&line, &other), 0);
	}
	assert_int_equal(line.count, 30);

	struct kb_occasion occasion = kb_occasion_of(&line);

	assert_int_equal(occasion.runs, 30);
	/* ln(105/95) from one run to the next; each CI is a fiftieth of that. */
	assert_true(occasion.sd > .05 && occasion.sd < .15);
	kb_occasion_free(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(rows_are_found, make_runs, remove_place),
		cmocka_unit_test_setup_teardown(levels_change_once, make_runs, remove_place),
		cmocka_unit_test(occasions_are_of_one_quantity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
