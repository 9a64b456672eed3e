/* Questions about results: which ones there are, and those of a run, a series or a fleet. */
#include "store/store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sqlite3.h>

#include "base/text.h"
#include "store/sql.h"

struct kb_query {
	struct kb_store *store;
	struct kb_statement *statement;
	unsigned bounds;                /* which values of the statement say where a page begins; 0: all rows are one */
	int64_t page, seen;             /* rows of this page; that were taken of it */
	int64_t of_run;                 /* whose results these all are; 0: of several runs */
	char *started, *id;             /* of its last row, as stored, which is what the order is of */
};

/* Joined in the order in which they stand: without statistics SQLite might begin with all runs. PostgreSQL has statistics. */
#define SELECT "SELECT result.number"
#define OF_RUN ", result.checksum, " KB_SQL_FACTS ", result.started"
#define JOINED(source) source " CROSS JOIN run ON run.number = result.run CROSS JOIN run_facts ON run_facts.run = result.run "
#define FROM(source) OF_RUN " FROM " JOINED(source)
#define FROM_RUNS(which) \
	OF_RUN " FROM run_facts CROSS JOIN run ON run.number = run_facts.run CROSS JOIN result ON result.run = +run.number " which \
	" ORDER BY run.started, run.id, position"

/* Takes the statement, of what kb_sql_prepare returned. */
static int begin_query(struct kb_store *store, int error, struct kb_statement *statement, struct kb_query **query)
{
	*query = error ? NULL : malloc(sizeof **query);
	if (*query) {
		**query = (struct kb_query){ .store = store, .statement = statement };
		return 0;
	}
	kb_sql_finalize(statement);
	return error ? error : kb_sql_out_of_memory(store);
}

int kb_store_results(struct kb_store *store, const char *run_id, struct kb_query **query)
{
	char *sql = kb_sql_list_columns(SELECT, ", result.%s", FROM("result") "WHERE result.run = ? ORDER BY position, benchmark, parameters");
	struct kb_statement *statement = NULL;
	int64_t run;
	int error = kb_sql_run_number(store, run_id, &run) ?: kb_sql_prepare(store, &statement, sql, "i", run);

	sqlite3_free(sql);
	error = begin_query(store, error, statement, query);
	if (!error)
		(*query)->of_run = run;
	return error;
}

/* From one name to the next through the index: as many steps as there are names, not results. Not by a comparison of pairs, which SQLite
   begins at all results of the old name. UNION, not UNION ALL: where a damaged index names another row than it leads to, the steps would go
   round for ever. */
#define SERIES \
	"WITH RECURSIVE first (number, b, p) AS (" \
	"SELECT * FROM (SELECT number, benchmark, parameters FROM result WHERE benchmark >= ? AND benchmark < ? ORDER BY benchmark, parameters, started LIMIT 1)" \
	" AS one" \
	" UNION " \
	"SELECT result.number, benchmark, parameters FROM first CROSS JOIN result ON result.number = coalesce(" \
	"(SELECT number FROM result WHERE benchmark = b AND parameters > p ORDER BY parameters, started LIMIT 1)," \
	"(SELECT number FROM result WHERE benchmark > b AND benchmark < ? ORDER BY benchmark, parameters, started LIMIT 1))) "

int kb_store_series_of(struct kb_store *store, const char *from, const char *before, struct kb_query **query)
{
	char *sql = kb_sql_list_columns(SERIES SELECT, ", result.%s", FROM("first CROSS JOIN result ON result.number = first.number") "ORDER BY first.b, first.p");
	struct kb_statement *statement;
	int error = kb_sql_prepare(store, &statement, sql, "ttt", from, before, before);

	sqlite3_free(sql);
	return begin_query(store, error, statement, query);
}

int kb_store_series(struct kb_store *store, struct kb_query **query)
{
	return kb_store_series_of(store, "", KB_LAST_CHARACTER, query);
}

/* Most askers need the first few rows, and some need all. An engine that answers with all rows at once is asked for pages that grow. */
#define FIRST_PAGE 64
#define PAGE_GROWS 8

/* The bounds of the page that begins behind the row with these. */
static int turn_page(struct kb_query *query, const char *started, const char *id)
{
	const struct kb_sql_value bounds[] = { { .kind = KB_SQL_TEXT, .bytes = started }, { .kind = KB_SQL_TEXT, .bytes = started },
					       { .kind = KB_SQL_TEXT, .bytes = id }, { .kind = KB_SQL_WHOLE, .whole = query->page } };
	int error = 0;

	for (unsigned i = 0; i < 4 && !error; i++)
		error = kb_sql_bind(query->statement, query->bounds + i, &bounds[i]);
	return error;
}

