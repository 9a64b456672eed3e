/*
 * The engine of servers: PostgreSQL by libpq. What changes rows inside a transaction is sent without waiting for the answer of each (libpq's
 * pipeline), so that a run of some thousand rows takes a few round trips of the network; an error of it is told by the next question, or by
 * the end of the transaction. A lost connection is -ENOTCONN, and the transaction was done whole or not at all: whoever wrote asks again.
 */
#include "store/postgres.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/units.h"
#include "grown.h"
#include "io.h"

#define VALUES_MAX 40u
#define UNSEEN_MAX 128u                 /* their answers must fit into the connection's buffers while we do not read */
#define NUMBERS 256                     /* as the sequence counts: postgres_schema.c */

/* ---- errors ------------------------------------------------------------------------------------------------------ */

#define LOST "look whether the server runs"

/* By SQLSTATE, or its class of two letters. reason NULL: the server's own words. */
static const struct { const char *state; int error; const char *reason, *advice; } states[] = {
	{ "23505", EEXIST, "that is already in it", "nothing was changed" },
	{ "23503", ENOENT, "the run was removed by somebody else", "nothing was changed" },
	{ "42501", EACCES, NULL, "ask its owner for the role kbench_writer, or kbench_reader to read" },
	{ "25006", EROFS, NULL, "use a server that takes changes" },
	{ "53100", ENOSPC, NULL, "free some space on the server" },
	{ "53", EBUSY, NULL, "try again, or let its owner raise the limit" },
	{ "54", E2BIG, "the record is too large", "measure fewer samples a process" },
	{ "22", EILSEQ, NULL, "nothing was changed" },
	{ "40", EBUSY, "another process has what is wanted", "try again when that has ended" },
	{ "55P03", EBUSY, "another process has what is wanted", "try again when that has ended" },
	{ "42", EUCLEAN, NULL, "it has no tables of this version; its owner updates it with `kbench maintain --store`" },
	{ "XX", EUCLEAN, NULL, "it is damaged; restore a copy of it" },
	{ "57P", ENOTCONN, NULL, LOST },
	{ "08", ENOTCONN, NULL, LOST },
};

/* The first line of what libpq says, without "ERROR: ". */
static const char *first_line(const char *message, char *line, size_t room)
{
	const char *text = strncmp(message, "ERROR:", 6) == 0 || strncmp(message, "FATAL:", 6) == 0 ? message + 6 : message;

	text += strspn(text, " ");
	snprintf(line, room, "%.*s", (int)strcspn(text, "\n"), text);
	return line;
}

int kb_postgres_fail(struct kb_store *store, const char *verb, const PGresult *result)
{
	PGconn *link = kb_postgres_of(store)->link;
	const char *state = result ? PQresultErrorField(result, PG_DIAG_SQLSTATE) : NULL;
	char line[256];

	first_line(result ? PQresultErrorMessage(result) : PQerrorMessage(link), line, sizeof line);
	for (size_t i = 0; state && i < sizeof states / sizeof *states; i++) {
		if (strncmp(state, states[i].state, strlen(states[i].state)) == 0)
			return kb_sql_cannot(store, verb, states[i].error, states[i].reason ? states[i].reason : line, states[i].advice);
	}
	if (PQstatus(link) == CONNECTION_BAD)
		return kb_sql_cannot(store, verb, ENOTCONN, line[0] ? line : "the connection is lost", LOST);
	return kb_sql_cannot(store, verb, EIO, line, "try again");
}

/* ---- the pipeline ------------------------------------------------------------------------------------------------ */

/* After an error nobody knows which of them the server still has. */
static void forget_prepared(struct kb_postgres *server)
{
	while (server->prepared_count > 0)
		free(server->prepared[--server->prepared_count].sql);
}

/* Looks at all answers. *rows: the last one with rows, PQclear it; NULL: none wanted. */
static int look_at_answers(struct kb_store *store, const char *verb, PGresult **rows)
{
	struct kb_postgres *server = kb_postgres_of(store);
	PGresult *result;
	bool over = !PQpipelineSync(server->link);
	int error = over ? kb_postgres_fail(store, verb, NULL) : 0;

	server->unseen = 0;
	while (!over) {
		result = PQgetResult(server->link);
		if (!result && PQstatus(server->link) == CONNECTION_BAD)
			error = error ? error : kb_postgres_fail(store, verb, NULL);
		over = result ? PQresultStatus(result) == PGRES_PIPELINE_SYNC : PQstatus(server->link) == CONNECTION_BAD;
		if (PQresultStatus(result) == PGRES_FATAL_ERROR && result && !error)
			error = kb_postgres_fail(store, verb, result);
		if (rows && PQresultStatus(result) == PGRES_TUPLES_OK) {
			PQclear(*rows);
			*rows = result;
		} else {
			PQclear(result);
		}
	}
	if (error)
		forget_prepared(server);
	return error;
}

