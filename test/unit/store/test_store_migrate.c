/*
 * Stores of schema 1: brought to today's in one transaction with all that they hold, whatever interrupts that; and read as they are where
 * they may not be written. Later schemas only add, so an old store is a new one without what was added.
 */
#include "fixture.h"

#include <signal.h>
#include <sys/resource.h>

#define RUNS 12u
#define ROWS 40u
#define KILLS 40

static void run_id(char id[37], unsigned run)
{
	snprintf(id, 37, "01935a00-0000-7000-8000-%012u", run);
}

static void make_old(const char *path)
{
	struct kb_store *store = opened(path, KB_STORE_WRITE);
	char id[37], row[32];

	for (unsigned run = 0; run < RUNS; run++) {
		run_id(id, run);
		assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = id, .started = id, .finished = "", .label = "old", .command = "c",
			.env_class = "env", .env = "{}", .settings = run % 3 ? "{\"cpus\":[1]}" : "{\"ab\":{}, \"cpus\":[1]}" }), 0);
		assert_int_equal(kb_store_begin(store), 0);
		for (unsigned i = 0; i < ROWS; i++) {
			snprintf(row, sizeof row, "b p=%u", i);
			assert_int_equal(put_value(store, id, row, i, 1 + run * ROWS + i), 0);
		}
		assert_int_equal(kb_store_end(store, 0), 0);
	}
	assert_int_equal(add_process(store, id, 1, 1, 1000), 0);
	assert_int_equal(kb_store_put_comparison(store, id, "b p=1", "{}"), 0);
	kb_store_close(store);
	change(path, "UPDATE summary SET row = 'b p=0 beside=spin' WHERE position = 0; UPDATE summary SET json = '{' WHERE position = 1;" MAKE_OLD);
}

/* All results as make_old put them, by any way to ask. */
static int check_all(struct kb_store *store)
{
	struct kb_stored_result row;
	struct kb_query *query;
	unsigned seen = 0, count = 0, processes = 0;
	char id[37], ids[RUNS][37], *json;

	for (unsigned run = 0; run < RUNS; run++) {
		run_id(id, run);
		MUST(!kb_store_results(store, id, &query));
		for (unsigned i = 0; kb_store_next(query, &row) > 0; i++) {
			char name[32];

			snprintf(name, sizeof name, i ? "b p=%u" : "b p=0 interference=spin", i);
			MUST(!strcmp(row.row, name) && !strcmp(row.run_id, id) && row.damaged == (i == 1));
			MUST(i == 1 || (row.estimate.value == 1 + run * ROWS + i && row.cpu == 1 && !strcmp(row.environment, "env")));
			MUST(kb_store_json(store, &row, &json) == (i == 1 ? -EUCLEAN : 0));
			free(json);
			seen++;
		}
		kb_store_done(query);
	}
	MUST(seen == RUNS * ROWS);
	MUST(!kb_store_series(store, &query));
	for (count = 0; kb_store_next(query, &row) > 0; count++)
		MUST(!strncmp(row.row, "b p=", 4));
	kb_store_done(query);
	MUST(count == ROWS);
	MUST(!kb_store_history(store, "b", "p=7", "env", KB_NEWEST_FIRST, &query));
	for (count = 0; kb_store_next(query, &row) > 0; count++)
		MUST(!row.damaged);
	kb_store_done(query);
	MUST(count == RUNS * 2 / 3);
	MUST(!kb_store_recent_runs(store, "env", 1, ids, RUNS, &count) && count == RUNS * 2 / 3);
	MUST(!kb_store_find_run(store, "old", id) && !kb_store_all_processes(store, id, count_process, &processes) && processes == 1);
	MUST(!kb_store_get_comparison(store, id, "b p=1", &json) && json);
	free(json);
	return 0;
}

static void checked(const char *path, enum kb_store_mode mode, int schema)
{
	struct kb_store *store = opened(path, mode);

	assert_int_equal(check_all(store), 0);
	kb_store_close(store);
	assert_int_equal(ask(path, "PRAGMA user_version"), schema);
	assert_int_equal(ask(path, INTEGRITY), 1);
}

