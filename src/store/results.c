/*
 * Results as columns. Their JSON stays where it is, in the table `summary` of schema 1: `result` has
 * short rows and indexes, so that a question about a million results reads some pages. Each row has a checksum over all it states, the
 * JSON's among it: what a disk or another program changed is told, and never shown as a number.
 */
#include "store/store.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>
#include <zlib.h>

#include "base/text.h"
#include "base/verdict.h"
#include "result/json/json.h"
#include "store/sql.h"

enum kind { TEXT, REAL, WHOLE };

#define PLACE(member) offsetof(struct kb_stored_result, member), sizeof ((struct kb_stored_result *)0)->member
#define AT(member) PLACE(member), false
#define LATER(member) PLACE(member), true       /* of a later schema than the first one with columns */

static const struct column { const char *name; enum kind kind; size_t at, room; bool later; } columns[] = {
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
	{ "mean", REAL, AT(mean) },
	{ "clean", REAL, AT(clean) },
	{ "disturbed", REAL, AT(disturbed) },
	{ "mhz", REAL, AT(mhz) },
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
	{ "waited", REAL, LATER(waited) },
};

#define COLUMNS (sizeof columns / sizeof *columns)

char *kb_sql_list_columns(const char *before, const char *each, const char *after)
{
	sqlite3_str *text = sqlite3_str_new(NULL);

	sqlite3_str_appendall(text, before);
	for (size_t i = 0; i < COLUMNS; i++)
		sqlite3_str_appendf(text, each, columns[i].name);
	sqlite3_str_appendall(text, after);
	return sqlite3_str_finish(text);
}

/* Also of the place where the JSON is: a row that was put into another's place tells of something else. A column that was added later is not in it
   where it states nothing, so that the rows of before are as they were. */