int kb_postgres_exec(struct kb_store *store, const char *sql)
{
	struct kb_postgres *server = kb_postgres_of(store);
	int error = server->unseen > 0 ? look_at_answers(store, "write", NULL) : 0;
	PGresult *result;

	if (error)
		return error;
	if (!PQexitPipelineMode(server->link))
		return kb_postgres_fail(store, "use", NULL);
	result = PQexec(server->link, sql);
	if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
		error = kb_postgres_fail(store, "write", result);
	/* The end of a transaction in which something failed is no error to the server. */
	else if (strcmp(sql, "COMMIT") == 0 && strcmp(PQcmdStatus(result), "COMMIT") != 0)
		error = kb_sql_cannot(store, "write", EIO, "something failed before", "nothing was changed");
	PQclear(result);
	return PQenterPipelineMode(server->link) || error ? error : kb_postgres_fail(store, "use", NULL);
}

static int exec(struct kb_store *store, const char *sql)
{
	struct kb_postgres *server = kb_postgres_of(store);
	int error = kb_postgres_exec(store, sql);

	server->in_transaction = PQtransactionStatus(server->link) != PQTRANS_IDLE && PQtransactionStatus(server->link) != PQTRANS_UNKNOWN;
	return error;
}

static bool in_transaction(struct kb_store *store)
{
	return kb_postgres_of(store)->in_transaction;
}

