/*
 * The engine of files. SQLite reports the same mishap under several codes and leaves a stale errno behind, so a refused file is looked
 * at again here instead of trusting what it left.
 */
#include "store/sqlite.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* Whether new files may be made next to the store: its journal lives there. */
static int directory_refusal(const char *path)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX] = ".";

	if (slash && (size_t)(slash - path) + 1 < sizeof(directory)) {
		memcpy(directory, path, (size_t)(slash - path) + 1);
		directory[slash - path + 1] = '\0';
	}
	return access(directory, W_OK) ? errno : 0;
}

static int refusal(const struct kb_store *store)
{
	struct stat facts;
	int refused;

	if (stat(store->path, &facts)) {
		/* A new file: what keeps it from being made is the directory's answer, if it has one. */
		refused = errno;
		return refused == ENOENT && directory_refusal(store->path) ? directory_refusal(store->path) : refused;
	}
	if (S_ISDIR(facts.st_mode))
		return EISDIR;
	if (access(store->path, store->mode == KB_STORE_READ ? R_OK : R_OK | W_OK))
		return errno;
	refused = directory_refusal(store->path);
	return refused ? refused : EROFS;
}

/* What the system said to the failed reading or writing. Commits write the log and keep its errno with that file
   only, where sqlite3_system_errno() does not look. */
