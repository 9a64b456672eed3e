/* Whole runs: what they hold, their label, how they go; and the space of the file. */
#include "store/store.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/verdict.h"
#include "store/sqlite.h"

/* ---- what a run holds -------------------------------------------------------------------------------------------- */

/* "" and what no version of ours writes is damage: it counts among the results alone. */
static int count_results(struct kb_store *store, int64_t run, struct kb_run_extent *extent)
{
	sqlite3_stmt *statement;
	int found = kb_sql_prepare(store, &statement, "SELECT status, count(*) FROM result WHERE run = ? GROUP BY status", "i", run);

	if (found)
		return found;
	while ((found = kb_sql_step(store, statement)) > 0) {
		const char *status = (const char *)sqlite3_column_text(statement, 0) ?: "";
		unsigned count = (unsigned)sqlite3_column_int64(statement, 1);

		extent->results += count;
		for (unsigned i = 0; i < KB_STATUSES; i++)
			extent->verdicts[i] += strcmp(status, kb_status_name(i)) == 0 ? count : 0;
	}
	sqlite3_finalize(statement);
	return found;
}

/* Lengths alone: no record is read. */
static int count_bytes(struct kb_store *store, int64_t run, struct kb_run_extent *extent)
{
	sqlite3_stmt *statement;
	int found = kb_sql_prepare(store, &statement,
				   "SELECT (SELECT count(*) FROM launch WHERE run = ?1), (SELECT total(length(record)) FROM launch WHERE run = ?1),"
				   " (SELECT total(length(json)) FROM summary WHERE run = ?1)", "i", run);

	if (found)
		return found;
	found = kb_sql_step(store, statement);
	if (found > 0) {
		extent->processes = (unsigned)sqlite3_column_int64(statement, 0);
		extent->record_bytes = sqlite3_column_int64(statement, 1);
		extent->bytes = extent->record_bytes + sqlite3_column_int64(statement, 2);
	}
	sqlite3_finalize(statement);
	return found < 0 ? found : 0;
}

int kb_store_run_extent(struct kb_store *store, const char *run_id, struct kb_run_extent *extent)
{
	int64_t run;

	*extent = (struct kb_run_extent){ 0 };
	return kb_sql_run_number(store, run_id, &run) ?: count_results(store, run, extent) ?: count_bytes(store, run, extent);
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

int kb_store_label_run(struct kb_store *store, const char *run_id, const char *label)
{
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?: kb_sql_change(store, "UPDATE run SET label = ? WHERE number = ?", "ti", label, run);
}

/* Everything else of it goes by its references. */
int kb_store_remove_run(struct kb_store *store, const char *run_id)
{
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?: kb_sql_change(store, "DELETE FROM run WHERE number = ?", "i", run);
}

int kb_store_drop_records(struct kb_store *store, const char *run_id)
{
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?: kb_sql_change(store, "DELETE FROM launch WHERE run = ?", "i", run);
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

int64_t kb_store_bytes(struct kb_store *store)
{
	return file_bytes(store->path, "") + file_bytes(store->path, "-wal");
}

int kb_store_free_bytes(struct kb_store *store, int64_t *bytes)
{
	int found;

	*bytes = 0;
	found = kb_sql_number(store, bytes, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size", "");
	return found < 0 ? found : 0;
}

/* VACUUM writes the pages that are in use to the log first, so a kill or a full disk leaves the file as it was. Until the log is folded back the
   file does not shrink; a reader that looks at an old page keeps it from that, and the last one to close does it then. */
int kb_store_compact(struct kb_store *store)
{
	return kb_sql_exec(store, "VACUUM") ?: kb_sql_exec(store, "PRAGMA wal_checkpoint(TRUNCATE)");
}
