/* What questions about results cost: none reads a whole table, however many results there are. */
#include "three_runs.h"

static char scans[1000];        /* the first statement that reads a whole table, and how */
static unsigned looked_at, steps, tracing;

/* Asks SQLite, before each statement, how it will answer. */
static int look(unsigned kind, void *context, void *statement, void *text)
{
	static bool inside;
	sqlite3 *db = sqlite3_db_handle(statement);
	sqlite3_stmt *plan = NULL;
	char *sql;

	(void)kind, (void)context, (void)text;
	if (inside)
		return 0;
	inside = true;
	looked_at++;
	sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sqlite3_sql(statement));
	if (sqlite3_prepare_v2(db, sql, -1, &plan, NULL) == SQLITE_OK) {
		while (!scans[0] && sqlite3_step(plan) == SQLITE_ROW) {
			const char *step = (const char *)sqlite3_column_text(plan, 3);

			/* An automatic index is a scan that makes it. `first`: the names of a series query, which are as many as it gives, from a
			   subquery of one row. */
			if (strstr(step, "AUTOMATIC") || (!strncmp(step, "SCAN ", 5) && strcmp(step, "SCAN first") && strcmp(step, "SCAN one") &&
			    strcmp(step, "SCAN CONSTANT ROW") && !strstr(step, "USING COVERING INDEX run_order") && !strstr(step, "pragma_") && !strstr(step, "sqlite_master")))
				snprintf(scans, sizeof scans, "%s: %s", step, sqlite3_sql(statement));
		}
	}
	sqlite3_finalize(plan);
	sqlite3_free(sql);
	inside = false;
	return 0;
}

static int count_steps(unsigned kind, void *context, void *statement, void *text)
{
	(void)kind, (void)context, (void)text;
	steps += (unsigned)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
	return 0;
}

static int watch(sqlite3 *db, char **error, const struct sqlite3_api_routines *routines)
{
	(void)error, (void)routines;
	return sqlite3_trace_v2(db, tracing, tracing == SQLITE_TRACE_STMT ? look : count_steps, NULL);
}

static int see_run(void *context, const struct kb_stored_run *run)
{
	(void)context, (void)run;
	return 0;
}

/* Takes so many of the results; 0: there is none, and a query that nobody asks for a row is not begun. */
static void take(int error, struct kb_query **query, unsigned wanted)
{
	struct kb_stored_result row;

	assert_int_equal(error, 0);
	if (wanted == 0)
		assert_int_equal(kb_store_next(*query, &row), 0);
	while (wanted-- > 0)
		assert_int_equal(kb_store_next(*query, &row), 1);
	kb_store_done(*query);
}

/* What history, compare and show ask, of stores with the runs A, B and C. */
static void ask_all(const char *path, unsigned kind)
{
	static const char *const names[] = { "last", "last~1", ID_A, "01935b", "night", "sys.null" };
	struct kb_stored_result row;
	struct kb_query *query;
	struct kb_store *store;
	char id[37], ids[2][37], *text;
	unsigned count = 0;

	tracing = kind;
	sqlite3_auto_extension((void (*)(void))watch);
	store = opened(path, KB_STORE_READ);
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		kb_store_find_run(store, names[i], id);
	assert_int_equal(kb_store_get_run(store, ID_A, see_run, NULL), 0);
	take(kb_store_series(store, &query), &query, 4);
	take(kb_store_history(store, "x", "size=1", NULL, KB_NEWEST_FIRST, &query), &query, 2);
	take(kb_store_history(store, "x", "size=1", "env", KB_OLDEST_FIRST, &query), &query, 2);
	take(kb_store_results(store, ID_A, &query), &query, 2);
	take(kb_store_fleet(store, "none", NULL, &query), &query, 0);
	/* For a node that it has not, the whole series is looked through. */
	if (kind == SQLITE_TRACE_STMT)
		take(kb_store_history_of(store, "x", "size=1", &(struct kb_series_filter){ .node = "none", .since = "2000", .fleets = true },
					 KB_NEWEST_FIRST, &query), &query, 0);
	kb_store_find_fleet(store, "none", id);
	assert_int_equal(kb_store_results(store, ID_A, &query), 0);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_int_equal(kb_store_json(store, &row, &text), 0);
	free(text);
	kb_store_done(query);
	assert_int_equal(kb_store_recent_runs(store, "env", 3, ids, 2, &count), 0);
	assert_int_equal(kb_store_each_process(store, ID_A, "x size=1", count_process, &count), 0);
	assert_int_equal(kb_store_get_comparison(store, ID_A, "x size=1", &text), 0);
	kb_store_close(store);
	sqlite3_cancel_auto_extension((void (*)(void))watch);
}

/* Of a store that was migrated. `last` passes over the index of starts, but no further than it must. */
static void no_scans(void **state)
{
	struct place *place = *state;

	if (server())
		skip();
	kb_store_close(three_runs(place));
	change(place->path, MAKE_OLD);
	kb_store_close(opened(place->path, KB_STORE_READ));
	ask_all(place->path, SQLITE_TRACE_STMT);
	assert_true(looked_at > 20);
	assert_string_equal(scans, "");
}

/* A plan does not tell how far it goes: with forty times the runs the same questions take as many steps. */
static void steps_of_any_size(void **state)
{
	struct place *place = *state;
	unsigned few;

	if (server())
		skip();
	kb_store_close(three_runs(place));
	ask_all(place->path, SQLITE_TRACE_PROFILE);
	few = steps;
	assert_true(few > 200);

	struct kb_store *store = opened(place->path, KB_STORE_WRITE);

	for (unsigned i = 0; i < 120; i++) {
		char id[37], started[24];

		snprintf(id, sizeof id, "0193%04x-0000-7000-8000-00000000000d", i);
		snprintf(started, sizeof started, "2025-01-01T00:%02u:%02uZ", i / 60, i % 60);
		assert_int_equal(add(store, id, started, "env", "{\"cpus\":[3]}"), 0);
		assert_int_equal(put_value(store, id, "x size=1", 1, 1), 0);
		assert_int_equal(put_value(store, id, "x size=2", 2, 1), 0);
		assert_int_equal(put_value(store, id, "w", 3, 1), 0);
		assert_int_equal(kb_store_finish_run(store, id, started), 0);
	}
	kb_store_close(store);
	steps = 0;
	ask_all(place->path, SQLITE_TRACE_PROFILE);
	if (steps > few + few / 10)
		fail_msg("%u steps, and %u of a store that is forty times as large", few, steps);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(no_scans), TEST(steps_of_any_size) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
