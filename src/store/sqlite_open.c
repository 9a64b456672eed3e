/*
 * Opening the store: where it is, whether it is ours, how it is made.
 *
 * A write-ahead log keeps readers and writers out of each other's way and makes a kill at any moment harmless: what
 * was committed is in the page cache, what was not is ignored by the next opener. synchronous=NORMAL is enough for
 * that; only a power cut may cost the newest launches, and never the file.
 */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "store/sqlite.h"

#define APPLICATION_ID 0x4b42656e       /* "KBen": `file` and we can tell a store from any other SQLite file */
#define BUSY_MS 10000                   /* a writer holds the lock for one launch, some milliseconds */
#define RETRY_MS 20

#define STRING(value) #value
#define NUMBER(value) STRING(value)

/*
 * Rows hold JSON or megabytes, so no table is WITHOUT ROWID (that pays below a twentieth of a page), and launches
 * refer to runs by number, not by 36 bytes. launch_order gives launches in their order without sorting records.
 */
static const char schema[] =
	"CREATE TABLE run ("
	" number INTEGER PRIMARY KEY,"
	" id TEXT NOT NULL UNIQUE,"
	" started TEXT NOT NULL,"
	" finished TEXT NOT NULL,"
	" label TEXT NOT NULL,"
	" command TEXT NOT NULL,"
	" env_class TEXT NOT NULL,"
	" env TEXT NOT NULL,"
	" settings TEXT NOT NULL);"
	"CREATE INDEX run_order ON run (started, id);"
	"CREATE TABLE launch ("
	" number INTEGER PRIMARY KEY,"
	" run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,"
	" row TEXT NOT NULL,"
	" launch INTEGER NOT NULL,"
	" outcome TEXT NOT NULL,"
	" record_length INTEGER NOT NULL,"
	" record BLOB NOT NULL,"
	" UNIQUE (run, row, launch));"
	"CREATE INDEX launch_order ON launch (run, launch);"
	"CREATE TABLE summary ("
	" number INTEGER PRIMARY KEY,"
	" run INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,"
	" row TEXT NOT NULL,"
	" position INTEGER NOT NULL,"
	" json TEXT NOT NULL,"
	" UNIQUE (run, row));"
	"PRAGMA application_id = " NUMBER(APPLICATION_ID) ";"
	"PRAGMA user_version = " NUMBER(KB_STORE_SCHEMA) ";";

/* A store may come from a stranger: its schema may call nothing, and a damaged page is noticed before it is used. */
static const char settings[] =
	"PRAGMA trusted_schema = OFF;"
	"PRAGMA cell_size_check = ON;"
	"PRAGMA foreign_keys = ON;"
	"PRAGMA synchronous = NORMAL;";

/* The XDG base directory specification: a relative XDG_DATA_HOME is to be ignored. */
static char *default_path(void)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (data && *data == '/')
		return sqlite3_mprintf("%s/kbench/kbench.db", data);
	return home && *home ? sqlite3_mprintf("%s/.local/share/kbench/kbench.db", home) : NULL;
}

/* Makes the folders above the file. 0700 is what the XDG specification asks for. */
static int make_folders(struct kb_store *store)
{
	char *path = store->path;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int error;

		*slash = '\0';
		error = mkdir(path, 0700) && errno != EEXIST ? errno : 0;
		if (error)
			kb_sql_say(store, error, "cannot make the folder %s: %s; give --store FILE", path, strerror(error));
		*slash = '/';
		if (error)
			return -error;
	}
	return 0;
}

/* Opens the file, no matter what it holds, in place of what the handle had open. */
static int connect_file(struct kb_store *store, const char *name, int flags)
{
	sqlite3_close(store->db);
	store->db = NULL;
	if (sqlite3_open_v2(name, &store->db, flags, NULL) != SQLITE_OK)
		return kb_sql_fail(store, store->mode == KB_STORE_WRITE ? "write" : "read");
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, BUSY_MS);
	if (sqlite3_exec(store->db, settings, NULL, NULL, NULL) != SQLITE_OK)
		return kb_sql_fail(store, "use");
	return 0;
}

struct identity { int64_t application, version, objects; };

/* In one statement, so that all three are of one moment: another process may be making the store right now. */
static int read_identity(struct kb_store *store, struct identity *identity)
{
	sqlite3_stmt *statement;
	int found = kb_sql_prepare(store, &statement,
				   "SELECT (SELECT application_id FROM pragma_application_id),"
				   " (SELECT user_version FROM pragma_user_version), count(*) FROM sqlite_master", "");

	if (found)
		return found;
	found = kb_sql_step(store, statement);
	if (found > 0)
		*identity = (struct identity){ sqlite3_column_int64(statement, 0), sqlite3_column_int64(statement, 1),
			sqlite3_column_int64(statement, 2) };
	sqlite3_finalize(statement);
	return found < 0 ? found : 0;
}

