/* What stands beside results, and runs themselves: each changed value is told or made again, and other runs are read as before. */
#include "fixture.h"

#define ID(n) "01935a00-0000-7000-8000-00000000000" n
#define ENV "{\"id\":\"e\",\"readings\":{\"boot_id\":\"boot-1\"}}"
#define SETTINGS "{\"tool\":\"t\",\"cpus\":[3],\"fleet\":{\"id\":\"f\",\"node\":\"n\"}}"

static void make(const char *path)
{
	static const char *const ids[] = { ID("1"), ID("2"), ID("3") };
	struct kb_store *store = opened(path, KB_STORE_WRITE);

	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = ids[i], .started = "2026-01-01T00:00:00Z", .finished = "", .label = "was",
			.command = "kbench run", .env_class = "e", .env = ENV, .settings = SETTINGS }), 0);
		assert_int_equal(add_process(store, ids[i], 1, i, 500), 0);
		assert_int_equal(put_value(store, ids[i], "sys.null", 0, 100 + i), 0);
		assert_int_equal(kb_store_put_comparison(store, ids[i], "sys.null", "{\"a\":1}"), 0);
		assert_int_equal(kb_store_put_floor(store, ids[i], "key", 1.5 + i), 0);
		assert_int_equal(kb_store_finish_run(store, ids[i], "2026-01-01T00:01:00Z"), 0);
		assert_int_equal(kb_store_label_run(store, ids[i], i == 1 ? "label" : ""), 0);
	}
	kb_store_close(store);
}

/* Behind the store's back. */
static void spoil(const struct place *place, const char *sql)
{
	if (server())
		assert_true(tell_server(place->path, sql, NULL, 0));
	else
		change(place->path, sql);
}

static int see(void *context, const struct kb_stored_run *run)
{
	char *seen = context;

	strncat(seen, run->id + 35, 1);
	return 0;
}

static void damaged_runs(void **state)
{
	static const char *const columns[] = { "started", "finished", "label", "command", "env_class", "env", "settings" };
	struct place *place = *state;
	struct kb_stored_result row;
	struct kb_query *query;
	struct kb_store *store;
	uint64_t others;
	char sql[200], seen[8];

	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
		make(place->path);
		snprintf(sql, sizeof sql, "UPDATE run SET %s = %s || 'x' WHERE id = '" ID("2") "'", columns[i], columns[i]);
		spoil(place, sql);
		store = opened(place->path, KB_STORE_WRITE);
		seen[0] = '\0';
		assert_int_equal(kb_store_get_run(store, ID("2"), see, seen), -EUCLEAN);
		assert_non_null(strstr(kb_store_error(store), "run " ID("2")));
		assert_non_null(strstr(kb_store_error(store), "is damaged"));
		assert_int_equal(kb_store_get_run(store, ID("3"), see, seen), 0);
		assert_int_equal(kb_store_each_run(store, see, seen), -EUCLEAN);
		assert_non_null(strstr(kb_store_error(store), ID("2")));
		assert_int_equal(kb_store_newest_runs(store, 9, &others, see, seen), -EUCLEAN);
		assert_string_equal(seen, "31313");
		/* A new label must not hide it. */
		assert_int_equal(kb_store_label_run(store, ID("2"), "new"), -EUCLEAN);
		assert_int_equal(kb_store_finish_run(store, ID("2"), "now"), -EUCLEAN);
		assert_int_equal(kb_store_mend_run(store, ID("2"), &(struct kb_mended){ 0 }), -EUCLEAN);
		assert_int_equal(kb_store_label_run(store, ID("3"), "new"), 0);
		/* Its results: their columns fit, but those of the run show what is not so if its label or its start is another one. */
		assert_int_equal(kb_store_results(store, ID("2"), &query), 0);
		assert_int_equal(kb_store_next(query, &row), 1);
		assert_int_equal(row.damaged, strcmp(columns[i], "label") == 0);
		if (row.damaged) {
			assert_int_equal(kb_store_damaged(store, &row), -EUCLEAN);
			assert_non_null(strstr(kb_store_error(store), "run " ID("2")));
		}
		kb_store_done(query);
		assert_int_equal(kb_store_remove_run(store, ID("2")), 0);
		assert_int_equal(kb_store_each_run(store, see, seen), 0);
		kb_store_close(store);
		remove_store(place);
	}
}

