/*
 * Files that are not a store, or no longer: foreign, newer, cut off, flipped. What was stored must come back exactly
 * or not at all, and a file that is not ours must not change by a byte.
 */
#include "fixture.h"

static char *read_file(const char *path, size_t *length)
{
	struct stat facts;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char *bytes;

	assert_int_equal(fstat(fd, &facts), 0);
	*length = (size_t)facts.st_size;
	bytes = malloc(*length + 1);
	assert_int_equal(read(fd, bytes, *length), *length);
	close(fd);
	return bytes;
}

static void write_file(const char *path, const char *bytes, size_t length)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_int_equal(write(fd, bytes, length), length);
	close(fd);
}

/* Refused in both modes, and not one byte of it changed. */
static void refused_unchanged(const char *path, int error, const char *words)
{
	size_t before, after;
	char *was = read_file(path, &before), *is;

	refused(path, KB_STORE_READ, error, words);
	refused(path, KB_STORE_WRITE, error, words);
	is = read_file(path, &after);
	assert_int_equal(before, after);
	assert_memory_equal(was, is, before);
	free(was);
	free(is);
}

static void other_schemas(void **state)
{
	struct place *place = *state;
	struct kb_store *store;
	unsigned count = 0;

	make_store(place->path);
	assert_int_equal(ask(place->path, "PRAGMA user_version"), KB_STORE_SCHEMA);
	change(place->path, "PRAGMA user_version = 99");
	refused_unchanged(place->path, -EPROTO, "newer kbench");
	change(place->path, "PRAGMA user_version = 0");
	refused_unchanged(place->path, -EUCLEAN, "damaged");
	change(place->path, "PRAGMA user_version = 2; DROP TABLE launch");
	store = opened(place->path, KB_STORE_READ);
	assert_int_equal(kb_store_all_processes(store, RUN, count_process, &count), -EUCLEAN);
	kb_store_close(store);
}

static void foreign_files(void **state)
{
	static const char text[] = "kbench-record 1\nbench sys.null\n";
	struct place *place = *state;
	char *garbage = make_record(5, 20000);

	change(place->path, "CREATE TABLE cookies (a)");
	refused_unchanged(place->path, -EUCLEAN, "another program");
	change(place->path, "PRAGMA journal_mode = WAL; INSERT INTO cookies VALUES (1)");
	refused_unchanged(place->path, -EUCLEAN, "another program");
	unlink(place->path);
	/* Nothing in it yet, but somebody marked it. */
	change(place->path, "PRAGMA application_id = 5");
	refused_unchanged(place->path, -EUCLEAN, "another program");
	unlink(place->path);
	write_file(place->path, garbage, 20000);
	refused_unchanged(place->path, -EUCLEAN, "not a store");
	write_file(place->path, text, sizeof(text));
	refused_unchanged(place->path, -EUCLEAN, "not a store");
	free(garbage);
	refused(place->directory, KB_STORE_READ, -EISDIR, "is a directory");
	refused(place->directory, KB_STORE_WRITE, -EISDIR, "is a directory");
}

struct whole { unsigned seen; bool same; };

static int check_whole(void *context, const struct kb_stored_process *process)
{
	struct whole *whole = context;
	size_t seed = (process->record_length - LENGTH(0)) / 10000;

	/* Its length says which one it was: its number stands in the file unprotected. */
	whole->seen++;
	whole->same &= process->record_length > LENGTH(0) && same_record(process, seed, LENGTH(seed));
	return 0;
}

/* The one result that make_store puts is given as it was, or told to be damaged. */
static int check_results(struct kb_store *store)
{
	struct kb_stored_result row;
	struct kb_query *query;
	int found, error = kb_store_results(store, RUN, &query);
	char *json, *was = make_json("b", 100);

	while (!error && (found = kb_store_next(query, &row)) != 0) {
		error = found < 0 ? found : row.damaged ? kb_store_damaged(store, &row) : kb_store_json(store, &row, &json);
		if (error)
			break;
		assert_string_equal(json, was);
		assert_string_equal(row.row, "sys.null");
		assert_true(row.estimate.value == 100 && row.estimate.low == 99 && row.estimate.high == 101 && row.processes == 5);
		assert_string_equal(row.status, "ok");
		free(json);
	}
	free(was);
	kb_store_done(query);
	return error;
}

/* Opens and reads all: 0 or the error, which must have its line. What is given must be whole. */
static int read_all(const char *path, unsigned *seen)
{
	struct whole whole = { 0, true };
	struct kb_store *store;
	int error = kb_store_open(&store, path, KB_STORE_READ);

	if (!error)
		error = kb_store_all_processes(store, RUN, check_whole, &whole);
	if (!error)
		error = check_results(store);
	if (error)
		assert_true(strlen(kb_store_error(store)) > 0 && !strchr(kb_store_error(store), '\n'));
	kb_store_close(store);
	assert_true(whole.same);
	*seen = whole.seen;
	return error;
}