static void by_readers_and_writers(void **state)
{
	struct place *place = *state;

	for (enum kb_store_mode mode = KB_STORE_READ; mode <= KB_STORE_WRITE; mode++) {
		make_old(place->path);
		assert_int_equal(ask(place->path, "SELECT count(*) FROM sqlite_master WHERE name LIKE '%result%' OR name LIKE 'run_%a%'"), 0);
		checked(place->path, mode, KB_STORE_SCHEMA);
		checked(place->path, KB_STORE_READ, KB_STORE_SCHEMA);
		assert_int_equal(ask(place->path, "SELECT count(*) FROM result"), RUNS * ROWS);
		unlink(place->path);
	}
}

/* In schema 2 all results of a run had its environment ID. What states that it was measured on seL4 gets its own, and nothing else changes. */
static void environments_of_schema_2(void **state)
{
	static const char env[] = "{\"id\":\"host\",\"facts\":{\"os\":\"Linux\",\"arch\":\"x86_64\"},"
		"\"readings\":{\"sel4_kernel\":\"k\",\"config\":\"c\"}}";
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	char *json = make_json("sel4.signal", 5);

	assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = RUN, .started = "1", .finished = "", .label = "", .command = "",
		.env_class = "host", .env = env, .settings = "{}" }), 0);
	assert_int_equal(put_value(store, RUN, "b", 0, 100), 0);
	assert_int_equal(kb_store_put_result(store, RUN, "sel4.signal", 1, json), 0);
	kb_store_close(store);
	free(json);
	change(place->path, "UPDATE result SET environment = 'host';" NO_CHECKSUMS "PRAGMA user_version = 2");
	for (enum kb_store_mode mode = KB_STORE_READ; mode <= KB_STORE_WRITE; mode++) {
		struct kb_stored_result row;
		struct kb_query *query;

		store = opened(place->path, mode);
		assert_int_equal(kb_store_results(store, RUN, &query), 0);
		assert_int_equal(kb_store_next(query, &row), 1);
		assert_true(!row.damaged && !strcmp(row.environment, "host") && row.estimate.value == 100);
		assert_int_equal(kb_store_next(query, &row), 1);
		assert_true(!row.damaged && strlen(row.environment) == 34 && row.estimate.value == 5);
		kb_store_done(query);
		kb_store_close(store);
	}
	assert_int_equal(ask(place->path, "PRAGMA user_version"), KB_STORE_SCHEMA);
	assert_int_equal(ask(place->path, INTEGRITY), 1);
}

/* ---- where it may not be written -------------------------------------------------------------------------------- */

static int reads(const struct place *place)
{
	struct kb_store *store;

	if (drop_rights(place))
		return CANNOT;
	MUST(kb_store_open(&store, place->path, KB_STORE_WRITE) == -EACCES);
	kb_store_close(store);
	MUST(!kb_store_open(&store, place->path, KB_STORE_READ));
	MUST(!check_all(store));
	MUST(put_value(store, "nobody", "x", 0, 1) < 0);
	kb_store_close(store);
	return 0;
}

static void read_only(void **state)
{
	struct place *place = *state;

	make_old(place->path);
	chmod(place->path, 0444);
	chmod(place->directory, 0555);
	child_passes(in_child(reads, place, 30), "another user cannot reach the temporary folder");
	chmod(place->directory, 0755);
	assert_int_equal(ask(place->path, "PRAGMA user_version"), 1);
}

/* As a full disk would: there is room for the index of the log, not for the log. */
static int reads_without_room(const struct place *place)
{
	struct kb_store *store;

	signal(SIGXFSZ, SIG_IGN);
	MUST(!setrlimit(RLIMIT_FSIZE, &(struct rlimit){ 65536, 65536 }));
	MUST(kb_store_open(&store, place->path, KB_STORE_WRITE) == -EFBIG);
	MUST(strstr(kb_store_error(store), place->path));
	kb_store_close(store);
	MUST(!kb_store_open(&store, place->path, KB_STORE_READ));
	MUST(!check_all(store));
	kb_store_close(store);
	return 0;
}

