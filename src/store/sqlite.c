/*
 * What every function of the store needs of SQLite: statements, and errors turned into -errno and one line.
 * SQLite reports the same mishap under several codes and leaves a stale errno behind, so a refused file is looked
 * at again here instead of trusting what it left.
 */
#include "store/sqlite.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

/* reason NULL: the system's own words. */
static const struct advice {
	int error;
	const char *reason, *advice;
} advices[] = {
	{ ENOSPC, NULL, "free some space or give --store FILE" },
	{ EDQUOT, NULL, "free some space or give --store FILE" },
	{ EFBIG, NULL, "raise the file size limit (ulimit -f) or give --store FILE" },
	{ EROFS, NULL, "make it writable or give --store FILE" },
	{ EACCES, NULL, "get permission for it and its directory or give --store FILE" },
	{ EPERM, NULL, "get permission for it and its directory or give --store FILE" },
	{ EISDIR, "it is a directory", "give --store FILE" },
	{ EUCLEAN, "it is damaged or not a store", "move it away, or rescue what it holds with `sqlite3 FILE .recover`" },
	{ EBUSY, "another process keeps it locked", "try again when that has ended" },
	{ EEXIST, "that is already in it", "nothing was changed" },
	{ E2BIG, "the record is too large", "measure fewer samples a process" },
	{ ENOMEM, NULL, "close other programs" },
};

int kb_sql_say(struct kb_store *store, int error, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	vsnprintf(store->error, sizeof(store->error), format, values);
	va_end(values);
	kb_make_visible(store->error, '?'); /* a path may hold a newline, and the promise is one line */
	return -error;
}

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

	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (log && log->pMethods)
		log->pMethods->xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &error);
	if (!error)
		sqlite3_file_control(store->db, "main", SQLITE_FCNTL_LAST_ERRNO, &error);
	if (!error)
		error = sqlite3_system_errno(store->db);
	return error ? error : EIO;
}

static int io_error(const struct kb_store *store)
{
	switch (sqlite3_extended_errcode(store->db)) {
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
	switch (sqlite3_errcode(store->db) & 0xff) {
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

static int fail_with_advice(struct kb_store *store, const char *verb, int error)
{
	const char *reason = strerror(error), *advice = "try again or give --store FILE";

	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++) {
		if (advices[i].error != error)
			continue;
		advice = advices[i].advice;
		if (advices[i].reason)
			reason = advices[i].reason;
	}
	return kb_sql_say(store, error, "cannot %s the store %s: %s; %s", verb, store->path, reason, advice);
}

int kb_sql_fail(struct kb_store *store, const char *verb)
{
	return fail_with_advice(store, verb, error_of(store));
}

int kb_sql_refused(struct kb_store *store, const char *verb)
{
	return fail_with_advice(store, verb, refusal(store));
}

int kb_sql_exec(struct kb_store *store, const char *sql)
{
	if (!sql)
		return fail_with_advice(store, "use", ENOMEM);
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : kb_sql_fail(store, "write");
}

int kb_store_begin(struct kb_store *store)
{
	return kb_sql_exec(store, "BEGIN IMMEDIATE");
}

int kb_store_end(struct kb_store *store, int error)
{
	if (!error)
		error = kb_sql_exec(store, "COMMIT");
	/* After some failures SQLite has done so already. */
	if (error && !sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

static int bind_values(sqlite3_stmt *statement, const char *types, va_list values)
{
	int status = SQLITE_OK;
	const char *text;

	for (int i = 1; *types && status == SQLITE_OK; i++, types++) {
		switch (*types) {
		case 't':
			text = va_arg(values, const char *);
			status = sqlite3_bind_text(statement, i, text ? text : "", -1, SQLITE_TRANSIENT);
			break;
		case 'i':
			status = sqlite3_bind_int64(statement, i, va_arg(values, int64_t));
			break;
		case 'u':
			status = sqlite3_bind_int64(statement, i, va_arg(values, unsigned));
			break;
		case 'd':
			status = sqlite3_bind_double(statement, i, va_arg(values, double));
			break;
		}
	}
	return status;
}

static int prepare(struct kb_store *store, sqlite3_stmt **statement, const char *sql, const char *types, va_list values)
{
	int status = sql ? sqlite3_prepare_v2(store->db, sql, -1, statement, NULL) : SQLITE_NOMEM, error = 0;

	if (!sql)
		*statement = NULL;
	if (status == SQLITE_OK)
		status = bind_values(*statement, types, values);
	if (status != SQLITE_OK) {
		error = sql ? kb_sql_fail(store, "use") : fail_with_advice(store, "use", ENOMEM);
		sqlite3_finalize(*statement);
		*statement = NULL;
	}
	return error;
}

int kb_sql_prepare(struct kb_store *store, sqlite3_stmt **statement, const char *sql, const char *types, ...)
{
	va_list values;
	int error;

	va_start(values, types);
	error = prepare(store, statement, sql, types, values);
	va_end(values);
	return error;
}

int kb_sql_step(struct kb_store *store, sqlite3_stmt *statement)
{
	switch (sqlite3_step(statement)) {
	case SQLITE_ROW:
		return 1;
	case SQLITE_DONE:
		return 0;
	}
	return kb_sql_fail(store, sqlite3_stmt_readonly(statement) ? "read" : "write");
}

int kb_sql_run(struct kb_store *store, sqlite3_stmt *statement)
{
	int error = kb_sql_step(store, statement);

	sqlite3_finalize(statement);
	return error;
}

int kb_sql_change(struct kb_store *store, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list values;
	int error;

	va_start(values, types);
	error = prepare(store, &statement, sql, types, values);
	va_end(values);
	return error ?: kb_sql_run(store, statement);
}

int kb_sql_number(struct kb_store *store, int64_t *number, const char *sql, const char *types, ...)
{
	sqlite3_stmt *statement;
	va_list values;
	int found;

	va_start(values, types);
	found = prepare(store, &statement, sql, types, values) ?: kb_sql_step(store, statement);
	va_end(values);
	if (found > 0)
		*number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return found;
}

int kb_sql_run_number(struct kb_store *store, const char *run_id, int64_t *number)
{
	int found = kb_sql_number(store, number, "SELECT number FROM run WHERE id = ?", "t", run_id);

	if (found)
		return found < 0 ? found : 0;
	return kb_sql_say(store, ENOENT, "no run %s in the store %s; see `kbench runs`", run_id, store->path);
}

void kb_store_close(struct kb_store *store)
{
	if (!store)
		return;
	sqlite3_close(store->db);
	sqlite3_free(store->path);
	free(store);
}

const char *kb_store_error(const struct kb_store *store)
{
	return store ? store->error : "out of memory; close other programs";
}

const char *kb_store_path(const struct kb_store *store)
{
	return store ? store->shown : "";
}

int kb_sql_has_table(struct kb_store *store, const char *name)
{
	int64_t is;

	return kb_sql_number(store, &is, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", "t", name);
}
