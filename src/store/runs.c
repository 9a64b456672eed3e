/* Whole runs: what they hold, their label, how they go; and the space of the file. */
#include "store/store.h"

#include <errno.h>
#include <string.h>
#include <sqlite3.h>

#include "base/verdict.h"
#include "store/sql.h"

/* ---- what a run holds -------------------------------------------------------------------------------------------- */

/* What no version of ours writes is damage: it counts among the results alone. */
static int count_results(struct kb_store *store, int64_t run, struct kb_run_extent *extent)
{
	char *sql = kb_sql_list_columns("SELECT number", ", %s", ", checksum FROM result WHERE run = ?");
	struct kb_statement *statement;
	struct kb_stored_result result;
	int found = kb_sql_prepare(store, &statement, sql, "i", run);

	sqlite3_free(sql);
	while (!found && (found = kb_sql_step(statement)) > 0) {
		kb_sql_take_result(statement, &result);
		extent->results++;
		extent->damaged += result.damaged;
		for (unsigned i = 0; i < KB_STATUSES && !result.damaged; i++)
			extent->verdicts[i] += strcmp(result.status, kb_status_name(i)) == 0;
		found = 0;
	}
	kb_sql_finalize(statement);
	return found;
}

/* Lengths alone: no record is read. */
static int count_bytes(struct kb_store *store, int64_t run, struct kb_run_extent *extent)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement,
				   "SELECT (SELECT count(*) FROM launch WHERE run = ?1), (SELECT coalesce(sum(length(record)), 0) FROM launch"
				   " WHERE run = ?1), (SELECT coalesce(sum(length(CAST(json AS text))), 0) FROM summary WHERE run = ?1)", "i", run);

	if (found)
		return found;
	found = kb_sql_step(statement);
	if (found > 0) {
		extent->processes = (unsigned)kb_sql_whole(statement, 0);
		extent->record_bytes = kb_sql_whole(statement, 1);
		extent->bytes = extent->record_bytes + kb_sql_whole(statement, 2);
	}
	kb_sql_finalize(statement);
	return found < 0 ? found : 0;
}

int kb_store_run_extent(struct kb_store *store, const char *run_id, struct kb_run_extent *extent)
{
	int64_t run;

	*extent = (struct kb_run_extent){ 0 };
	return kb_sql_run_number(store, run_id, &run) ?: count_results(store, run, extent) ?: count_bytes(store, run, extent);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

/* Everything else of it goes by its references. */
int kb_store_remove_run(struct kb_store *store, const char *run_id)
{
	int64_t run;

	kb_sql_forget_run(store);
	return kb_sql_run_number(store, run_id, &run) ?: kb_sql_change(store, "DELETE FROM run WHERE number = ?", "i", run);
}

int kb_store_drop_records(struct kb_store *store, const char *run_id)
{
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?: kb_sql_change(store, "DELETE FROM launch WHERE run = ?", "i", run);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

bool kb_store_has_moved(struct kb_store *store)
{
	return store->engine->has_moved(store);
}

/* What another store has of it, a copy of this one perhaps, is older. */
static int replace_run(struct kb_store *to, struct kb_store *from, const char *run_id)
{
	int error = kb_store_remove_run(to, run_id);

	return error && error != -ENOENT ? error : kb_store_copy_run(to, from, run_id, KB_COPY_RECORDS | KB_COPY_AS_OURS);
}

int kb_store_rescue_run(struct kb_store *to, struct kb_store *from, const char *run_id)
{
	int error = kb_store_begin(to);

	return error ? error : kb_store_end(to, replace_run(to, from, run_id));
}

/* ---- space ------------------------------------------------------------------------------------------------------- */

int64_t kb_store_bytes(struct kb_store *store)
{
	return store->engine->bytes(store);
}

int kb_store_free_bytes(struct kb_store *store, int64_t *bytes)
{
	*bytes = 0;
	return store->engine->free_bytes(store, bytes);
}

int kb_store_compact(struct kb_store *store)
{
	return store->engine->compact(store);
}