static void no_room(void **state)
{
	struct place *place = *state;

	make_old(place->path);
	assert_int_equal(in_child(reads_without_room, place, 30), 0);
	assert_int_equal(ask(place->path, "PRAGMA user_version"), 1);
	checked(place->path, KB_STORE_READ, KB_STORE_SCHEMA);
}

/* ---- interrupted, and at once ----------------------------------------------------------------------------------- */

static pid_t start(const char *path, enum kb_store_mode mode)
{
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		struct kb_store *store;

		alarm(30);
		_exit(kb_store_open(&store, path, mode) || check_all(store));
	}
	return child;
}

/* Killed at any moment: the old store is there whole, or the new one. */
static void killed(void **state)
{
	struct place *place = *state;
	struct kb_rng rng;
	unsigned old = 0;
	int status;

	kb_rng_seed(&rng, 5);
	for (int i = 0; i < KILLS; i++) {
		make_old(place->path);

		pid_t child = start(place->path, KB_STORE_WRITE);

		usleep((useconds_t)kb_rng_below(&rng, 20000));
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);

		int64_t schema = ask(place->path, "PRAGMA user_version");

		assert_true(schema == 1 || schema == KB_STORE_SCHEMA);
		assert_int_equal(ask(place->path, "SELECT count(*) FROM sqlite_master WHERE name IN ('result', 'run_facts', 'run_label')"),
				 schema == 1 ? 0 : 3);
		old += schema == 1;
		checked(place->path, KB_STORE_READ, KB_STORE_SCHEMA);
		unlink(place->path);
	}
	assert_true(old > 0);
}

static void several_at_once(void **state)
{
	struct place *place = *state;
	pid_t children[6];
	int status;

	make_old(place->path);
	for (unsigned i = 0; i < 6; i++)
		children[i] = start(place->path, i % 2 ? KB_STORE_READ : KB_STORE_WRITE);
	for (unsigned i = 0; i < 6; i++) {
		assert_int_equal(waitpid(children[i], &status, 0), children[i]);
		assert_int_equal(status, 0);
	}
	checked(place->path, KB_STORE_READ, KB_STORE_SCHEMA);
}

/* Which had no nodes, and no means. */
static void columns_of_schema_3(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);
	struct kb_stored_result row;
	struct kb_query *query;
	char id[37];

	assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = RUN, .started = "2026-01-01T00:00:00Z", .finished = "", .label = "", .command = "",
		.env_class = "env", .env = "{}", .settings = "{\"fleet\":{\"id\":\"f\",\"node\":\"n1\"}}" }), 0);
	assert_int_equal(kb_store_put_result(store, RUN, "b", 0, "{\"benchmark\":\"b\",\"per\":\"call\",\"ticks_per_ns\":1,\"clean_share\":0.75,"
					     "\"estimate\":{\"value\":2,\"low\":1,\"high\":3,\"method\":\"slope\"},\"headline\":\"observed\",\"processes\":5,"
					     "\"verdict\":{\"status\":\"ok\"}}"), 0);
	kb_store_close(store);
	change(place->path, "DROP INDEX run_fleet; DROP INDEX run_since; ALTER TABLE run_facts DROP COLUMN fleet; ALTER TABLE run_facts DROP COLUMN node;"
	       "ALTER TABLE result DROP COLUMN mean; ALTER TABLE result DROP COLUMN clean; ALTER TABLE result DROP COLUMN disturbed;"
	       "ALTER TABLE result DROP COLUMN mhz;" NO_CHECKSUMS "PRAGMA user_version = 3");
	store = opened(place->path, KB_STORE_READ);
	assert_int_equal(kb_store_find_fleet(store, "last", id), 0);
	assert_int_equal(kb_store_fleet(store, id, NULL, &query), 0);
	assert_int_equal(kb_store_next(query, &row), 1);
	assert_string_equal(row.node, "n1");
	assert_true(row.estimate.value == 2 && row.clean == .75 && !row.damaged);
	kb_store_done(query);
	kb_store_close(store);
	assert_int_equal(ask(place->path, "PRAGMA user_version"), KB_STORE_SCHEMA);
}

