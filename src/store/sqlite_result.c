/*
 * Results as columns, and the questions that these answer. Their JSON stays where it is, in the table `summary` of schema 1: `result` has
 * short rows and indexes, so that a question about a million results reads some pages. Each row has a checksum over all it states, the
 * JSON's among it: what a disk or another program changed is told, and never shown as a number.
 */
#include "store/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text.h"
#include "base/verdict.h"
#include "store/sqlite.h"

enum kind { TEXT, REAL, WHOLE };

#define AT(member) offsetof(struct kb_stored_result, member), sizeof ((struct kb_stored_result *)0)->member

static const struct column { const char *name; enum kind kind; size_t at, room; } columns[] = {
	{ "run", WHOLE, AT(run) },
	{ "position", WHOLE, AT(position) },
	{ "benchmark", TEXT, AT(benchmark) },
	{ "parameters", TEXT, AT(parameters) },
	{ "environment", TEXT, AT(environment) },
	{ "started", TEXT, AT(started) },
	{ "value", REAL, AT(estimate.value) },
	{ "low", REAL, AT(estimate.low) },
	{ "high", REAL, AT(estimate.high) },
	{ "cycles", REAL, AT(cycles.value) },
	{ "cycles_low", REAL, AT(cycles.low) },
	{ "cycles_high", REAL, AT(cycles.high) },
	{ "ratio", REAL, AT(ratio.value) },
	{ "ratio_low", REAL, AT(ratio.low) },
	{ "ratio_high", REAL, AT(ratio.high) },
	{ "quiet", REAL, AT(quiet) },
	{ "sample_ns", REAL, AT(sample_ns) },
	{ "n_max", WHOLE, AT(n_max) },
	{ "processes", WHOLE, AT(processes) },
	{ "unit", TEXT, AT(unit) },
	{ "per", TEXT, AT(per) },
	{ "clock", TEXT, AT(clock) },
	{ "method", TEXT, AT(method) },
	{ "bound", TEXT, AT(bound) },
	{ "headline", TEXT, AT(headline) },
	{ "status", TEXT, AT(status) },
	{ "json_sum", WHOLE, AT(json_sum) },
};

#define COLUMNS (sizeof columns / sizeof *columns)

/* `each` is the format of a column's name. sqlite3_free it. */
static char *list_columns(const char *before, const char *each, const char *after)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, before);
	for (size_t i = 0; i < COLUMNS; i++)
		sqlite3_str_appendf(text, each, columns[i].name);
	sqlite3_str_appendall(text, after);
	return sqlite3_str_finish(text);
}

/* Also of the place where the JSON is: a row that was put into another's place tells of something else. */
static int64_t checksum(const struct kb_stored_result *result)
{
	uLong sum = crc32(0, (const Bytef *)&result->number, sizeof result->number);

	for (size_t i = 0; i < COLUMNS; i++) {
		const char *at = (const char *)result + columns[i].at;

		sum = crc32(sum, (const Bytef *)at, (uInt)(columns[i].kind == TEXT ? strlen(at) + 1 : columns[i].room));
	}
	return (int64_t)sum;
}

/* "" for NULL, which only a damaged file holds. */
static const char *text_at(sqlite3_stmt *statement, int column)
{
	const char *text = (const char *)sqlite3_column_text(statement, column);

	return text ? text : "";
}

