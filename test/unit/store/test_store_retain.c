/* Many runs at once: what goes is gone from every table, what stays is whole; on a server months go as their partitions, and nothing else does. */
#include "fixture.h"

#define ID(n) "01935a00-0000-7000-8000-00000000000" #n

static const struct { const char *id, *started; } runs[] = {
	{ ID(1), "1999-12-31T10:00:00Z" }, { ID(2), "2024-01-01T00:00:00Z" }, { ID(3), "2024-01-31T23:59:59Z" }, { ID(4), "2024-02-01T00:00:00Z" },
	{ ID(5), "2024-02-29T00:00:00Z" },
};
#define RUNS 5

static void make_runs(const char *path)
{
	struct kb_store *store = opened(path, KB_STORE_WRITE);

	for (size_t i = 0; i < RUNS; i++) {
		assert_int_equal(add_run(store, runs[i].id, runs[i].started, ""), 0);
		for (unsigned process = 1; process <= 2; process++)
			assert_int_equal(add_process(store, runs[i].id, process, process, 1000), 0);
		/* The fourth has records alone. */
		if (i != 3)
			assert_int_equal(put_value(store, runs[i].id, "b", 0, 100), 0);
		assert_int_equal(kb_store_put_comparison(store, runs[i].id, "b", "{}"), 0);
		assert_int_equal(kb_store_put_floor(store, runs[i].id, "k", 1), 0);
		assert_int_equal(kb_store_finish_run(store, runs[i].id, runs[i].started), 0);
	}
	kb_store_close(store);
}

/* The last digits of the ids of the runs that are there; -1: a table has rows of no run, or a run has lost some. */
static int64_t left(const char *path)
{
	static const struct { const char *table; int each; } tables[] = {
		{ "run_facts", 1 }, { "launch", 2 }, { "comparison", 1 }, { "floor", 1 }, { "summary", 0 }, { "result", 0 },
	};
	char sql[300];

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE run NOT IN (SELECT number FROM run)", tables[i].table);
		if (ask(path, sql) != 0)
			return -1;
		snprintf(sql, sizeof sql, "SELECT count(*) FROM run WHERE (SELECT count(*) FROM %s WHERE run = run.number) <> %s", tables[i].table,
			 tables[i].each == 2 ? "2" : tables[i].each ? "1" : "CASE id WHEN '" ID(4) "' THEN 0 ELSE 1 END");
		if (ask(path, sql) != 0)
			return -1;
	}
	return ask(path, "SELECT coalesce(sum(CASE id WHEN '" ID(1) "' THEN 10000 WHEN '" ID(2) "' THEN 2000 WHEN '" ID(3) "' THEN 300 WHEN '" ID(4)
		   "' THEN 40 ELSE 5 END), 0) FROM run");
}

static bool has_month(const char *path, const char *month)
{
	char sql[200];

	snprintf(sql, sizeof sql, "SELECT count(*) FROM pg_class WHERE relname IN ('launch_%s', 'summary_%s', 'result_%s')", month, month, month);
	return ask(path, sql) == 3;
}

static void removed_in_sets(void **state)
{
	static const char *const some[] = { ID(2), ID(5), "nobody", ID(3) }, *const rest[] = { ID(4), ID(1) };
	struct place *place = *state;
	struct kb_store *store;

	make_runs(place->path);
	assert_int_equal(left(place->path), 12345);
	store = opened(place->path, KB_STORE_CHANGE);
	/* Nothing is left of what was begun. */
	assert_int_equal(kb_store_begin(store), 0);
	assert_int_equal(kb_store_remove_runs(store, some, 4), 0);
	assert_int_equal(kb_store_end(store, -EINTR), -EINTR);
	assert_int_equal(left(place->path), 12345);
	assert_int_equal(kb_store_begin(store), 0);
	assert_int_equal(kb_store_remove_runs(store, some, 4), 0);
	assert_int_equal(kb_store_end(store, 0), 0);
	assert_int_equal(left(place->path), 10040);
	if (server()) {
		assert_false(has_month(place->path, "2024_01"));
		assert_true(has_month(place->path, "2024_02"));
	}
	/* A month that went comes again. */
	assert_int_equal(add_run(store, ID(6), "2024-01-10T00:00:00Z", ""), 0);
	assert_int_equal(put_value(store, ID(6), "b", 0, 1), 0);
	assert_int_equal(kb_store_remove_run(store, ID(6)), 0);
	assert_int_equal(kb_store_begin(store), 0);
	assert_int_equal(kb_store_remove_runs(store, rest, 2), 0);
	assert_int_equal(kb_store_remove_runs(store, rest, 0), 0);
	assert_int_equal(kb_store_end(store, 0), 0);
	assert_int_equal(left(place->path), 0);
	kb_store_close(store);
}

