/*
 * Many runs at once: which there are, without their JSON; how they go, and how their records go. In sets: a question for each of a million runs takes
 * hours over a network. What an engine does better than by deleting rows is its own affair: a server drops whole months.
 */
#include "store/store.h"

#include "base/text.h"
#include "store/sql.h"

/* ---- which ------------------------------------------------------------------------------------------------------- */

static int visit_brief(struct kb_statement *statement, int (*visit)(void *, const struct kb_run_brief *), void *context)
{
	struct kb_run_facts facts;
	int error = kb_sql_take_facts(statement, 0, &facts);

	if (!error && facts.damaged)
		error = kb_sql_run_damaged(statement->store, facts.id);
	return error ? error : visit(context, &(struct kb_run_brief){
		.id = facts.id, .started = kb_sql_text(statement, KB_SQL_FACTS_COUNT), .finished = kb_sql_text(statement, KB_SQL_FACTS_COUNT + 1)[0] != '\0',
		.command = kb_sql_text(statement, KB_SQL_FACTS_COUNT + 2), .label = facts.label, .environment = facts.environment, .cpu = facts.cpu,
		.side = facts.side, .node = facts.node, .fleet = facts.fleet });
}

int kb_store_brief_runs(struct kb_store *store, int (*visit)(void *, const struct kb_run_brief *), void *context)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, "SELECT " KB_SQL_FACTS ", run.started, finished, command FROM run LEFT JOIN run_facts"
				   " ON run_facts.run = run.number ORDER BY run.started, id", "");

	while (!found && (found = kb_sql_step(statement)) > 0)
		found = visit_brief(statement, visit, context);
	kb_sql_finalize(statement);
	return found;
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

int kb_store_remove_runs(struct kb_store *store, const char *const *ids, size_t count)
{
	int error = store->engine->check_owner(store);

	kb_sql_forget_run(store);
	if (error || !count)
		return error;
	error = kb_sql_exec(store, store->engine->make_doomed);
	for (size_t i = 0; i < count && !error; i++)
		error = kb_sql_change(store, "INSERT INTO doomed (number, started) SELECT number, started FROM run WHERE id = ?", "t", ids[i]);
	return error ? error : store->engine->remove_doomed(store) ?: kb_sql_exec(store, "DROP TABLE doomed");
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

/* Without results a run's records are all that is known of it. */
#define OLD_RUNS "(SELECT number FROM run WHERE started <= ?1 AND finished <> '' AND EXISTS (SELECT 1 FROM result WHERE result.run = run.number))"
#define OLD_RECORDS " FROM launch WHERE run IN " OLD_RUNS
#define SO_OLD " AND started <= ?1"

int kb_store_records_until(struct kb_store *store, const char *before, struct kb_old_records *old)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, store->engine->by_month ? "SELECT count(DISTINCT run), coalesce(sum(length(record)), 0)" OLD_RECORDS
				   SO_OLD : "SELECT count(DISTINCT run), coalesce(sum(length(record)), 0)" OLD_RECORDS, "t", before);

	*old = (struct kb_old_records){ 0 };
	if (found)
		return found;
	found = kb_sql_step(statement);
	if (found > 0)
		*old = (struct kb_old_records){ (size_t)kb_sql_whole(statement, 0), kb_sql_whole(statement, 1) };
	kb_sql_finalize(statement);
	return found < 0 ? found : 0;
}

int kb_store_drop_records_until(struct kb_store *store, const char *before)
{
	return store->engine->check_owner(store) ?: store->engine->empty_months(store, before) ?:
	       kb_sql_change(store, store->engine->by_month ? "DELETE" OLD_RECORDS SO_OLD : "DELETE" OLD_RECORDS, "t", before);
}