static int64_t sum_of(const char *json)
{
	return (int64_t)crc32(0, (const Bytef *)json, (uInt)strlen(json));
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* "benchmark name=value ...", as kb_sql_row_name gives it. */
static void set_name(struct kb_stored_result *result, const char *row)
{
	struct kb_span rest = { row, strlen(row) }, benchmark = kb_span_word(&rest);
	struct kb_text text = kb_text_in(result->benchmark, sizeof result->benchmark);

	kb_text_bytes(&text, benchmark.at, benchmark.length);
	kb_make_visible(result->benchmark, '?'); /* where it was cut */
	kb_visible_copy(result->parameters, sizeof result->parameters, rest.at + strspn(rest.at, " "));
}

/* What a column holds comes back as it is: SQLite knows one NULL, and no zero below zero. */
static int bind_columns(struct kb_store *store, sqlite3_stmt *statement, struct kb_stored_result *result)
{
	int status = sqlite3_bind_int64(statement, 1, result->number);

	for (size_t i = 0; i < COLUMNS && status == SQLITE_OK; i++) {
		char *at = (char *)result + columns[i].at;
		double *real = (double *)(void *)at;

		if (columns[i].kind == TEXT) {
			status = sqlite3_bind_text(statement, (int)i + 2, at, -1, SQLITE_STATIC);
		} else if (columns[i].kind == WHOLE) {
			status = sqlite3_bind_int64(statement, (int)i + 2, *(int64_t *)(void *)at);
		} else {
			*real = isnan(*real) ? NAN : *real + 0.0;
			status = isnan(*real) ? sqlite3_bind_null(statement, (int)i + 2) : sqlite3_bind_double(statement, (int)i + 2, *real);
		}
	}
	if (status == SQLITE_OK)
		status = sqlite3_bind_int64(statement, (int)COLUMNS + 2, checksum(result));
	return status == SQLITE_OK ? 0 : kb_sql_fail(store, "write");
}

/* What its JSON states, and whose it is. JSON that no result can be read from leaves columns that state nothing. */
static int fill_columns(struct kb_store *store, struct kb_stored_result *result, const char *row, const char *json, const char *environment,
			const json_t *env)
{
	char *name;
	int error = kb_sql_row_name(store, row, &name);

	if (error)
		return error;
	set_name(result, name);
	free(name);
	kb_stored_result_read(result, json, env);
	result->json_sum = sum_of(json);
	if (!result->environment[0])
		kb_visible_copy(result->environment, sizeof result->environment, environment);
	return 0;
}

/* All that `from` gives: number, run, position, row, JSON, and of the run its start, environment ID and environment. Takes the statement. */
static int insert_columns(struct kb_store *store, sqlite3_stmt *from)
{
	char *sql = list_columns("INSERT OR REPLACE INTO result VALUES (?", ", ?", ", ?)");
	sqlite3_stmt *to;
	int64_t env_run = 0;
	json_t *env = NULL;
	int found, error = kb_sql_prepare(store, &to, sql, "");

	sqlite3_free(sql);
	while (!error && (found = kb_sql_step(store, from)) != 0) {
		struct kb_stored_result result = {
			.number = sqlite3_column_int64(from, 0), .run = sqlite3_column_int64(from, 1), .position = sqlite3_column_int64(from, 2),
		};

		if (found < 0) {
			error = found;
			break;
		}
		/* Results of a run stand together. */
		if (result.run != env_run) {
			json_decref(env);
			env = json_loads(text_at(from, 7), 0, NULL);
			env_run = result.run;
		}
		kb_visible_copy(result.started, sizeof result.started, text_at(from, 5));
		error = fill_columns(store, &result, text_at(from, 3), text_at(from, 4), text_at(from, 6), env) ?:
			bind_columns(store, to, &result) ?: kb_sql_step(store, to);
		sqlite3_reset(to);
	}
	json_decref(env);
	sqlite3_finalize(to);
	sqlite3_finalize(from);
	return error;
}

#define FROM_SUMMARIES \
	"SELECT summary.number, run, position, row, json, run.started, run.env_class, run.env FROM summary CROSS JOIN run ON run.number = summary.run"

int kb_store_put_result(struct kb_store *store, const char *run_id, const char *row, unsigned order, const char *json)
{
	bool alone = sqlite3_get_autocommit(store->db);
	sqlite3_stmt *statement;
	int64_t run, number = 0;
	int error = kb_sql_run_number(store, run_id, &run) ?: (alone ? kb_store_begin(store) : 0);

	if (error)
		return error;
	error = kb_sql_number(store, &number, "INSERT INTO summary (run, row, position, json) VALUES (?, ?, ?, ?)"
			      " ON CONFLICT (run, row) DO UPDATE SET position = excluded.position, json = excluded.json"
			      " RETURNING number", "itut", run, row, order, json);
	if (error >= 0)
		error = kb_sql_prepare(store, &statement, FROM_SUMMARIES " WHERE summary.number = ?", "i", number) ?:
			insert_columns(store, statement);
	return alone ? kb_store_end(store, error) : error;
}

int kb_store_drop_results(struct kb_store *store, const char *run_id)
{
	int64_t run;

	/* Their columns go with them. */
	if (!run_id)
		return kb_sql_exec(store, "DELETE FROM summary");
	return kb_sql_run_number(store, run_id, &run) ?: kb_sql_change(store, "DELETE FROM summary WHERE run = ?", "i", run);
}

/* ---- the tables ------------------------------------------------------------------------------------------------ */

/* What is asked of all runs of an environment, or of each run that a history passes, must not need their settings: the list of a
   thousand rows. Of damaged settings nothing is known. */
#define RUN_FACTS \
	"INSERT OR REPLACE INTO run_facts SELECT number, started, env_class," \
	" iif(json_type(json, '$.cpus[0]') = 'integer', json_extract(json, '$.cpus[0]'), -1), json_type(json, '$.ab') IS NOT NULL," \
	" iif(json_type(json, '$.tool') = 'text', json_extract(json, '$.tool'), '')" \
	" FROM (SELECT *, iif(json_valid(settings), settings, '{}') AS json FROM run)"

int kb_sql_add_run_facts(struct kb_store *store, const char *run_id)
{
	return kb_sql_change(store, RUN_FACTS " WHERE id = ?", "t", run_id);
}

/* Runs the statements and frees them. */
static int run_made(struct kb_store *store, char *sql)
{
	int error = kb_sql_exec(store, sql);

	sqlite3_free(sql);
	return error;
}

int kb_sql_make_columns(struct kb_store *store, bool temp)
{
	const char *schema = temp ? "temp." : "";
	char *before = sqlite3_mprintf("CREATE TABLE %sresult (number INTEGER PRIMARY KEY REFERENCES summary ON DELETE CASCADE", schema);
	char *after = sqlite3_mprintf(", checksum);"
		"CREATE TABLE %srun_facts (run INTEGER PRIMARY KEY REFERENCES run ON DELETE CASCADE, started, environment, cpu, side, tool);", schema);
	sqlite3_stmt *statement;
	/* What is kept in memory cannot refer to the file. */
	int error = temp ? kb_sql_exec(store, "PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = OFF") : 0;

	error = error ?: run_made(store, before && after ? list_columns(before, ", %s", after) : NULL);
	sqlite3_free(before);
	sqlite3_free(after);
	error = error ?: kb_sql_prepare(store, &statement, FROM_SUMMARIES, "") ?: insert_columns(store, statement);
	/* Indexes last: they are made faster of all rows at once. */
	return error ?: kb_sql_exec(store, RUN_FACTS) ?: run_made(store, sqlite3_mprintf(
		"CREATE INDEX %sresult_of_run ON result (run, position);"
		"CREATE INDEX %sresult_series ON result (benchmark, parameters, started, environment);"
		"CREATE INDEX %srun_alike ON run_facts (environment, cpu, side, started);", schema, schema, schema));
}

/* In schema 2 all results had the environment ID of their run, which only of Linux is that of what was measured. */
int kb_sql_fill_environments(struct kb_store *store)
{
	sqlite3_stmt *statement;

	return kb_sql_prepare(store, &statement, FROM_SUMMARIES " WHERE summary.row GLOB 'sel4*'"
			      " AND summary.number IN (SELECT number FROM result WHERE status <> '')", "") ?: insert_columns(store, statement);
}

/* ---- questions ------------------------------------------------------------------------------------------------- */

struct kb_query { struct kb_store *store; sqlite3_stmt *statement; };

#define SELECT "SELECT result.number"
/* Joined in the order in which they stand: without statistics SQLite might begin with all runs. */
#define FROM(source) \
	", checksum, run.id, label, tool, cpu FROM " source " CROSS JOIN run ON run.number = result.run" \
	" CROSS JOIN run_facts ON run_facts.run = result.run "

/* Takes the statement, of what kb_sql_prepare returned. */
static int begin_query(struct kb_store *store, int error, sqlite3_stmt *statement, struct kb_query **query)
{
	*query = error ? NULL : malloc(sizeof **query);
	if (*query) {
		**query = (struct kb_query){ store, statement };
		return 0;
	}
	sqlite3_finalize(statement);
	return error ? error : kb_sql_say(store, ENOMEM, "cannot read the store %s: out of memory", store->path);
}

int kb_store_results(struct kb_store *store, const char *run_id, struct kb_query **query)
{
	char *sql = list_columns(SELECT, ", result.%s", FROM("result") "WHERE result.run = ? ORDER BY position, benchmark, parameters");
	sqlite3_stmt *statement = NULL;
	int64_t run;
	int error = kb_sql_run_number(store, run_id, &run) ?: kb_sql_prepare(store, &statement, sql, "i", run);

	sqlite3_free(sql);
	return begin_query(store, error, statement, query);
}

/* From one name to the next through the index: as many steps as there are names, not results. Not by a comparison of pairs, which SQLite
   begins at all results of the old name. UNION, not UNION ALL: where a damaged index names another row than it leads to, the steps would go
   round for ever. */
#define SERIES \
	"WITH RECURSIVE first (number, b, p) AS (" \
	"SELECT * FROM (SELECT number, benchmark, parameters FROM result WHERE benchmark >= '' ORDER BY benchmark, parameters, started LIMIT 1)" \
	" UNION " \
	"SELECT result.number, benchmark, parameters FROM first CROSS JOIN result ON result.number = ifnull(" \
	"(SELECT number FROM result WHERE benchmark = b AND parameters > p ORDER BY parameters, started LIMIT 1)," \
	"(SELECT number FROM result WHERE benchmark > b ORDER BY benchmark, parameters, started LIMIT 1))) "

int kb_store_series(struct kb_store *store, struct kb_query **query)
{
	char *sql = list_columns(SERIES SELECT, ", result.%s", FROM("first CROSS JOIN result USING (number)"));
	sqlite3_stmt *statement;
	int error = kb_sql_prepare(store, &statement, sql, "");

	sqlite3_free(sql);
	return begin_query(store, error, statement, query);
}

int kb_store_history(struct kb_store *store, const char *benchmark, const char *parameters, const char *environment,
		     enum kb_store_order order, struct kb_query **query)
{
#define WANTED \
	"WHERE benchmark = ? AND parameters = ? AND ifnull(result.environment = nullif(?, ''), 1) AND NOT side ORDER BY "
	char *sql = list_columns(SELECT, ", result.%s", order == KB_OLDEST_FIRST ? FROM("result") WANTED "result.started, run.id" :
				 FROM("result") WANTED "result.started DESC, run.id DESC");
	sqlite3_stmt *statement;
	int error = kb_sql_prepare(store, &statement, sql, "ttt", benchmark, parameters, environment);

	sqlite3_free(sql);
	return begin_query(store, error, statement, query);
}

static void load_columns(sqlite3_stmt *statement, struct kb_stored_result *result)
{
	result->number = sqlite3_column_int64(statement, 0);
	for (size_t i = 0; i < COLUMNS; i++) {
		char *at = (char *)result + columns[i].at;
		int column = (int)i + 1;

		if (columns[i].kind == TEXT)
			kb_visible_copy(at, columns[i].room, text_at(statement, column));
		else if (columns[i].kind == WHOLE)
			*(int64_t *)(void *)at = sqlite3_column_int64(statement, column);
		else
			*(double *)(void *)at = sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, column);
	}
}