static void roll_back(struct kb_store *store)
{
	char line[sizeof store->error];

	memcpy(line, store->error, sizeof line);
	if (PQstatus(kb_postgres_of(store)->link) == CONNECTION_OK)
		exec(store, "ROLLBACK");
	kb_postgres_of(store)->in_transaction = false;
	memcpy(store->error, line, sizeof line);        /* of what went wrong before */
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

struct server_statement {
	struct kb_statement base;
	char *sql;
	unsigned count;
	char *values[VALUES_MAX];
	int lengths[VALUES_MAX], formats[VALUES_MAX];
	PGresult *rows;                 /* NULL: not executed */
	int row;
	unsigned char *blob;            /* of the column that was asked for last */
};

static struct server_statement *server_statement(struct kb_statement *statement)
{
	return (struct server_statement *)statement;
}

/* SQLite's "?" and "?1" are $1; it keeps the order of a CROSS JOIN and replaces what a trigger left, neither of which is wanted here. */
static char *translate(const char *sql)
{
	static const struct { const char *from, *to; } words[] = { { "CROSS JOIN ", "JOIN " }, { "INSERT OR REPLACE ", "INSERT " } };
	char *text = malloc(3 * strlen(sql) + 1), *at = text;
	unsigned number = 0;

	while (text && *sql) {
		const char *word = NULL;

		for (size_t i = 0; i < sizeof words / sizeof *words && !word; i++) {
			if (strncmp(sql, words[i].from, strlen(words[i].from)) == 0) {
				word = words[i].to;
				sql += strlen(words[i].from);
			}
		}
		if (word) {
			at = stpcpy(at, word);
		} else if (*sql == '?') {
			sql++;
			at += sprintf(at, "$%lu", *sql >= '1' && *sql <= '9' ? strtoul(sql, (char **)(void *)&sql, 10) : ++number);
		} else {
			*at++ = *sql++;
		}
	}
	if (text)
		*at = '\0';
	return text;
}

static int prepare(struct kb_store *store, struct kb_statement **result, const char *sql)
{
	struct server_statement *statement = calloc(1, sizeof *statement);

	*result = statement ? &statement->base : NULL;
	if (!statement)
		return kb_sql_out_of_memory(store);
	statement->base.store = store;
	statement->sql = translate(sql);
	return statement->sql ? 0 : kb_sql_out_of_memory(store);
}

/* The server takes UTF-8 alone: a byte that is none becomes '?', as on a terminal. */
static char *copy_text(const char *text)
{
	char *copy = strdup(text), *end = copy ? copy + strlen(copy) : NULL;

	for (char *at = copy; at < end;) {
		unsigned length = kb_character_at((struct kb_span){ at, (size_t)(end - at) }).length;

		if (length == 1 && (unsigned char)*at >= 0x80)
			*at = '?';
		at += length;
	}
	return copy;
}

static char *copy_value(const struct kb_sql_value *value)
{
	char number[32], *copy;

	switch (value->kind) {
	case KB_SQL_TEXT:
		return copy_text(value->bytes);
	case KB_SQL_BLOB:
		copy = malloc(value->length + 1);
		return copy ? memcpy(copy, value->bytes, value->length) : NULL;
	case KB_SQL_WHOLE:
		snprintf(number, sizeof number, "%lld", (long long)value->whole);
		return strdup(number);
	case KB_SQL_REAL:
		snprintf(number, sizeof number, "%.17g", value->real);
		return strdup(number);
	case KB_SQL_NULL:
		break;
	}
	return NULL;
}

static int bind(struct kb_statement *statement, unsigned index, const struct kb_sql_value *value)
{
	struct server_statement *to = server_statement(statement);
	unsigned at = index - 1;

	if (at >= VALUES_MAX)
		return kb_sql_say(statement->store, E2BIG, "a statement has more than %u values", VALUES_MAX);
	free(to->values[at]);
	to->values[at] = copy_value(value);
	to->lengths[at] = (int)value->length;
	to->formats[at] = value->kind == KB_SQL_BLOB;
	to->count = index > to->count ? index : to->count;
	return to->values[at] || value->kind == KB_SQL_NULL ? 0 : kb_sql_out_of_memory(statement->store);
}

/* The name under which the server has it prepared, or will have when it comes to it. */
static int name_prepared(struct kb_store *store, const char *sql, char name[16])
{
	struct kb_postgres *server = kb_postgres_of(store);
	unsigned number = 0;

	for (size_t i = 0; i < server->prepared_count && !number; i++)
		number = strcmp(server->prepared[i].sql, sql) == 0 ? server->prepared[i].name : 0;
	if (!number) {
		struct kb_pg_prepared made = { strdup(sql), ++server->names };

		if (!made.sql || !KB_GROW(server->prepared, server->prepared_count)) {
			free(made.sql);
			return kb_sql_out_of_memory(store);
		}
		server->prepared[server->prepared_count++] = made;
	}
	snprintf(name, 16, "kb%u", number ? number : server->names);
	return number || PQsendPrepare(server->link, name, sql, 0, NULL) ? 0 : kb_postgres_fail(store, "use", NULL);
}

static int send(struct server_statement *statement)
{
	struct kb_store *store = statement->base.store;
	struct kb_postgres *server = kb_postgres_of(store);
	char name[16];
	int error = name_prepared(store, statement->sql, name);

	if (error)
		return error;
	server->unseen++;
	return PQsendQueryPrepared(server->link, name, (int)statement->count, (const char *const *)statement->values, statement->lengths,
				   statement->formats, 0) ? 0 : kb_postgres_fail(store, "use", NULL);
}

/* All rows come at once: between two steps the connection is free for other questions. */
static int step(struct kb_statement *base)
{
	struct server_statement *statement = server_statement(base);
	int error;

	if (!statement->rows) {
		error = send(statement) ?: look_at_answers(base->store, base->store->mode == KB_STORE_READ ? "read" : "use", &statement->rows);
		if (error)
			return error;
		statement->row = -1;
	}
	return ++statement->row < PQntuples(statement->rows);
}

static int run(struct kb_statement *base)
{
	struct kb_postgres *server = kb_postgres_of(base->store);
	int error = send(server_statement(base));

	if (error || (server->in_transaction && server->unseen < UNSEEN_MAX))
		return error;
	return look_at_answers(base->store, "write", NULL);
}

static void reset(struct kb_statement *base)
{
	struct server_statement *statement = server_statement(base);

	PQclear(statement->rows);
	statement->rows = NULL;
}

static void finalize(struct kb_statement *base)
{
	struct server_statement *statement = server_statement(base);

	reset(base);
	for (unsigned i = 0; i < statement->count; i++)
		free(statement->values[i]);
	PQfreemem(statement->blob);
	free(statement->sql);
	free(statement);
}

static struct kb_sql_value column(struct kb_statement *base, unsigned index, enum kb_sql_kind wanted)
{
	struct server_statement *statement = server_statement(base);
	int at = (int)index;
	const char *text = PQgetvalue(statement->rows, statement->row, at);
	struct kb_sql_value value = { .kind = PQgetisnull(statement->rows, statement->row, at) ? KB_SQL_NULL : wanted };

	if (value.kind == KB_SQL_WHOLE) {
		value.whole = strtoll(text, NULL, 10);
	} else if (value.kind == KB_SQL_REAL) {
		value.real = strtod(text, NULL);
	} else if (value.kind == KB_SQL_TEXT) {
		value.bytes = text;
	} else if (value.kind == KB_SQL_BLOB) {
		PQfreemem(statement->blob);
		value.bytes = statement->blob = PQunescapeBytea((const unsigned char *)text, &value.length);
	}
	return value;
}

/* ---- what the engines do differently ------------------------------------------------------------------------------ */

static int has_table(struct kb_store *store, const char *name)
{
	int64_t is;

	return kb_sql_number(store, &is, "SELECT 1 FROM pg_tables WHERE schemaname = 'kbench' AND tablename = ?", "t", name);
}

/* Reserved in lots, so that adding a row asks nothing. */
static int64_t new_number(struct kb_store *store)
{
	struct kb_postgres *server = kb_postgres_of(store);
	int found = server->numbers > 0 ? 1 : kb_sql_number(store, &server->number, "SELECT nextval('number')", "");

	if (found < 0)
		return found;
	server->numbers = server->numbers > 0 ? server->numbers : NUMBERS;
	server->numbers--;
	return server->number++;
}

static int64_t last_number(struct kb_store *store)
{
	(void)store;
	return -EINVAL;
}

#define MONTH_TRIES 100

/* Waiting for its lock, the server gives up after a moment: it would stop all others, who may wait for us. Without its partitions a month's
   rows go to that of all others. */
static int ready_month(struct kb_store *store, const char *started)
{
	struct kb_postgres *server = kb_postgres_of(store);
	char month[sizeof server->month];
	int found = -EBUSY;

	snprintf(month, sizeof month, "%.7s", started);
	if (strcmp(month, server->month) == 0)
		return 0;
	for (int i = 0; found == -EBUSY && i < MONTH_TRIES; i++) {
		int64_t made;

		if (i > 0)
			kb_sleep_ns(100 * KB_MS);
		found = kb_sql_number(store, &made, "SELECT ready_month(?)::int", "t", month);
	}
	if (found == -ENOTCONN || found == -ENOMEM)
		return found;
	memcpy(server->month, month, sizeof month);
	return 0;
}

static int64_t bytes_of(struct kb_store *store)
{
	int64_t bytes = 0;

	kb_sql_number(store, &bytes, "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c"
		      " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = 'kbench' AND relkind = 'r'", "");
	return bytes;
}

static int free_bytes(struct kb_store *store, int64_t *bytes)
{
	(void)store;
	*bytes = 0;
	return 0;
}

static bool has_moved(struct kb_store *store)
{
	(void)store;
	return false;
}

static int mend(struct kb_store *store, bool *indexes)
{
	(void)store, (void)indexes;
	return 0;
}

static void close_server(struct kb_store *store)
{
	struct kb_postgres *server = kb_postgres_of(store);

	if (!server)
		return;
	forget_prepared(server);
	free(server->prepared);
	PQfinish(server->link);
	free(server);
}

const struct kb_engine kb_postgres_engine = {
	.prepare = prepare, .bind = bind, .step = step, .run = run, .reset = reset, .finalize = finalize, .column = column, .exec = exec,
	.in_transaction = in_transaction, .roll_back = roll_back, .has_table = has_table, .new_number = new_number, .last_number = last_number,
	.ready_month = ready_month, .bytes = bytes_of, .free_bytes = free_bytes, .compact = kb_postgres_compact, .close = close_server,
	.has_moved = has_moved, .mend = mend, .check_owner = kb_postgres_check_owner, .remove_doomed = kb_postgres_remove_doomed, .empty_months = kb_postgres_empty_months,
	.begin = "BEGIN", .make_doomed = kb_postgres_make_doomed, .by_month = true, .whole_answers = true, .remembers_run = true,
};