/* They are made again for who asks, and by mending for good. */
static void damaged_facts(void **state)
{
	static const char *const changes[] = { "cpu = 4", "side = 1", "tool = 'u'", "node = 'o'", "boot = 'x'", "environment = 'x'" };
	struct place *place = *state;
	struct kb_stored_result row;
	struct kb_query *query;
	struct kb_store *store;
	char sql[200];

	make(place->path);
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		snprintf(sql, sizeof sql, "UPDATE run_facts SET %s", changes[i]);
		spoil(place, sql);
		store = opened(place->path, KB_STORE_CHANGE);
		for (unsigned mended = 0; mended < 2; mended++) {
			assert_int_equal(kb_store_results(store, ID("2"), &query), 0);
			assert_int_equal(kb_store_next(query, &row), 1);
			assert_true(!row.damaged && row.cpu == 3 && row.side == 0 && !strcmp(row.tool, "t") && !strcmp(row.node, "n") &&
				    !strcmp(row.fleet, "f") && !strcmp(row.boot, "boot-1") && !strcmp(row.run_environment, "e") && !strcmp(row.label, "label"));
			kb_store_done(query);
			assert_int_equal(kb_store_mend_run(store, ID("2"), &(struct kb_mended){ 0 }), 0);
		}
		kb_store_close(store);
		assert_int_equal(ask(place->path, "SELECT count(*) FROM run_facts WHERE cpu = 3 AND side = 0 AND tool = 't' AND node = 'n' AND boot = 'boot-1'"
				     " AND environment = 'e' AND checksum IS NOT NULL"), 1);
	}
}

static void damaged_others(void **state)
{
	struct place *place = *state;
	struct kb_mended mended;
	struct kb_store *store;
	unsigned count = 0;
	double k[4];
	char *json;

	make(place->path);
	spoil(place, "UPDATE comparison SET json = '{\"a\":2}' WHERE run = 2; UPDATE floor SET k = 0.5 WHERE run = 2;"
	      "UPDATE launch SET outcome = 'signal=11' WHERE run = 2; UPDATE launch SET launch = 7 WHERE run = 3");
	if (server())
		skip();
	store = opened(place->path, KB_STORE_WRITE);
	assert_int_equal(kb_store_get_comparison(store, ID("2"), "sys.null", &json), -EUCLEAN);
	assert_null(json);
	assert_non_null(strstr(kb_store_error(store), ID("2")));
	assert_int_equal(kb_store_get_comparison(store, ID("1"), "sys.null", &json), 0);
	assert_string_equal(json, "{\"a\":1}");
	free(json);
	assert_int_equal(kb_store_get_floors(store, "key", k, 4, &count), 0);
	assert_true(count == 2 && k[0] == 3.5 && k[1] == 1.5);
	assert_int_equal(kb_store_all_processes(store, ID("2"), count_process, &count), -EUCLEAN);
	assert_int_equal(kb_store_all_processes(store, ID("3"), count_process, &count), -EUCLEAN);
	assert_int_equal(kb_store_all_processes(store, ID("1"), count_process, &count), 0);
	assert_int_equal(kb_store_mend_run(store, ID("2"), &mended), 0);
	assert_true(mended.comparisons == 1 && mended.floor);
	assert_int_equal(kb_store_get_comparison(store, ID("2"), "sys.null", &json), 0);
	assert_null(json);
	assert_int_equal(kb_store_mend_run(store, ID("1"), &mended), 0);
	assert_true(mended.comparisons == 0 && !mended.floor);
	kb_store_close(store);
}

