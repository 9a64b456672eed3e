/*
 * Opening a file: where it is, and by which way it can be read or written.
 *
 * A write-ahead log keeps readers and writers out of each other's way and makes a kill at any moment harmless: what
 * was committed is in the page cache, what was not is ignored by the next opener. synchronous=NORMAL is enough for
 * that; only a power cut may cost the newest processes, and never the file.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "places.h"
#include "store/sqlite.h"

#define BUSY_MS 10000                   /* a writer holds the lock for one process, some milliseconds */
#define RETRY_MS 20

/* A store may come from a stranger: its schema may call nothing, and a damaged page is noticed before it is used. */
static const char settings[] =
	"PRAGMA trusted_schema = OFF;"
	"PRAGMA cell_size_check = ON;"
	"PRAGMA foreign_keys = ON;"
	"PRAGMA synchronous = NORMAL;";

/* 0700 is what the XDG specification asks for. */
static int make_directories(struct kb_store *store)
{
	char at[PATH_MAX];
	int error = kb_make_directories(store->path, 0700, at);

	return error ? kb_sql_say(store, -error, "cannot create the directory %s: %s; give --store FILE", at, strerror(-error)) : 0;
}

/* Opens the file, no matter what it holds, in place of what the handle had open. */
static int connect_file(struct kb_store *store, const char *name, int flags)
{
	sqlite3 *db = NULL;
	int status;

	sqlite3_close(kb_sqlite_db(store));
	status = sqlite3_open_v2(name, &db, flags, NULL);
	store->connection = db;
	if (status != SQLITE_OK)
		return kb_sqlite_fail(store, store->mode == KB_STORE_READ ? "read" : "write");
	sqlite3_extended_result_codes(db, 1);
	sqlite3_busy_timeout(db, BUSY_MS);
	if (sqlite3_exec(db, settings, NULL, NULL, NULL) != SQLITE_OK)
		return kb_sqlite_fail(store, "use");
	return 0;
}

/*
 * Two processes that switch a new file at once are refused without waiting (SQLite sees a deadlock), so we wait here.
 * On a file system without shared memory the mode stays as it was, and the store works with the slower journal.
 */
static int switch_to_wal(struct kb_store *store)
{
	int status = SQLITE_BUSY;

	sqlite3_busy_timeout(kb_sqlite_db(store), 0);
	for (int waited = 0; status == SQLITE_BUSY && waited < BUSY_MS; waited += RETRY_MS) {
		if (waited)
			sqlite3_sleep(RETRY_MS);
		status = sqlite3_exec(kb_sqlite_db(store), "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff;
	}
	sqlite3_busy_timeout(kb_sqlite_db(store), BUSY_MS);
	return status == SQLITE_OK ? 0 : kb_sqlite_fail(store, "write");
}

static bool is_missing(const struct kb_store *store)
{
	struct stat facts;

	return stat(store->path, &facts) && errno == ENOENT;
}

static int refuse_missing(struct kb_store *store)
{
	return kb_sql_say(store, ENOENT, "no store %s yet; `kbench run` makes it", store->path);
}

static int refuse_empty(struct kb_store *store)
{
	return kb_sql_say(store, ENOENT, "the store %s is empty; `kbench run` fills it", store->path);
}

static int open_writer(struct kb_store *store, const char *name)
{
	bool make = store->mode == KB_STORE_WRITE;
	int schema, error;

	if (!make && is_missing(store))
		return refuse_missing(store);
	error = make ? make_directories(store) : 0;
	if (!error)
		error = connect_file(store, name, SQLITE_OPEN_READWRITE | (make ? SQLITE_OPEN_CREATE : 0));
	if (!error)
		error = kb_sqlite_identify(store, &schema);
	if (!error && !make && !schema)
		return refuse_empty(store);
	/* SQLite opens a file that we may not write for reading, and would only tell at the first process. */
	if (!error && sqlite3_db_readonly(kb_sqlite_db(store), "main") == 1)
		error = kb_sqlite_refused(store, "write");
	if (!error && schema < KB_STORE_SCHEMA)
		error = kb_sqlite_update_schema(store);
	return error ? error : switch_to_wal(store);
}

/* The file's URI with all that could mean something else escaped. "immutable" promises SQLite that nobody writes, so
   that it needs no journal. The caller frees it. */
static char *immutable_uri(const char *path)
{
	char *whole = realpath(path, NULL);
	char *uri = whole ? malloc(3 * strlen(whole) + sizeof("file://?immutable=1")) : NULL;
	char *at = uri;

	if (uri) {
		at = stpcpy(at, "file://");
		for (const char *from = whole; *from; from++)
			at += sprintf(at, strchr("%?#", *from) ? "%%%02x" : "%c", *from);
		strcpy(at, "?immutable=1");
	}
	free(whole);
	return uri;
}

static bool has_log(const char *path)
{
	char *log = sqlite3_mprintf("%s-wal", path);
	struct stat facts;
	bool found = !log || (!stat(log, &facts) && facts.st_size > 0);

	sqlite3_free(log);
	return found;
}

/*
 * The directory cannot be written and no writer lives, so SQLite finds no journal and cannot make one. Without a log
 * the file is complete as it stands; with one, reading only the file would hide processes, so it is refused.
 */
static int open_immutable(struct kb_store *store, int *schema)
{
	char *uri;
	int error;

	if (has_log(store->path))
		return kb_sql_say(store, EROFS, "cannot read the store %s: its newest records are in %s-wal and the directory is "
				  "read-only; copy both to a writable directory and give --store FILE", store->path, store->path);
	uri = immutable_uri(store->path);
	if (!uri) {
		error = errno;
		return kb_sql_say(store, error, "cannot read the store %s: %s", store->path, strerror(error));
	}
	error = connect_file(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
	free(uri);
	return error ? error : kb_sqlite_identify(store, schema);
}

/*
 * Opened for writing where that is allowed, though nothing is written: the last one to close then folds the log of a
 * killed writer back and removes it; a read-only opener would leave its own side files behind.
 */
static int open_reader(struct kb_store *store, const char *name)
{
	int schema, error;

	if (is_missing(store))
		return refuse_missing(store);
	error = connect_file(store, name, SQLITE_OPEN_READWRITE) ?: kb_sqlite_identify(store, &schema);
	if (error == -EROFS || error == -EACCES)
		error = open_immutable(store, &schema);
	if (!error && !schema)
		return refuse_empty(store);
	/* Whatever keeps the file as it is, a full disk or another one who has it, keeps nobody from reading it. */
	if (!error && schema < KB_STORE_SCHEMA && kb_sqlite_update_schema(store))
		error = kb_sqlite_make_columns(store, schema, true);
	if (!error && sqlite3_exec(kb_sqlite_db(store), "PRAGMA query_only = ON", NULL, NULL, NULL) != SQLITE_OK)
		error = kb_sqlite_fail(store, "read");
	return error;
}

int kb_sqlite_open(struct kb_store *store)
{
	/* "./" keeps SQLite from giving ":memory:" or "file:x" a meaning of its own. */
	char *name = store->mode == KB_STORE_NAME ? NULL : sqlite3_mprintf("%s%s", *store->path == '/' ? "" : "./", store->path);
	int error;

	if (store->mode == KB_STORE_NAME)
		return 0;
	if (!name)
		return kb_sql_say(store, ENOMEM, "cannot open the store %s: out of memory", store->path);
	error = store->mode == KB_STORE_READ ? open_reader(store, name) : open_writer(store, name);
	sqlite3_free(name);
	return error;
}