static void cut_off(void **state)
{
	static const size_t keep[] = { 2, 15, 16, 50, 99, 100, 512, 4095, 4096, 8192, 20000, 60000 };
	struct place *place = *state;
	struct kb_store *store;
	size_t length;
	unsigned seen;
	char *bytes;

	make_store(place->path);
	bytes = read_file(place->path, &length);
	for (size_t i = 0; i < sizeof(keep) / sizeof(*keep); i++) {
		assert_true(keep[i] < length);
		write_file(place->path, bytes, keep[i]);
		refused_unchanged(place->path, -EUCLEAN, "damaged");
	}
	free(bytes);
	/* An empty file is what a writer leaves that was killed as it began: nothing is lost by starting over. */
	write_file(place->path, "", 0);
	refused(place->path, KB_STORE_READ, -ENOENT, "kbench run");
	store = opened(place->path, KB_STORE_WRITE);
	assert_int_equal(add_run(store, RUN, "1", ""), 0);
	kb_store_close(store);
	assert_int_equal(read_all(place->path, &seen), 0);
}

/* Where in the file the packed record of a process lies: one piece of it, long enough to be its own. */
static char *find_packed(const char *path, unsigned process, char *bytes, size_t length)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	char *at;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, "SELECT record FROM launch WHERE launch = ?", -1, &statement, NULL), 0);
	sqlite3_bind_int(statement, 1, (int)process);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_true(sqlite3_column_bytes(statement, 0) < (int)LENGTH(process));
	at = memmem(bytes, length, (const char *)sqlite3_column_blob(statement, 0) + 9000, 64);
	assert_non_null(at);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return at;
}

static void flipped_record(void **state)
{
	struct place *place = *state;
	struct kb_store *store;
	size_t length;
	unsigned seen;
	char *bytes;

	make_store(place->path);
	bytes = read_file(place->path, &length);
	*find_packed(place->path, 2, bytes, length) ^= 4;
	write_file(place->path, bytes, length);
	free(bytes);
	assert_int_equal(read_all(place->path, &seen), -EUCLEAN);
	assert_int_equal(seen, 1);
	store = opened(place->path, KB_STORE_READ);
	kb_store_all_processes(store, RUN, count_process, &seen);
	assert_non_null(strstr(kb_store_error(store), "process 2 of \"sys.null\" in run " RUN));
	assert_non_null(strstr(kb_store_error(store), place->path));
	kb_store_close(store);
}

/* A length in the file must not decide how much memory is asked for, nor what is believed. */
static void lying_lengths(void **state)
{
	static const char *const lies[] = {
		"record_length = 4611686018427387904", "record_length = -1", "record_length = record_length - 1",
		"record_length = record_length + 1", "record = x''", "record = ''",
	};
	struct place *place = *state;
	char sql[128];
	unsigned seen;

	for (size_t i = 0; i < sizeof(lies) / sizeof(*lies); i++) {
		make_store(place->path);
		snprintf(sql, sizeof(sql), "UPDATE launch SET %s WHERE launch = 3", lies[i]);
		change(place->path, sql);
		assert_int_equal(read_all(place->path, &seen), -EUCLEAN);
		assert_int_equal(seen, 2);
		unlink(place->path);
	}
}

/* Any byte: an error, or whole records. Never a crash, never a record that was not stored. */
static void flipped_anywhere(void **state)
{
	struct place *place = *state;
	struct kb_rng rng;
	unsigned seen, errors = 0;
	size_t length;
	char *bytes;

	make_store(place->path);
	bytes = read_file(place->path, &length);
	kb_rng_seed(&rng, 11);
	for (int i = 0; i < 600; i++) {
		size_t at = kb_rng_below(&rng, i % 2 ? 4096 : length);
		char mask = (char)(1 + kb_rng_below(&rng, 255));

		bytes[at] ^= mask;
		write_file(place->path, bytes, length);
		errors += read_all(place->path, &seen) != 0;
		bytes[at] ^= mask;
	}
	free(bytes);
	/* Most of page 1 and of the records is covered; free space and the texts of a run cannot be. */
	assert_true(errors > 100);
}

static int ask_series(const struct place *place)
{
	struct kb_store *store = opened(place->path, KB_STORE_READ);
	struct kb_stored_result row;
	struct kb_query *query;
	int found = kb_store_series(store, &query);

	while (!found && (found = kb_store_next(query, &row)) > 0)
		found = 0;
	kb_store_done(query);
	kb_store_close(store);
	return found != 0 && found != -EUCLEAN;
}

/* A row that the index calls c, and itself a: from it the next name is c again. The question must end. */
static void index_leads_back(void **state)
{
	struct place *place = *state;
	struct kb_store *store = opened(place->path, KB_STORE_WRITE);

	assert_int_equal(add_run(store, RUN, "1", ""), 0);
	assert_int_equal(put_value(store, RUN, "b", 0, 1), 0);
	assert_int_equal(put_value(store, RUN, "c", 1, 2), 0);
	kb_store_close(store);
	change(place->path, "CREATE TABLE hidden AS SELECT * FROM sqlite_master WHERE name = 'result_series'; PRAGMA writable_schema = ON;"
	       "DELETE FROM sqlite_master WHERE name = 'result_series'");
	change(place->path, "UPDATE result SET benchmark = 'a' WHERE benchmark = 'c'; PRAGMA writable_schema = ON;"
	       "INSERT INTO sqlite_master SELECT * FROM hidden; DROP TABLE hidden");
	assert_int_equal(in_child(ask_series, place, 10), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(other_schemas), TEST(foreign_files), TEST(cut_off), TEST(flipped_record), TEST(lying_lengths),
		TEST(flipped_anywhere), TEST(index_leads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