/* An index without some rows of its table: of a run this is seen, and all of it when the whole file is read. */
static void damaged_indexes(void **state)
{
	struct place *place = *state;
	struct kb_stored_result row;
	struct kb_query *query;
	struct kb_store *store;
	bool indexes;

	if (server())
		skip();
	make(place->path);
	change(place->path, "CREATE TABLE hidden AS SELECT * FROM sqlite_master WHERE name = 'result_of_run'; PRAGMA writable_schema = ON;"
	       "DELETE FROM sqlite_master WHERE name = 'result_of_run'");
	change(place->path, "INSERT INTO summary SELECT 99, run, 'other', 1, json FROM summary WHERE number = 1; PRAGMA writable_schema = ON;"
	       "INSERT INTO sqlite_master SELECT * FROM hidden; DROP TABLE hidden");
	store = opened(place->path, KB_STORE_CHANGE);
	assert_int_equal(kb_store_results(store, ID("1"), &query), 0);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_int_equal(kb_store_next(query, &row), -EUCLEAN);
	assert_non_null(strstr(kb_store_error(store), "an index hides results of a run"));
	kb_store_done(query);
	assert_int_equal(kb_store_mend(store, &indexes), 0);
	assert_true(indexes);
	assert_int_equal(kb_store_results(store, ID("1"), &query), 0);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_int_equal(kb_store_next(query, &row), 0);
	kb_store_done(query);
	assert_int_equal(kb_store_mend(store, &indexes), 0);
	assert_false(indexes);
	kb_store_close(store);
}

/* Of a version that made no checksums: what it wrote is read, and mended into what has one. */
static void no_checksums(void **state)
{
	struct place *place = *state;
	struct kb_store *store;
	char seen[8] = "";
	unsigned count = 0;
	double k[4];

	make(place->path);
	spoil(place, "UPDATE run SET checksum = NULL; UPDATE run_facts SET checksum = NULL; UPDATE launch SET checksum = NULL; UPDATE floor SET checksum = NULL;"
	      "UPDATE comparison SET checksum = NULL");
	store = opened(place->path, KB_STORE_CHANGE);
	assert_int_equal(kb_store_each_run(store, see, seen), 0);
	assert_int_equal(kb_store_all_processes(store, ID("1"), count_process, &count), 0);
	assert_int_equal(kb_store_get_floors(store, "key", k, 4, &count), 0);
	assert_int_equal(count, 3);
	assert_int_equal(kb_store_mend_run(store, ID("1"), &(struct kb_mended){ 0 }), 0);
	kb_store_close(store);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM run JOIN run_facts ON run_facts.run = run.number WHERE run.checksum > 0 AND run_facts.checksum > 0"), 1);
}

static void is_last(struct kb_store *store, const char *name, const char *id)
{
	char got[37];

	assert_int_equal(kb_store_find_run(store, name, got), 0);
	assert_string_equal(got, id);
}

/* Runs of other stores stand before all that were made here, in the order in which they came. */
static void copied_runs(void **state)
{
	struct place *place = *state, other = *place;
	struct kb_store *from, *to;

	if (server())
		skip();
	strcat(other.path, ".other");
	make(other.path);
	from = opened(other.path, KB_STORE_READ);
	to = opened(place->path, KB_STORE_WRITE);
	assert_int_equal(kb_store_copy_run(to, from, ID("2"), KB_COPY_RECORDS), 0);
	assert_int_equal(kb_store_copy_run(to, from, ID("1"), KB_COPY_RECORDS), 0);
	is_last(to, "last", ID("1"));
	is_last(to, "last~1", ID("2"));
	assert_int_equal(add_run(to, RUN, "2000-01-01T00:00:00Z", ""), 0);
	assert_int_equal(kb_store_copy_run(to, from, ID("3"), 0), 0);
	is_last(to, "last", RUN);
	is_last(to, "last~1", ID("3"));
	assert_int_equal(kb_store_remove_run(to, ID("3")), 0);
	assert_int_equal(kb_store_copy_run(to, from, ID("3"), KB_COPY_AS_OURS), 0);
	is_last(to, "last", ID("3"));
	is_last(to, "last~1", RUN);
	is_last(to, "last~3", ID("2"));
	kb_store_close(to);
	kb_store_close(from);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(damaged_runs), TEST(damaged_facts), TEST(damaged_others), TEST(damaged_indexes), TEST(no_checksums), TEST(copied_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
