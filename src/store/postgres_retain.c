/*
 * How old runs go from a server. A month all of whose runs go goes as its partitions: that takes as long for a million results as for one. Rows of other
 * months are deleted in sets. It is one transaction, so a server or a kbench that is killed in it leaves all of them. The lock of dropping stops everybody
 * else, who may hold another one that we need: so it is given up after a moment and asked for again, as in ready_month, and if it cannot be had in half
 * a minute rows are deleted. What came into a month before we had the lock keeps that month.
 */
#include "store/postgres.h"

#include <errno.h>
#include <stdio.h>

/* Of a table "doomed": state 0, its rows are to be deleted; 1: its month goes; 2: its rows are gone. */
const char kb_postgres_make_doomed[] =
	"CREATE TEMP TABLE doomed (number bigint PRIMARY KEY, started text COLLATE \"C\" NOT NULL, state smallint NOT NULL DEFAULT 0) ON COMMIT DROP";

#define MONTH "substr(started, 1, 7)"
#define STAYING_MONTHS "(SELECT substr(run.started, 1, 7) FROM run WHERE NOT EXISTS (SELECT FROM doomed d WHERE d.number = run.number))"

/* The present month is still written to. */
static const char mark_months[] =
	"ANALYZE doomed;"
	"UPDATE doomed SET state = 1 WHERE " MONTH " IN (SELECT month FROM (SELECT DISTINCT " MONTH " AS month FROM doomed) AS months"
	" WHERE month < to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM') AND month NOT IN " STAYING_MONTHS
	" AND CASE WHEN month ~ '^20\\d\\d-(0[1-9]|1[0-2])$' THEN to_regclass('kbench.result_' || replace(month, '-', '_')) IS NOT NULL ELSE false END);";

#define DELETE_FROM(table) \
	"DELETE FROM " table " USING doomed WHERE state = 0 AND " table ".run = doomed.number AND " table ".started = doomed.started AND " table ".started" \
	" BETWEEN (SELECT min(started) FROM doomed WHERE state = 0) AND (SELECT max(started) FROM doomed WHERE state = 0);"

static const char delete_rows[] =
	DELETE_FROM("launch") DELETE_FROM("summary") DELETE_FROM("result") "UPDATE doomed SET state = 2 WHERE state = 0;";

/* An autovacuum gives way to whoever waits for a second. Behind the lock there are those of indexes and long values, which nobody else holds long. */
#define TAKE_LOCK(command) \
	" FOR tries IN 1..100 LOOP" \
	" PERFORM set_config('lock_timeout', CASE WHEN tries % 10 = 0 THEN '1500ms' ELSE '200ms' END, true);" \
	" BEGIN " command "; locked := true;" \
	" EXCEPTION WHEN lock_not_available OR deadlock_detected THEN PERFORM pg_sleep(0.1); END;" \
	" EXIT WHEN locked;" \
	" END LOOP;" \
	" PERFORM set_config('lock_timeout', waited, true);"

static const char drop_months[] =
	"DO $$ DECLARE part text; locked boolean := false; waited text := current_setting('lock_timeout');"
	" BEGIN"
	" IF NOT EXISTS (SELECT FROM doomed WHERE state = 1) THEN RETURN; END IF;"
	TAKE_LOCK("LOCK TABLE run, launch, summary, result IN ACCESS EXCLUSIVE MODE")
	" UPDATE doomed SET state = 0 WHERE state = 1 AND (NOT locked OR " MONTH " IN " STAYING_MONTHS ");"
	" FOR part IN SELECT kind || '_' || replace(month, '-', '_') FROM (SELECT DISTINCT " MONTH " AS month FROM doomed WHERE state = 1) AS months,"
	" unnest(ARRAY['launch', 'summary', 'result']) AS kind LOOP"
	" EXECUTE format('DROP TABLE %I', part);"
	" END LOOP;"
	" END $$;";

/* What is left of a run, such as rows among those of all other months, goes by its references. */
static const char delete_runs[] =
	"DELETE FROM comparison WHERE run IN (SELECT number FROM doomed); DELETE FROM floor WHERE run IN (SELECT number FROM doomed);"
	"DELETE FROM run_facts WHERE run IN (SELECT number FROM doomed); DELETE FROM run WHERE number IN (SELECT number FROM doomed);";

int kb_postgres_remove_doomed(struct kb_store *store)
{
	return kb_sql_exec(store, mark_months) ?: kb_sql_exec(store, delete_rows) ?: kb_sql_exec(store, drop_months) ?: kb_sql_exec(store, delete_rows) ?:
	       kb_sql_exec(store, delete_runs);
}