static int64_t checksum(const struct kb_stored_result *result)
{
	uLong sum = crc32(0, (const Bytef *)&result->number, sizeof result->number);

	for (size_t i = 0; i < COLUMNS; i++) {
		const char *at = (const char *)result + columns[i].at;

		if (columns[i].later && isnan(*(const double *)(const void *)at))
			continue;
		sum = crc32(sum, (const Bytef *)at, (uInt)(columns[i].kind == TEXT ? strlen(at) + 1 : columns[i].room));
	}
	return (int64_t)sum;
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

/* What a column holds comes back as it is: the engines know one NULL, and no zero below zero. */
static struct kb_sql_value value_of(struct kb_stored_result *result, const struct column *column)
{
	char *at = (char *)result + column->at;
	double *real = (double *)(void *)at;

	if (column->kind == TEXT)
		return (struct kb_sql_value){ .kind = KB_SQL_TEXT, .bytes = at };
	if (column->kind == WHOLE)
		return (struct kb_sql_value){ .kind = KB_SQL_WHOLE, .whole = *(int64_t *)(void *)at };
	*real = isnan(*real) ? NAN : *real + 0.0;
	return (struct kb_sql_value){ .kind = isnan(*real) ? KB_SQL_NULL : KB_SQL_REAL, .real = *real };
}

static int bind_columns(struct kb_statement *statement, struct kb_stored_result *result)
{
	int error = kb_sql_bind(statement, 1, &(struct kb_sql_value){ .kind = KB_SQL_WHOLE, .whole = result->number });

	for (unsigned i = 0; i < COLUMNS && !error; i++) {
		struct kb_sql_value value = value_of(result, &columns[i]);

		error = kb_sql_bind(statement, i + 2, &value);
	}
	return error ?: kb_sql_bind(statement, COLUMNS + 2, &(struct kb_sql_value){ .kind = KB_SQL_WHOLE, .whole = checksum(result) });
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

/* A statement that takes a result's columns, in place of empty ones that a trigger may have left. */
static int prepare_columns(struct kb_store *store, struct kb_statement **insert)
{
	/* By their names: in a table that was made in an earlier schema they have another order. */
	char *names = kb_sql_list_columns("INSERT OR REPLACE INTO result (number", ", %s", ", checksum) VALUES (?");
	char *sql = names ? kb_sql_list_columns(names, ", ?", ", ?)") : NULL;
	int error = kb_sql_prepare(store, insert, sql, "");

	sqlite3_free(names);
	sqlite3_free(sql);
	return error;
}

int kb_sql_remake_columns(struct kb_store *store, struct kb_statement *from)
{
	struct kb_statement *to;
	int64_t env_run = 0;
	json_t *env = NULL;
	int found, error = prepare_columns(store, &to);

	while (!error && (found = kb_sql_step(from)) != 0) {
		struct kb_stored_result result = { .number = kb_sql_whole(from, 0), .run = kb_sql_whole(from, 1), .position = kb_sql_whole(from, 2) };

		if (found < 0) {
			error = found;
			break;
		}
		/* Results of a run stand together. */
		if (result.run != env_run) {
			json_decref(env);
			env = json_loads(kb_sql_text(from, 7), 0, NULL);
			env_run = result.run;
		}
		kb_visible_copy(result.started, sizeof result.started, kb_sql_text(from, 5));
		error = fill_columns(store, &result, kb_sql_text(from, 3), kb_sql_text(from, 4), kb_sql_text(from, 6), env) ?:
			bind_columns(to, &result) ?: store->engine->run(to);
		kb_sql_reset(to);
	}
	json_decref(env);
	kb_sql_finalize(to);
	kb_sql_finalize(from);
	return error;
}

/* The first result behind *number whose columns are damaged and whose JSON is whole: 1 and its number, 0: there is none, or -errno. */
static int find_damaged(struct kb_store *store, int64_t run, int64_t *number)
{
	char *sql = kb_sql_list_columns("SELECT result.number", ", result.%s", ", result.checksum, json FROM summary CROSS JOIN result ON result.number = "
					"summary.number WHERE summary.run = ? AND summary.number > ? ORDER BY summary.number");
	struct kb_statement *statement;
	struct kb_stored_result result;
	int found = kb_sql_prepare(store, &statement, sql, "ii", run, *number);
	bool mendable = false;

	sqlite3_free(sql);
	if (found)
		return found;
	while (!mendable && (found = kb_sql_step(statement)) > 0) {
		unsigned json = kb_sql_take_result(statement, &result);

		mendable = result.damaged && sum_of(kb_sql_text(statement, json)) == result.json_sum;
	}
	*number = result.number;
	kb_sql_finalize(statement);
	return found;
}

int kb_sql_mend_columns(struct kb_store *store, int64_t run)
{
	struct kb_statement *from;
	int64_t number = INT64_MIN;
	int found;

	while ((found = find_damaged(store, run, &number)) > 0) {
		found = kb_sql_prepare(store, &from, KB_SQL_FROM_SUMMARIES " WHERE summary.number = ?", "i", number) ?: kb_sql_remake_columns(store, from);
		if (found)
			return found;
	}
	return found;
}

static int add_columns(struct kb_store *store, const struct kb_run_place *run, int64_t number, const char *row, unsigned order, const char *json)
{
	struct kb_stored_result result = { .number = number, .run = run->number, .position = order };
	struct kb_statement *insert;
	int error = prepare_columns(store, &insert);

	snprintf(result.started, sizeof result.started, "%s", run->started);
	error = error ?: fill_columns(store, &result, row, json, run->environment, run->env) ?: bind_columns(insert, &result) ?:
		store->engine->run(insert);
	kb_sql_finalize(insert);
	return error;
}

#define ADD_SUMMARY(column, value) \
	"INSERT INTO summary (number, run, \"row\", position, json" column ") VALUES (?, ?, ?, ?, ?" value ")"

int kb_sql_add_result(struct kb_store *store, const struct kb_run_place *run, const char *row, unsigned order, const char *json)
{
	int64_t number = store->engine->new_number(store);
	int error = number < 0 ? (int)number : kb_sql_change(store, store->engine->by_month ? ADD_SUMMARY(", started", ", ?") : ADD_SUMMARY("", ""),
						   store->engine->by_month ? "kitutt" : "kitut", number, run->number, row, order, json, run->started);

	return error ?: add_columns(store, run, number ? number : store->engine->last_number(store), row, order, json);
}

static int drop_result(struct kb_store *store, int64_t run, const char *row)
{
	int64_t number;
	int found = kb_sql_number(store, &number, "SELECT number FROM summary WHERE run = ? AND \"row\" = ?", "it", run, row);

	if (found <= 0)
		return found;
	return kb_sql_change(store, "DELETE FROM summary WHERE number = ?", "i", number) ?:
	       kb_sql_change(store, "DELETE FROM result WHERE number = ?", "i", number);
}

int kb_store_put_result(struct kb_store *store, const char *run_id, const char *row, unsigned order, const char *json)
{
	const struct kb_run_place *run;
	bool alone;
	int error = kb_sql_begin_alone(store, NULL, &alone);

	if (error)
		return error;
	error = kb_sql_run_place(store, run_id, &run) ?: drop_result(store, run->number, row) ?: kb_sql_add_result(store, run, row, order, json);
	return kb_sql_end_alone(store, alone, error);
}

int kb_store_drop_results(struct kb_store *store, const char *run_id)
{
	int64_t run;
	int error = run_id ? kb_sql_run_number(store, run_id, &run) : 0;

	if (error)
		return error;
	if (!run_id)
		return kb_sql_exec(store, "DELETE FROM summary; DELETE FROM result");
	return kb_sql_change(store, "DELETE FROM summary WHERE run = ?", "i", run) ?:
	       kb_sql_change(store, "DELETE FROM result WHERE run = ?", "i", run);
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static void load_columns(struct kb_statement *statement, struct kb_stored_result *result)
{
	result->number = kb_sql_whole(statement, 0);
	for (unsigned i = 0; i < COLUMNS; i++) {
		char *at = (char *)result + columns[i].at;

		if (columns[i].kind == TEXT)
			kb_visible_copy(at, columns[i].room, kb_sql_text(statement, i + 1));
		else if (columns[i].kind == WHOLE)
			*(int64_t *)(void *)at = kb_sql_whole(statement, i + 1);
		else
			*(double *)(void *)at = kb_sql_real(statement, i + 1);
	}
}

unsigned kb_sql_take_result(struct kb_statement *statement, struct kb_stored_result *result)
{
	load_columns(statement, result);
	result->damaged = kb_sql_whole(statement, COLUMNS + 1) != checksum(result) || !result->status[0];
	snprintf(result->row, sizeof result->row, "%s%s%s", result->benchmark, result->parameters[0] ? " " : "", result->parameters);
	return COLUMNS + 2;
}

int kb_store_damaged(struct kb_store *store, const struct kb_stored_result *result)
{
	if (result->run_damaged)
		return kb_sql_run_damaged(store, result->run_id);
	return kb_sql_say(store, EUCLEAN, "the result of '%s' in the store %s is damaged; 'kbench maintain %s' makes it again from its records",
			  result->row, store->path, result->run_id);
}

int kb_store_json(struct kb_store *store, const struct kb_stored_result *result, char **json)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, "SELECT json FROM summary WHERE number = ?", "i", result->number);

	*json = NULL;
	if (found)
		return found;
	found = kb_sql_step(statement);
	if (found > 0) {
		const char *text = kb_sql_text(statement, 0);

		if (!result->damaged && sum_of(text) == result->json_sum)
			*json = strdup(text);
		else
			found = kb_store_damaged(store, result);
	}
	kb_sql_finalize(statement);
	if (found > 0 && !*json)
		return kb_sql_out_of_memory(store);
	/* Gone since it was listed: somebody makes it again right now. */
	return found > 0 ? 0 : found < 0 ? found : kb_store_damaged(store, result);
}