/* Whose file it is. *blank: nobody's yet, as a new file is, or one whose maker was killed. Changes nothing. */
static int identify(struct kb_store *store, bool *blank)
{
	struct identity is = { 0 };
	int error = read_identity(store, &is);

	if (error)
		return error;
	*blank = !is.application && !is.version && !is.objects;
	if (*blank)
		return 0;
	if (is.application != APPLICATION_ID)
		return kb_sql_say(store, EUCLEAN, "%s is a database of another program; give --store FILE", store->path);
	if (is.version > KB_STORE_SCHEMA)
		return kb_sql_say(store, EPROTO, "the store %s has schema %lld, this kbench knows %d; use a newer kbench or "
				  "give --store FILE", store->path, (long long)is.version, KB_STORE_SCHEMA);
	if (is.version < 1 || !is.objects)
		return kb_sql_say(store, EUCLEAN, "the store %s is damaged: no schema; move it away or give --store FILE",
				  store->path);
	return 0;
}

static int create_tables(struct kb_store *store)
{
	bool blank;
	int error;

	if (sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
		return kb_sql_fail(store, "write");
	/* Another process may have been first while we waited for the lock. */
	error = identify(store, &blank);
	if (!error && blank && sqlite3_exec(store->db, schema, NULL, NULL, NULL) != SQLITE_OK)
		error = kb_sql_fail(store, "write");
	if (!error && sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		error = kb_sql_fail(store, "write");
	if (error)
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

/*
 * Two processes that switch a new file at once are refused without waiting (SQLite sees a deadlock), so we wait here.
 * On a file system without shared memory the mode stays as it was, and the store works with the slower journal.
 */
static int switch_to_wal(struct kb_store *store)
{
	int status = SQLITE_BUSY;

	sqlite3_busy_timeout(store->db, 0);
	for (int waited = 0; status == SQLITE_BUSY && waited < BUSY_MS; waited += RETRY_MS) {
		if (waited)
			sqlite3_sleep(RETRY_MS);
		status = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL) & 0xff;
	}
	sqlite3_busy_timeout(store->db, BUSY_MS);
	return status == SQLITE_OK ? 0 : kb_sql_fail(store, "write");
}

static int open_writer(struct kb_store *store, const char *name)
{
	bool blank = false;
	int error = make_folders(store);

	if (!error)
		error = connect_file(store, name, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
	if (!error)
		error = identify(store, &blank);
	/* SQLite opens a file that we may not write for reading, and would only tell at the first launch. */
	if (!error && sqlite3_db_readonly(store->db, "main") == 1)
		error = kb_sql_refused(store, "write");
	if (!error && blank)
		error = create_tables(store);
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
 * The folder cannot be written and no writer lives, so SQLite finds no journal and cannot make one. Without a log
 * the file is complete as it stands; with one, reading only the file would hide launches, so it is refused.
 */
static int open_immutable(struct kb_store *store, bool *blank)
{
	char *uri;
	int error;

	if (has_log(store->path))
		return kb_sql_say(store, EROFS, "cannot read the store %s: its newest records are in %s-wal and the folder is "
				  "read-only; copy both to a writable folder and give --store FILE", store->path, store->path);
	uri = immutable_uri(store->path);
	if (!uri)
		return kb_sql_say(store, ENOMEM, "cannot read the store %s: out of memory", store->path);
	error = connect_file(store, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
	free(uri);
	return error ? error : identify(store, blank);
}

/*
 * Opened for writing where that is allowed, though nothing is written: the last one to close then folds the log of a
 * killed writer back and removes it; a read-only opener would leave its own side files behind.
 */
static int open_reader(struct kb_store *store, const char *name)
{
	struct stat facts;
	bool blank = false;
	int error;

	if (stat(store->path, &facts) && errno == ENOENT)
		return kb_sql_say(store, ENOENT, "no store %s yet; `kbench run` makes it", store->path);
	error = connect_file(store, name, SQLITE_OPEN_READWRITE);
	if (!error)
		error = identify(store, &blank);
	if (error == -EROFS || error == -EACCES)
		error = open_immutable(store, &blank);
	if (!error && blank)
		return kb_sql_say(store, ENOENT, "the store %s is empty; `kbench run` fills it", store->path);
	if (!error && sqlite3_exec(store->db, "PRAGMA query_only = ON", NULL, NULL, NULL) != SQLITE_OK)
		error = kb_sql_fail(store, "read");
	return error;
}

int kb_store_open(struct kb_store **result, const char *path, enum kb_store_mode mode)
{
	struct kb_store *store = *result = calloc(1, sizeof(*store));
	char *name;
	int error;

	if (!store)
		return -ENOMEM;
	store->mode = mode;
	store->path = path ? sqlite3_mprintf("%s", path) : default_path();
	kb_visible_copy(store->shown, sizeof store->shown, store->path ? store->path : "");
	if (!store->path || !*store->path)
		return kb_sql_say(store, ENOENT, "no place for the store: XDG_DATA_HOME and HOME are not set; give --store FILE");
	/* "./" keeps SQLite from giving ":memory:" or "file:x" a meaning of its own. */
	name = sqlite3_mprintf("%s%s", *store->path == '/' ? "" : "./", store->path);
	if (!name)
		return kb_sql_say(store, ENOMEM, "cannot open the store %s: out of memory", store->path);
	error = mode == KB_STORE_WRITE ? open_writer(store, name) : open_reader(store, name);
	sqlite3_free(name);
	return error;
}