/* A month in which no record stays is emptied at once, and its space returns. Asked without the lock first, which few need. */
static const char empty_months[] =
	"DO $$ DECLARE part text; locked boolean; stays boolean; waited text := current_setting('lock_timeout'); asked text;"
	" BEGIN"
	" FOR part IN SELECT relname FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid WHERE inhparent = 'kbench.launch'::regclass"
	" AND relname ~ '^launch_20\\d\\d_(0[1-9]|1[0-2])$' AND pg_relation_size(inhrelid) > 0"
	" AND replace(substr(relname, 8), '_', '-') < substr(current_setting('kbench.before'), 1, 7) LOOP"
	" asked := format('SELECT EXISTS (SELECT FROM (SELECT DISTINCT run AS number FROM %I) AS of_month JOIN run USING (number)"
	" WHERE finished = '''' OR NOT EXISTS (SELECT FROM result WHERE result.run = of_month.number))', part);"
	" EXECUTE asked INTO stays;"
	" CONTINUE WHEN stays;"
	" locked := false;"
	TAKE_LOCK("EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', part)")
	" CONTINUE WHEN NOT locked;"
	" EXECUTE asked INTO stays;"
	" IF NOT stays THEN EXECUTE format('TRUNCATE %I', part); END IF;"
	" END LOOP;"
	" END $$;";

int kb_postgres_empty_months(struct kb_store *store, const char *before)
{
	int64_t length;
	int found = kb_sql_number(store, &length, "SELECT length(set_config('kbench.before', ?, true))", "t", before);

	return found < 0 ? found : kb_sql_exec(store, empty_months);
}

/* ---- space ------------------------------------------------------------------------------------------------------- */

/* Tables of past months that take twice what their rows come to, by what ANALYZE found, or more: those that were thinned. A row has 28 bytes of its own;
   a piece of a long value about 2000. */
#define LOOSE_TABLES \
	"SELECT c.oid::bigint FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid LEFT JOIN pg_class t ON t.oid = c.reltoastrelid" \
	" WHERE inhparent IN ('kbench.launch'::regclass, 'kbench.summary'::regclass, 'kbench.result'::regclass) AND c.relname ~ '_20\\d\\d_\\d\\d$'" \
	" AND replace(right(c.relname, 7), '_', '-') < to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM')" \
	" AND pg_relation_size(c.oid) + coalesce(pg_relation_size(t.oid), 0) > 1048576 + 2 * (greatest(c.reltuples, 0)" \
	" * (28 + coalesce((SELECT sum(avg_width) FROM pg_stats WHERE schemaname = 'kbench' AND tablename = c.relname), 0))" \
	" + 2000 * greatest(coalesce(t.reltuples, 0), 0)) ORDER BY c.oid"

static int rewrite_table(struct kb_statement *statement, void *nothing)
{
	struct kb_store *store = statement->store;
	char sql[160];
	int error;

	(void)nothing;
	snprintf(sql, sizeof sql, "VACUUM (FULL, ANALYZE) \"%.63s\"", kb_sql_text(statement, 0));
	kb_sql_reset(statement);
	error = kb_postgres_exec(store, sql);
	/* In use: the next time. */
	return error == -EBUSY ? 0 : error;
}

/* The space of other tables is used again. One is locked while it is written anew, which takes as long as what is left in it is large; nobody writes to
   past months, and who reads them waits as little for us as we wait for him. */
int kb_postgres_compact(struct kb_store *store)
{
	struct kb_statement *list;
	int error = kb_postgres_exec(store, "VACUUM (ANALYZE) run, run_facts, launch, summary, result, comparison, floor") ?:
		    kb_postgres_exec(store, "SET lock_timeout = '2s'") ?: kb_sql_prepare(store, &list, LOOSE_TABLES, "");

	if (!error)
		error = kb_sql_each_row(store, list, "SELECT relname FROM pg_class WHERE oid = ?", rewrite_table, NULL);
	return error ? error : kb_postgres_exec(store, "SET lock_timeout = 0");
}

int kb_postgres_check_owner(struct kb_store *store)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, "SELECT pg_get_userbyid(relowner), pg_has_role(relowner, 'USAGE')::int FROM pg_class"
				   " WHERE oid = 'kbench.run'::regclass", "") ?: kb_sql_step(statement);

	if (found > 0 && !kb_sql_whole(statement, 1))
		found = kb_sql_say(store, EACCES, "cannot remove from the store %s: only its owner may, %s; ask that role's members, or connect as it",
				   store->path, kb_sql_text(statement, 0));
	kb_sql_finalize(statement);
	return found < 0 ? found : 0;
}