/* Who holds a lock of a table keeps no month from going for ever: its rows are deleted, or wait for him. */
static void a_month_in_use(void **state)
{
	static const char *const both[] = { ID(2), ID(3) };
	struct place *place = *state;
	struct kb_store *store;
	char *command;
	FILE *other;

	if (!server())
		skip();
	make_runs(place->path);
	/* A reader in the middle of a question lets nobody drop what he reads. */
	assert_true(asprintf(&command, "psql -XAtq -d '%s' -c 'BEGIN' -c 'LOCK TABLE kbench.result IN ACCESS SHARE MODE' -c 'SELECT 1'"
			     " -c 'SELECT pg_sleep(2)' -c COMMIT", place->path) > 0);
	other = popen(command, "r");
	free(command);
	assert_int_equal(fgetc(other), '1');
	store = opened(place->path, KB_STORE_CHANGE);
	assert_int_equal(kb_store_begin(store), 0);
	assert_int_equal(kb_store_remove_runs(store, both, 2), 0);
	assert_int_equal(kb_store_end(store, 0), 0);
	assert_int_equal(pclose(other), 0);
	assert_int_equal(left(place->path), 10045);
	assert_false(has_month(place->path, "2024_01"));
	kb_store_close(store);
}

static void records_in_sets(void **state)
{
	struct place *place = *state;
	struct kb_old_records old;
	struct kb_store *store;

	make_runs(place->path);
	store = opened(place->path, KB_STORE_CHANGE);
	assert_int_equal(kb_store_records_until(store, "2024-02-20", &old), 0);
	assert_int_equal(old.runs, 3);
	assert_int_equal(old.bytes, ask(place->path, "SELECT sum(length(record)) FROM launch WHERE run IN (SELECT number FROM run WHERE id <= '" ID(3) "')"));
	assert_int_equal(kb_store_begin(store), 0);
	assert_int_equal(kb_store_drop_records_until(store, "2024-02-20"), 0);
	assert_int_equal(kb_store_end(store, 0), 0);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM launch"), 4);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM launch WHERE run IN (SELECT number FROM run WHERE id >= '" ID(4) "')"), 4);
	assert_int_equal(ask(place->path, "SELECT count(*) FROM result"), 4);
	assert_int_equal(kb_store_records_until(store, "2024-02-20", &old), 0);
	assert_int_equal(old.runs + (size_t)old.bytes, 0);
	/* Emptied, not deleted row by row: its file has nothing. */
	if (server()) {
		assert_int_equal(ask(place->path, "SELECT pg_relation_size('launch_2024_01')"), 0);
		assert_true(ask(place->path, "SELECT pg_relation_size('launch_2024_02')") > 0);
	}
	kb_store_close(store);
}

static int add_brief(void *context, const struct kb_run_brief *run)
{
	unsigned *at = context;

	assert_string_equal(run->id, runs[*at].id);
	assert_string_equal(run->started, runs[*at].started);
	assert_true(run->finished);
	assert_string_equal(run->environment, "c");
	assert_string_equal(run->command, "kbench run");
	assert_string_equal(run->fleet, "");
	assert_int_equal(run->cpu, -1);
	assert_int_equal(run->side, 0);
	return ++*at == 4 ? -EINTR : 0;
}

static void briefly(void **state)
{
	struct place *place = *state;
	struct kb_store *store;
	unsigned seen = 0;

	make_runs(place->path);
	store = opened(place->path, KB_STORE_READ);
	assert_int_equal(kb_store_brief_runs(store, add_brief, &seen), -EINTR);
	assert_int_equal(seen, 4);
	kb_store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(removed_in_sets, make_place, remove_place),
		cmocka_unit_test_setup_teardown(a_month_in_use, make_place, remove_place),
		cmocka_unit_test_setup_teardown(records_in_sets, make_place, remove_place),
		cmocka_unit_test_setup_teardown(briefly, make_place, remove_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
