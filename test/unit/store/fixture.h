/* What the store's test programs share: a directory of one's own, runs and records that can be made again and compared. */
#ifndef KB_TEST_STORE_FIXTURE_H
#define KB_TEST_STORE_FIXTURE_H

#define _GNU_SOURCE             /* nftw, unshare */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "store/store.h"

struct place {
	char directory[PATH_MAX - 64];
	char path[PATH_MAX];            /* of the store, inside the directory */
};

/* A child must not jump into the parent's test runner: it says what failed and returns 1. */
#define MUST(condition) \
	do { \
		if (!(condition)) { \
			fprintf(stderr, "%s:%d: not true: %s (errno %s)\n", __FILE__, __LINE__, #condition, strerror(errno)); \
			return 1; \
		} \
	} while (0)

/* With KB_TEST_SERVER=postgresql://USER@/postgres?host=... each store is a database of its own on that server, and not a file. */
static inline const char *server(void)
{
	return getenv("KB_TEST_SERVER");
}

/* Executes SQL as psql does. Returns whether it could; line gets the first line that it printed. */
static inline bool tell_server(const char *address, const char *sql, char *line, int room)
{
	char *command, said[100] = "";
	FILE *out;
	bool done;

	if (asprintf(&command, "psql -XAtq -v ON_ERROR_STOP=1 -d '%s' -c 'SET search_path = kbench' -c \"%s\" 2>/dev/null", address, sql) < 0)
		abort();
	out = popen(command, "r");
	if (!fgets(line ? line : said, line ? room : (int)sizeof said, out) && line)
		*line = '\0';
	while (fgetc(out) != EOF)
		;
	done = pclose(out) == 0;
	free(command);
	return done;
}

static inline bool make_database(struct place *place)
{
	static unsigned made;
	const char *rest = strstr(server(), "/postgres?");
	char sql[100], name[50];

	if (!rest)
		return false;
	snprintf(name, sizeof name, "kb_%d_%u", (int)getpid(), ++made);
	snprintf(place->path, sizeof place->path, "%.*s/%s?%s", (int)(rest - server()), server(), name, rest + 10);
	snprintf(sql, sizeof sql, "CREATE DATABASE %s", name);
	return tell_server(server(), sql, NULL, 0);
}

/* The place without a store again. */
static inline void remove_store(const struct place *place)
{
	if (server())
		assert_true(tell_server(place->path, "DROP SCHEMA kbench CASCADE", NULL, 0));
	else
		assert_int_equal(unlink(place->path), 0);
}

static inline int make_place(void **state)
{
	const char *base = getenv("TMPDIR");
	struct place *place = calloc(1, sizeof(*place));

	if (!place)
		return -1;
	snprintf(place->directory, sizeof(place->directory), "%s/kbench-store-XXXXXX", base && *base ? base : "/tmp");
	if (!mkdtemp(place->directory))
		return -1;
	snprintf(place->path, sizeof(place->path), "%s/kbench.db", place->directory);
	*state = place;
	return !server() || make_database(place) ? 0 : -1;
}

static inline int remove_one(const char *path, const struct stat *facts, int kind, struct FTW *where)
{
	(void)facts, (void)kind, (void)where;
	return remove(path);
}

static inline void remove_database(const struct place *place)
{
	const char *name = strstr(place->path, "/kb_") + 1;
	char sql[100];

	snprintf(sql, sizeof sql, "DROP DATABASE %.*s WITH (FORCE)", (int)strcspn(name, "?"), name);
	tell_server(server(), sql, NULL, 0);
}

static inline int remove_place(void **state)
{
	struct place *place = *state;
	int result;

	chmod(place->directory, 0700);
	if (server())
		remove_database(place);
	result = nftw(place->directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(place);
	return result;
}

/* The open store, or a failed test that shows the store's own line. */
static inline struct kb_store *opened(const char *path, enum kb_store_mode mode)
{
	struct kb_store *store;

	if (kb_store_open(&store, path, mode))
		fail_msg("%s", kb_store_error(store));
	return store;
}

/* Opening must fail like this, with one line that names the path. */
static inline void refused(const char *path, enum kb_store_mode mode, int error, const char *words)
{
	struct kb_store *store;
	int got = kb_store_open(&store, path, mode);
	const char *line = kb_store_error(store);

	if (got != error || !strstr(line, words) || !strstr(line, path) || strchr(line, '\n'))
		fail_msg("got %d (%s), wanted %d and \"%s\"", got, line, error, words);
	kb_store_close(store);
}

static inline int add_run(struct kb_store *store, const char *id, const char *started, const char *label)
{
	return kb_store_add_run(store, &(struct kb_stored_run){ .id = id, .started = started, .finished = "",
		.label = label, .command = "kbench run", .env_class = "c", .env = "{}", .settings = "{}" });
}

/* A text that only `seed` decides: half of it digits, half any byte, so that it shrinks a little only. */
static inline char *make_record(uint64_t seed, size_t length)
{
	char *text = malloc(length + 1);
	struct kb_rng rng;

	if (!text)
		abort();
	kb_rng_seed(&rng, seed);
	for (size_t i = 0; i < length; i++) {
		uint64_t value = kb_rng_next(&rng);

		text[i] = (char)(value & 256 ? value : '0' + value % 10);
	}
	return text;
}

static inline int add_process(struct kb_store *store, const char *run, unsigned process, uint64_t seed, size_t length)
{
	char *record = make_record(seed, length);
	int error = kb_store_add_process(store, &(struct kb_stored_process){ .run_id = run, .row = "sys.null",
		.process = process, .outcome = "", .record = record, .record_length = length });

	free(record);
	return error;
}

static inline bool same_record(const struct kb_stored_process *process, uint64_t seed, size_t length)
{
	char *record = make_record(seed, length);
	bool same = process->record_length == length && !memcmp(process->record, record, length);

	free(record);
	return same;
}

/* An element of results[] that states little; free it. */
static inline char *make_json(const char *benchmark, double value)
{
	char *text;

	if (asprintf(&text, "{\"benchmark\":\"%s\",\"per\":\"call\",\"ticks_per_ns\":1,\"estimate\":{\"value\":%.12g,\"low\":%.12g,\"high\":%.12g,"
		     "\"method\":\"slope\"},\"headline\":\"observed\",\"processes\":5,\"n_grid\":{\"min\":1,\"max\":64},"
		     "\"verdict\":{\"status\":\"ok\"}}", benchmark, value, value * .99, value * 1.01) < 0)
		abort();
	return text;
}

static inline int put_value(struct kb_store *store, const char *run, const char *row, unsigned order, double value)
{
	char *json = make_json("b", value);
	int error = kb_store_put_result(store, run, row, order, json);

	free(json);
	return error;
}

static inline int count_process(void *count, const struct kb_stored_process *process)
{
	(void)process;
	++*(unsigned *)count;
	return 0;
}

#define RUN "01935a00-0000-7000-8000-0000000000ff"
#define PROCESSES 3u
#define LENGTH(process) (30000 + 10000 * (size_t)(process))

static inline void make_store(const char *path)
{
	struct kb_store *store = opened(path, KB_STORE_WRITE);

	assert_int_equal(add_run(store, RUN, "1", ""), 0);
	for (unsigned i = 1; i <= PROCESSES; i++)
		assert_int_equal(add_process(store, RUN, i, i, LENGTH(i)), 0);
	assert_int_equal(put_value(store, RUN, "sys.null", 0, 100), 0);
	kb_store_close(store);
}

/* One number of the store, asked of the engine itself; -1 if it refuses. */
static inline int64_t ask(const char *path, const char *sql)
{
	char line[100];
	sqlite3 *db;
	sqlite3_stmt *statement = NULL;
	int64_t answer = -1;

	if (server())
		return tell_server(path, sql, line, sizeof line) ? strtoll(line, NULL, 10) : -1;
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL) == SQLITE_OK &&
	    sqlite3_prepare_v2(db, sql, -1, &statement, NULL) == SQLITE_OK && sqlite3_step(statement) == SQLITE_ROW)
		answer = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	return answer;
}