/* ---- boots of schema 4 ------------------------------------------------------------------------------------------- */

static const struct { const char *id, *env, *boot; } booted[] = {
	{ "01935a00-0000-7000-8000-000000000001", "{\"id\":\"e\",\"readings\":{\"boot_id\":\"1b4e28ba-2fa1\"}}", "1b4e28ba-2fa1" },
	{ "01935a00-0000-7000-8000-000000000002", "{\"id\":\"e\",\"readings\":{\"boot_id\":7}}", "" },
	{ "01935a00-0000-7000-8000-000000000003", "{\"id\":\"e\",\"readings\":[\"boot_id\"]}", "" },
	{ "01935a00-0000-7000-8000-000000000004", "{\"readings\":{\"boot_id\":\"x\"}", "" },      /* cut off */
	{ "01935a00-0000-7000-8000-000000000005", "{}", "" },
};
#define BOOTED (sizeof booted / sizeof booted[0])

/* Runs had no boot. One result is damaged, and stays so: results are not made again. */
static void make_schema_4(const char *path)
{
	struct kb_store *store = opened(path, KB_STORE_WRITE);

	for (size_t i = 0; i < BOOTED; i++) {
		assert_int_equal(kb_store_add_run(store, &(struct kb_stored_run){ .id = booted[i].id, .started = booted[i].id, .finished = "", .label = "",
			.command = "", .env_class = "e", .env = booted[i].env, .settings = "{\"fleet\":{\"id\":\"f\",\"node\":\"n\"}}" }), 0);
		assert_int_equal(put_value(store, booted[i].id, "b", 0, 1), 0);
	}
	kb_store_close(store);
	change(path, "ALTER TABLE run_facts DROP COLUMN boot; ALTER TABLE result DROP COLUMN waited; UPDATE result SET value = 2 WHERE run = 5;" NO_CHECKSUMS "PRAGMA user_version = 4");
}

static int has_boots(struct kb_store *store)
{
	struct kb_stored_result row;
	struct kb_query *query;

	MUST(!kb_store_fleet(store, "f", NULL, &query));
	for (size_t i = 0; i < BOOTED; i++) {
		MUST(kb_store_next(query, &row) == 1);
		MUST(!strcmp(row.run_id, booted[i].id) && !strcmp(row.boot, booted[i].boot) && !strcmp(row.node, "n"));
		MUST(row.damaged == (i == 4));
	}
	MUST(kb_store_next(query, &row) == 0);
	kb_store_done(query);
	return 0;
}

static int reads_boots(const struct place *place)
{
	struct kb_store *store;

	if (drop_rights(place))
		return CANNOT;
	MUST(!kb_store_open(&store, place->path, KB_STORE_READ));
	MUST(!has_boots(store));
	kb_store_close(store);
	return 0;
}

static void boots_of_schema_4(void **state)
{
	struct place *place = *state;

	make_schema_4(place->path);
	chmod(place->path, 0444);
	chmod(place->directory, 0555);
	child_passes(in_child(reads_boots, place, 30), "another user cannot reach the temporary folder");
	chmod(place->directory, 0755);
	chmod(place->path, 0644);
	assert_int_equal(ask(place->path, "PRAGMA user_version"), 4);
	for (enum kb_store_mode mode = KB_STORE_READ; mode <= KB_STORE_WRITE; mode++) {
		struct kb_store *store = opened(place->path, mode);

		assert_int_equal(has_boots(store), 0);
		kb_store_close(store);
		assert_int_equal(ask(place->path, "PRAGMA user_version"), KB_STORE_SCHEMA);
		assert_int_equal(ask(place->path, INTEGRITY), 1);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(by_readers_and_writers), TEST(read_only), TEST(no_room), TEST(killed), TEST(several_at_once), TEST(environments_of_schema_2),
		TEST(columns_of_schema_3), TEST(boots_of_schema_4),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