static int io_errno(const struct kb_store *store)
{
	sqlite3_file *log = NULL;
	int error = 0;

	sqlite3_file_control(kb_sqlite_db(store), "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (log && log->pMethods)
		log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
	if (!error)
		sqlite3_file_control(kb_sqlite_db(store), "main", SQLITE_FCNTL_LAST_ERRNO, &error);
	if (!error)
		error = sqlite3_system_errno(kb_sqlite_db(store));
	return error ? error : EIO;
}

static int io_error(const struct kb_store *store)
{
	switch (sqlite3_extended_errcode(kb_sqlite_db(store))) {
	case SQLITE_IOERR_SHORT_READ:
	case SQLITE_IOERR_CORRUPTFS:
		return EUCLEAN;
	case SQLITE_IOERR_NOMEM:
		return ENOMEM;
	}
	return io_errno(store);
}

static int error_of(const struct kb_store *store)
{
	if (sqlite3_extended_errcode(kb_sqlite_db(store)) == SQLITE_READONLY_DBMOVED)
		return ESTALE;
	switch (sqlite3_errcode(kb_sqlite_db(store)) & 0xff) {
	case SQLITE_FULL:
		return ENOSPC;
	case SQLITE_CANTOPEN:
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH:
		return refusal(store);
	case SQLITE_ERROR:              /* our statements are right, so a table or column must be missing */
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
		return EUCLEAN;
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return EBUSY;
	case SQLITE_CONSTRAINT:
		return EEXIST;
	case SQLITE_TOOBIG:
		return E2BIG;
	case SQLITE_NOMEM:
		return ENOMEM;
	}
	return io_error(store);
}

int kb_sqlite_fail(struct kb_store *store, const char *verb)
{
	return kb_sql_cannot(store, verb, error_of(store), NULL, NULL);
}

int kb_sqlite_refused(struct kb_store *store, const char *verb)
{
	return kb_sql_cannot(store, verb, refusal(store), NULL, NULL);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

struct file_statement { struct kb_statement base; sqlite3_stmt *stmt; };

static sqlite3_stmt *stmt_of(struct kb_statement *statement)
{
	return ((struct file_statement *)statement)->stmt;
}

static int prepare(struct kb_store *store, struct kb_statement **result, const char *sql)
{
	struct file_statement *statement = calloc(1, sizeof *statement);

	*result = statement ? &statement->base : NULL;
	if (!statement)
		return kb_sql_out_of_memory(store);
	statement->base.store = store;
	return sqlite3_prepare_v2(kb_sqlite_db(store), sql, -1, &statement->stmt, NULL) == SQLITE_OK ? 0 : kb_sqlite_fail(store, "use");
}

static int bind(struct kb_statement *statement, unsigned index, const struct kb_sql_value *value)
{
	sqlite3_stmt *stmt = stmt_of(statement);
	int status = SQLITE_MISUSE, at = (int)index;

	switch (value->kind) {
	case KB_SQL_NULL:
		status = sqlite3_bind_null(stmt, at);
		break;
	case KB_SQL_WHOLE:
		status = sqlite3_bind_int64(stmt, at, value->whole);
		break;
	case KB_SQL_REAL:
		status = sqlite3_bind_double(stmt, at, value->real);
		break;
	case KB_SQL_TEXT:
		status = sqlite3_bind_text(stmt, at, value->bytes, -1, SQLITE_TRANSIENT);
		break;
	case KB_SQL_BLOB:
		status = sqlite3_bind_blob64(stmt, at, value->bytes, value->length, SQLITE_TRANSIENT);
		break;
	}
	return status == SQLITE_OK ? 0 : kb_sqlite_fail(statement->store, "use");
}

static int step(struct kb_statement *statement)
{
	sqlite3_stmt *stmt = stmt_of(statement);

	switch (sqlite3_step(stmt)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	}
	return kb_sqlite_fail(statement->store, sqlite3_stmt_readonly(stmt) ? "read" : "write");
}

static int run(struct kb_statement *statement)
{
	int found = step(statement);

	return found < 0 ? found : 0;
}

static void reset(struct kb_statement *statement)
{
	sqlite3_reset(stmt_of(statement));
}

static void finalize(struct kb_statement *statement)
{
	sqlite3_finalize(stmt_of(statement));
	free(statement);
}

/* In the kind that is wanted: what a file holds may be of another one. */
static struct kb_sql_value column(struct kb_statement *statement, unsigned index, enum kb_sql_kind wanted)
{
	sqlite3_stmt *stmt = stmt_of(statement);
	int at = (int)index;
	struct kb_sql_value value = { .kind = sqlite3_column_type(stmt, at) == SQLITE_NULL ? KB_SQL_NULL : wanted };

	if (wanted == KB_SQL_WHOLE)
		value.whole = sqlite3_column_int64(stmt, at);
	else if (wanted == KB_SQL_REAL)
		value.real = sqlite3_column_double(stmt, at);
	else
		value.bytes = wanted == KB_SQL_TEXT ? (const void *)sqlite3_column_text(stmt, at) : sqlite3_column_blob(stmt, at);
	if (wanted == KB_SQL_BLOB)
		value.length = (size_t)sqlite3_column_bytes(stmt, at);
	return value;
}

static int exec(struct kb_store *store, const char *sql)
{
	return sqlite3_exec(kb_sqlite_db(store), sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : kb_sqlite_fail(store, "write");
}

static bool in_transaction(struct kb_store *store)
{
	return !sqlite3_get_autocommit(kb_sqlite_db(store));
}

static void roll_back(struct kb_store *store)
{
	sqlite3_exec(kb_sqlite_db(store), "ROLLBACK", NULL, NULL, NULL);
}

static int has_table(struct kb_store *store, const char *name)
{
	int64_t is;

	return kb_sql_number(store, &is, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", "t", name);
}

static int64_t new_number(struct kb_store *store)
{
	(void)store;
	return 0;
}

static int64_t last_number(struct kb_store *store)
{
	return sqlite3_last_insert_rowid(kb_sqlite_db(store));
}

static int ready_month(struct kb_store *store, const char *started)
{
	(void)store, (void)started;
	return 0;
}

/* ---- many runs ---------------------------------------------------------------------------------------------------- */

static int check_owner(struct kb_store *store)
{
	(void)store;
	return 0;
}

/* Their columns go with their JSON. */
static int remove_doomed(struct kb_store *store)
{
	return exec(store, "DELETE FROM launch WHERE run IN (SELECT number FROM doomed); DELETE FROM summary WHERE run IN (SELECT number FROM doomed);"
		    "DELETE FROM run WHERE number IN (SELECT number FROM doomed)");
}

static int empty_months(struct kb_store *store, const char *before)
{
	(void)store, (void)before;
	return 0;
}

/* ---- space ------------------------------------------------------------------------------------------------------- */

static int64_t file_bytes(const char *path, const char *suffix)
{
	char *name = sqlite3_mprintf("%s%s", path, suffix);
	struct stat facts;
	int64_t bytes = name && stat(name, &facts) == 0 ? facts.st_size : 0;

	sqlite3_free(name);
	return bytes;
}

static int64_t bytes_of(struct kb_store *store)
{
	return file_bytes(store->path, "") + file_bytes(store->path, "-wal");
}

static int free_bytes(struct kb_store *store, int64_t *bytes)
{
	int found = kb_sql_number(store, bytes, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size", "");

	return found < 0 ? found : 0;
}

/* VACUUM writes the pages that are in use to the log first, so a kill or a full disk leaves the file as it was. Until the log is folded back the
   file does not shrink; a reader that looks at an old page keeps it from that, and the last one to close does it then. */
static int compact(struct kb_store *store)
{
	return exec(store, "VACUUM") ?: exec(store, "PRAGMA wal_checkpoint(TRUNCATE)");
}

static bool is_open_here(const struct stat *file)
{
	DIR *descriptors = opendir("/proc/self/fd");
	const struct dirent *entry;
	struct stat other;
	bool found = false;

	while (descriptors && !found && (entry = readdir(descriptors)) != NULL)
		found = fstatat(dirfd(descriptors), entry->d_name, &other, 0) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
	if (descriptors)
		closedir(descriptors);
	return found;
}

/* Whoever opens the file that has our name now would take our log for its, and apply it. We have it open and can still read it. */
static void unlink_own(const struct kb_store *store, const char *suffix)
{
	char *name = sqlite3_mprintf("%s%s", sqlite3_db_filename(kb_sqlite_db(store), "main"), suffix);
	struct stat facts;

	if (name && stat(name, &facts) == 0 && is_open_here(&facts))
		unlink(name);
	sqlite3_free(name);
}

/* Its name leads elsewhere or nowhere. We go on writing to what we opened, which nobody else will ever read. */
static bool has_moved(struct kb_store *store)
{
	int moved = 0;

	if (sqlite3_file_control(kb_sqlite_db(store), "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || !moved)
		return false;
	unlink_own(store, "-wal");
	unlink_own(store, "-shm");
	return true;
}

/* The first thing that is wrong, "ok" or "" if it could not be asked. */
static int check_file(struct kb_store *store, char line[200])
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, "PRAGMA integrity_check(1)", "") ?: kb_sql_step(statement);

	kb_visible_copy(line, 200, found > 0 ? kb_sql_text(statement, 0) : "");
	kb_sql_finalize(statement);
	return found < 0 ? found : strcmp(line, "ok") != 0;
}

static int mend(struct kb_store *store, bool *indexes)
{
	char line[200];
	int found = check_file(store, line);

	*indexes = found > 0;
	if (found > 0)
		found = exec(store, "REINDEX") ?: check_file(store, line);
	line[strcspn(line, "\n")] = '\0';
	return found > 0 ? kb_sql_cannot(store, "mend", EUCLEAN, line, NULL) : found;
}

static void close_file(struct kb_store *store)
{
	sqlite3_close(kb_sqlite_db(store));
}

const struct kb_engine kb_sqlite_engine = {
	.prepare = prepare, .bind = bind, .step = step, .run = run, .reset = reset, .finalize = finalize, .column = column, .exec = exec,
	.in_transaction = in_transaction, .roll_back = roll_back, .has_table = has_table, .new_number = new_number, .last_number = last_number,
	.ready_month = ready_month, .bytes = bytes_of, .free_bytes = free_bytes, .compact = compact, .close = close_file,
	.has_moved = has_moved, .mend = mend, .check_owner = check_owner, .remove_doomed = remove_doomed, .empty_months = empty_months,
	.make_doomed = "CREATE TEMP TABLE doomed (number INTEGER PRIMARY KEY, started TEXT NOT NULL)",
	/* So that the lock is had, or waited for, at once: not in the middle of what then would have to be begun again. */
	.begin = "BEGIN IMMEDIATE",
};
