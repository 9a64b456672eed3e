/* What every function of the store needs, whichever engine executes it: statements, transactions, and errors as -errno and one line. */
#include "store/sql.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "base/text.h"
#include "grown.h"
#include "places.h"

/* ---- errors ------------------------------------------------------------------------------------------------------ */

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
	{ ESTALE, "the file was removed or replaced meanwhile", "try again" },
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

int kb_sql_cannot(struct kb_store *store, const char *verb, int error, const char *reason, const char *advice)
{
	for (size_t i = 0; i < sizeof(advices) / sizeof(*advices); i++) {
		if (advices[i].error != error)
			continue;
		advice = advice ? advice : advices[i].advice;
		reason = reason ? reason : advices[i].reason;
	}
	return kb_sql_say(store, error, "cannot %s the store %s: %s; %s", verb, store->path, reason ? reason : strerror(error),
			  advice ? advice : "try again or give --store FILE");
}

int kb_sql_out_of_memory(struct kb_store *store)
{
	return kb_sql_say(store, ENOMEM, "cannot use the store %s: out of memory", store->path);
}

const char *kb_store_error(const struct kb_store *store)
{
	return store ? store->error : "out of memory; close other programs";
}

const char *kb_store_path(const struct kb_store *store)
{
	return store ? store->shown : "";
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

/* The next of the values that `type` names. */
static struct kb_sql_value next_value(char type, va_list *values)
{
	struct kb_sql_value value = { .kind = KB_SQL_WHOLE };

	switch (type) {
	case 't':
		value.kind = KB_SQL_TEXT;
		value.bytes = va_arg(*values, const char *) ?: "";
		break;
	case 'b':
		value.kind = KB_SQL_BLOB;
		value.bytes = va_arg(*values, const void *);
		value.length = va_arg(*values, size_t);
		break;
	case 'd':
		value.kind = KB_SQL_REAL;
		value.real = va_arg(*values, double);
		break;
	case 'u':
		value.whole = va_arg(*values, unsigned);
		break;
	default:
		value.whole = va_arg(*values, int64_t);
		value.kind = type == 'k' && !value.whole ? KB_SQL_NULL : KB_SQL_WHOLE;
	}
	return value;
}

static int prepare(struct kb_store *store, struct kb_statement **statement, const char *sql, const char *types, va_list values)
{
	va_list rest;
	int error;

	*statement = NULL;
	if (!sql)
		return kb_sql_out_of_memory(store);
	va_copy(rest, values);
	error = store->engine->prepare(store, statement, sql);
	for (unsigned i = 1; !error && *types; i++, types++) {
		struct kb_sql_value value = next_value(*types, &rest);

		error = kb_sql_bind(*statement, i, &value);
	}
	va_end(rest);
	if (error) {
		kb_sql_finalize(*statement);
		*statement = NULL;
	}
	return error;
}

int kb_sql_prepare(struct kb_store *store, struct kb_statement **statement, const char *sql, const char *types, ...)
{
	va_list values;
	int error;

	va_start(values, types);
	error = prepare(store, statement, sql, types, values);
	va_end(values);
	return error;
}

int kb_sql_bind(struct kb_statement *statement, unsigned index, const struct kb_sql_value *value)
{
	return statement->store->engine->bind(statement, index, value);
}

int kb_sql_step(struct kb_statement *statement)
{
	return statement->store->engine->step(statement);
}

void kb_sql_reset(struct kb_statement *statement)
{
	statement->store->engine->reset(statement);
}

void kb_sql_finalize(struct kb_statement *statement)
{
	if (statement)
		statement->store->engine->finalize(statement);
}

static struct kb_sql_value column_of(struct kb_statement *statement, unsigned column, enum kb_sql_kind wanted)
{
	return statement->store->engine->column(statement, column, wanted);
}

const char *kb_sql_text(struct kb_statement *statement, unsigned column)
{
	return column_of(statement, column, KB_SQL_TEXT).bytes ?: "";
}

int64_t kb_sql_whole(struct kb_statement *statement, unsigned column)
{
	return column_of(statement, column, KB_SQL_WHOLE).whole;
}

double kb_sql_real(struct kb_statement *statement, unsigned column)
{
	struct kb_sql_value value = column_of(statement, column, KB_SQL_REAL);

	return value.kind == KB_SQL_NULL ? NAN : value.real;
}

bool kb_sql_is_null(struct kb_statement *statement, unsigned column)
{
	return column_of(statement, column, KB_SQL_WHOLE).kind == KB_SQL_NULL;
}

const void *kb_sql_blob(struct kb_statement *statement, unsigned column, size_t *length)
{
	struct kb_sql_value value = column_of(statement, column, KB_SQL_BLOB);

	*length = value.length;
	return value.bytes;
}

int kb_sql_change(struct kb_store *store, const char *sql, const char *types, ...)
{
	struct kb_statement *statement;
	va_list values;
	int error;

	va_start(values, types);
	error = prepare(store, &statement, sql, types, values);
	va_end(values);
	if (error)
		return error;
	error = store->engine->run(statement);
	kb_sql_finalize(statement);
	return error;
}

int kb_sql_exec(struct kb_store *store, const char *sql)
{
	return sql ? store->engine->exec(store, sql) : kb_sql_out_of_memory(store);
}

int kb_sql_number(struct kb_store *store, int64_t *number, const char *sql, const char *types, ...)
{
	struct kb_statement *statement;
	va_list values;
	int found;

	va_start(values, types);
	found = prepare(store, &statement, sql, types, values) ?: kb_sql_step(statement);
	va_end(values);
	if (found > 0)
		*number = kb_sql_whole(statement, 0);
	kb_sql_finalize(statement);
	return found;
}

int kb_sql_has_table(struct kb_store *store, const char *name)
{
	return store->engine->has_table(store, name);
}

/* ---- rows one by one --------------------------------------------------------------------------------------------- */

struct numbers { int64_t *at; size_t count; };

/* The first column of all rows. Takes the statement; the caller frees numbers->at, also after an error. */
static int list_numbers(struct kb_store *store, struct kb_statement *statement, struct numbers *numbers)
{
	int found, error = 0;

	while (!error && (found = kb_sql_step(statement)) != 0) {
		if (found < 0)
			error = found;
		else if (!KB_GROW(numbers->at, numbers->count))
			error = kb_sql_out_of_memory(store);
		else
			numbers->at[numbers->count++] = kb_sql_whole(statement, 0);
	}
	kb_sql_finalize(statement);
	return error;
}

int kb_sql_each_row(struct kb_store *store, struct kb_statement *list, const char *sql, kb_sql_visit *visit, void *task)
{
	struct numbers numbers = { 0 };
	struct kb_statement *statement = NULL;
	int error = list_numbers(store, list, &numbers) ?: kb_sql_prepare(store, &statement, sql, "");

	for (size_t i = 0; !error && i < numbers.count; i++) {
		error = kb_sql_bind(statement, 1, &(struct kb_sql_value){ .kind = KB_SQL_WHOLE, .whole = numbers.at[i] }) ?:
			kb_sql_step(statement);
		if (error > 0)
			error = visit(statement, task);
		else
			kb_sql_reset(statement);        /* gone since we listed it, or unreadable */
	}
	kb_sql_finalize(statement);
	free(numbers.at);
	return error;
}

/* ---- transactions ------------------------------------------------------------------------------------------------ */

int kb_store_begin(struct kb_store *store)
{
	return kb_sql_exec(store, store->engine->begin);
}

int kb_store_end(struct kb_store *store, int error)
{
	if (!error)
		error = kb_sql_exec(store, "COMMIT");
	/* After some failures the engine has done so already. */
	if (error && store->engine->in_transaction(store))
		store->engine->roll_back(store);
	if (error)
		kb_sql_forget_run(store);
	return error;
}

int kb_sql_begin_alone(struct kb_store *store, const char *started, bool *alone)
{
	*alone = !store->engine->in_transaction(store);
	if (!*alone)
		return 0;
	return (started ? store->engine->ready_month(store, started) : 0) ?: kb_store_begin(store);
}

int kb_sql_end_alone(struct kb_store *store, bool alone, int error)
{
	return alone ? kb_store_end(store, error) : error;
}

/* ---- opening and closing ----------------------------------------------------------------------------------------- */

bool kb_store_is_remote(const char *path)
{
	return path && (strncmp(path, "postgresql://", 13) == 0 || strncmp(path, "postgres://", 11) == 0);
}

/* A word and "://": an address, if not one of ours. As a file it would be a mistake that nobody sees. */
static bool is_other_address(const char *path)
{
	size_t letters = path ? strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+") : 0;

	return letters > 0 && strncmp(path + letters, "://", 3) == 0 && !kb_store_is_remote(path);
}

bool kb_store_default_path(char path[PATH_MAX])
{
	return kb_data_directory(path, "kbench.db");
}

int kb_store_open(struct kb_store **result, const char *path, enum kb_store_mode mode)
{
	struct kb_store *store = *result = calloc(1, sizeof(*store));
	char usual[PATH_MAX];

	if (!store)
		return -ENOMEM;
	store->mode = mode;
	store->engine = kb_store_is_remote(path) ? &kb_postgres_engine : &kb_sqlite_engine;
	store->path = path || kb_store_default_path(usual) ? sqlite3_mprintf("%s", path ? path : usual) : NULL;
	kb_visible_copy(store->shown, sizeof store->shown, store->path ? store->path : "");
	if (path && !*path)
		return kb_sql_say(store, ENOENT, "the name of the store is empty; give --store FILE");
	if (is_other_address(path))
		return kb_sql_say(store, EINVAL, "the store's address %s begins with another word than postgresql://; a file of this name is ./%s", path,
				  path);
	if (!store->path || !*store->path)
		return kb_sql_say(store, ENOENT, "no place for the store: XDG_DATA_HOME and HOME are not set; give --store FILE");
	return kb_store_is_remote(path) ? kb_postgres_open(store) : kb_sqlite_open(store);
}

void kb_store_close(struct kb_store *store)
{
	if (!store)
		return;
	store->engine->close(store);
	kb_sql_forget_run(store);
	sqlite3_free(store->path);
	free(store);
}

/* ---- the run that is added to ------------------------------------------------------------------------------------ */

static int refuse_unknown(struct kb_store *store, const char *run_id)
{
	return kb_sql_say(store, ENOENT, "no run %s in the store %s; see `kbench runs`", run_id, store->path);
}

int kb_sql_run_number(struct kb_store *store, const char *run_id, int64_t *number)
{
	int found = kb_sql_number(store, number, "SELECT number FROM run WHERE id = ?", "t", run_id);

	return found > 0 ? 0 : found < 0 ? found : refuse_unknown(store, run_id);
}

void kb_sql_forget_run(struct kb_store *store)
{
	json_decref(store->last.env);
	store->last = (struct kb_run_place){ .number = 0 };
}

static void fill_place(struct kb_store *store, const char *id, int64_t number, const char *started, const char *environment, const char *env)
{
	struct kb_run_place *last = &store->last;

	kb_sql_forget_run(store);
	kb_visible_copy(last->id, sizeof last->id, id);
	kb_visible_copy(last->started, sizeof last->started, started);
	kb_visible_copy(last->environment, sizeof last->environment, environment);
	last->number = number;
	last->env = json_loads(env, 0, NULL);
}

void kb_sql_remember_run(struct kb_store *store, const struct kb_stored_run *run, int64_t number)
{
	if (store->engine->remembers_run)
		fill_place(store, run->id, number, run->started, run->env_class, run->env);
}

int kb_sql_run_place(struct kb_store *store, const char *run_id, const struct kb_run_place **place)
{
	struct kb_statement *statement;
	int found;

	*place = &store->last;
	if (store->engine->remembers_run && store->last.number && strcmp(store->last.id, run_id) == 0)
		return 0;
	found = kb_sql_prepare(store, &statement, "SELECT number, started, env_class, env FROM run WHERE id = ?", "t", run_id);
	if (found)
		return found;
	found = kb_sql_step(statement);
	if (found > 0)
		fill_place(store, run_id, kb_sql_whole(statement, 0), kb_sql_text(statement, 1), kb_sql_text(statement, 2), kb_sql_text(statement, 3));
	kb_sql_finalize(statement);
	return found > 0 ? 0 : found < 0 ? found : refuse_unknown(store, run_id);
}