static inline void change(const char *path, const char *sql)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

/* As before schema 6. */
#define NO_CHECKSUMS \
	"ALTER TABLE run DROP COLUMN checksum; ALTER TABLE launch DROP COLUMN checksum; ALTER TABLE comparison DROP COLUMN checksum;" \
	"ALTER TABLE floor DROP COLUMN checksum;"

/* The same store as a version with schema 1 left it: schema 2 only added to that. */
#define MAKE_OLD "DROP TRIGGER summary_added; DROP TRIGGER summary_changed; DROP TABLE result; DROP TABLE run_facts; DROP INDEX run_label; DROP INDEX floor_key;" \
	NO_CHECKSUMS "PRAGMA user_version = 1"

/* "ok" as a number, so that ask() can compare it. */
#define INTEGRITY "SELECT group_concat(integrity_check) = 'ok' FROM pragma_integrity_check"

/* Runs work(place) in a child that dies with an alarm after `seconds`; returns its exit code, or 1. */
static inline int in_child(int (*work)(const struct place *), const struct place *place, unsigned seconds)
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (!child) {
		alarm(seconds);
		_exit(work(place));
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

#define CANNOT 77               /* a child's exit code: this machine lacks what the test needs */
#define NOBODY 65534

/* Becomes somebody without rights, if we have any. */
static inline int drop_rights(const struct place *place)
{
	if (!geteuid() && (setgid(NOBODY) || setuid(NOBODY)))
		return CANNOT;
	return access(place->directory, R_OK | X_OK) ? CANNOT : 0;
}

static inline void child_passes(int code, const char *lacking)
{
	if (code == CANNOT) {
		print_message("skipped: %s\n", lacking);
		skip();
	}
	assert_int_equal(code, 0);
}

#endif