int kb_store_next(struct kb_query *query, struct kb_stored_result *result)
{
	sqlite3_stmt *statement = query->statement;
	int found = kb_sql_step(query->store, statement), column = COLUMNS + 1;

	if (found <= 0)
		return found;
	load_columns(statement, result);
	result->damaged = sqlite3_column_int64(statement, column) != checksum(result) || !result->status[0];
	snprintf(result->run_id, sizeof result->run_id, "%s", text_at(statement, column + 1));
	kb_visible_copy(result->label, sizeof result->label, text_at(statement, column + 2));
	kb_visible_copy(result->tool, sizeof result->tool, text_at(statement, column + 3));
	result->cpu = sqlite3_column_int64(statement, column + 4);
	snprintf(result->row, sizeof result->row, "%s%s%s", result->benchmark, result->parameters[0] ? " " : "", result->parameters);
	found = kb_sql_check_id(query->store, result->run_id);
	return found ? found : 1;
}

void kb_store_done(struct kb_query *query)
{
	if (query)
		sqlite3_finalize(query->statement);
	free(query);
}

int kb_store_damaged(struct kb_store *store, const struct kb_stored_result *result)
{
	return kb_sql_say(store, EUCLEAN, "the result of '%s' is damaged; 'kbench maintain %s' makes it again from its records",
			  result->row, result->run_id);
}

int kb_store_json(struct kb_store *store, const struct kb_stored_result *result, char **json)
{
	sqlite3_stmt *statement;
	int found = kb_sql_prepare(store, &statement, "SELECT json FROM summary WHERE number = ?", "i", result->number);

	*json = NULL;
	if (found)
		return found;
	found = kb_sql_step(store, statement);
	if (found > 0) {
		const char *text = text_at(statement, 0);

		if (!result->damaged && sum_of(text) == result->json_sum)
			*json = strdup(text);
		else
			found = kb_store_damaged(store, result);
	}
	sqlite3_finalize(statement);
	if (found > 0 && !*json)
		return kb_sql_say(store, ENOMEM, "cannot read the store %s: out of memory", store->path);
	/* Gone since it was listed: somebody makes it again right now. */
	return found > 0 ? 0 : found < 0 ? found : kb_store_damaged(store, result);
}