int kb_store_history_of(struct kb_store *store, const char *benchmark, const char *parameters, const struct kb_series_filter *of,
			enum kb_store_order order, struct kb_query **query)
{
#define WANTED \
	"WHERE benchmark = ? AND parameters = ? AND result.started >= ? AND (? = '' OR result.environment = ?) AND (? = '' OR node = ?)" \
	" AND (? = '' OR fleet <> '') AND side = 0"
	bool oldest = order == KB_OLDEST_FIRST, paged = store->engine->whole_answers;
	char *tail = sqlite3_mprintf(oldest ? "%s%s ORDER BY result.started, run.id%s" : "%s%s ORDER BY result.started DESC, run.id DESC%s", FROM("result") WANTED,
				     !paged ? "" : oldest ? " AND result.started >= ? AND (result.started, run.id) > (?, ?)" :
				     " AND result.started <= ? AND (result.started, run.id) < (?, ?)", paged ? " LIMIT ?" : "");
	char *sql = tail ? kb_sql_list_columns(SELECT, ", result.%s", tail) : NULL;
	const char *start = oldest ? "" : KB_LAST_CHARACTER;
	struct kb_statement *statement;
	int error = kb_sql_prepare(store, &statement, sql, "tttttttt", benchmark, parameters, of->since, of->environment, of->environment, of->node, of->node,
				   of->fleets ? "fleets" : "");

	sqlite3_free(tail);
	sqlite3_free(sql);
	error = begin_query(store, error, statement, query);
	if (error || !paged)
		return error;
	(*query)->bounds = 9;
	(*query)->page = FIRST_PAGE;
	error = turn_page(*query, start, start);
	if (error)
		kb_store_done(*query);
	return error;
}

int kb_store_history(struct kb_store *store, const char *benchmark, const char *parameters, const char *environment,
		     enum kb_store_order order, struct kb_query **query)
{
	return kb_store_history_of(store, benchmark, parameters, &(struct kb_series_filter){ .environment = environment }, order, query);
}

int kb_store_fleet(struct kb_store *store, const char *fleet, const char *since, struct kb_query **query)
{
	char *sql = kb_sql_list_columns(SELECT, ", result.%s", fleet ? FROM_RUNS("WHERE fleet = ?") : FROM_RUNS("WHERE run_facts.started >= ?"));
	struct kb_statement *statement;
	int error = kb_sql_prepare(store, &statement, sql, "t", fleet ? fleet : since);

	sqlite3_free(sql);
	return begin_query(store, error, statement, query);
}

static void drop_bounds(struct kb_query *query)
{
	free(query->started);
	free(query->id);
	query->started = query->id = NULL;
}

static int next_row(struct kb_query *query)
{
	int error = 0;

	if (query->bounds && query->seen == query->page) {
		query->page *= PAGE_GROWS;
		query->seen = 0;
		kb_sql_reset(query->statement);
		error = turn_page(query, query->started, query->id);
		drop_bounds(query);
	}
	return error ? error : kb_sql_step(query->statement);
}

static int keep_bounds(struct kb_query *query, const char *started, const char *id)
{
	query->started = strdup(started);
	query->id = strdup(id);
	return query->started && query->id ? 0 : kb_sql_out_of_memory(query->store);
}

static void set_run(struct kb_stored_result *result, const struct kb_run_facts *facts)
{
	memcpy(result->run_id, facts->id, sizeof result->run_id);
	memcpy(result->label, facts->label, sizeof result->label);
	memcpy(result->tool, facts->tool, sizeof result->tool);
	memcpy(result->node, facts->node, sizeof result->node);
	memcpy(result->fleet, facts->fleet, sizeof result->fleet);
	memcpy(result->boot, facts->boot, sizeof result->boot);
	memcpy(result->run_environment, facts->environment, sizeof result->run_environment);
	result->cpu = facts->cpu;
	result->side = facts->side;
	result->run_damaged = facts->damaged;
	result->damaged |= facts->damaged;
}

/* A damaged index hides results: their JSON is found through another one. In one statement, as the run may have changed since its rows were read. */
static int check_count(struct kb_query *query)
{
	int64_t hidden = 0;
	int found = query->store->engine->whole_answers ? 0 :
		    kb_sql_number(query->store, &hidden, "SELECT (SELECT count(*) FROM summary WHERE run = ?1) - (SELECT count(*) FROM " JOINED("result")
				  "WHERE result.run = ?1)", "i", query->of_run);

	if (found < 0 || hidden == 0)
		return found < 0 ? found : 0;
	return kb_sql_say(query->store, EUCLEAN, "the store %s is damaged: an index hides results of a run; 'kbench maintain' makes its indexes again",
			  query->store->path);
}

int kb_store_next(struct kb_query *query, struct kb_stored_result *result)
{
	struct kb_statement *statement = query->statement;
	int found = next_row(query), error = 0;
	struct kb_run_facts facts;
	unsigned column;

	if (found == 0 && query->of_run)
		return check_count(query);
	if (found <= 0)
		return found;
	column = kb_sql_take_result(statement, result);
	query->seen++;
	if (query->bounds && query->seen == query->page)
		error = keep_bounds(query, kb_sql_text(statement, column + KB_SQL_FACTS_COUNT), kb_sql_text(statement, column + 1));
	error = error ? error : kb_sql_take_facts(statement, column, &facts);
	if (!error)
		set_run(result, &facts);
	return error ? error : 1;
}

void kb_store_done(struct kb_query *query)
{
	if (query) {
		kb_sql_finalize(query->statement);
		drop_bounds(query);
	}
	free(query);
}
