/* Comparisons that a run took part in as the newer side. A store of schema 1 that may not be written may have no such table. */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/sqlite.h"

int kb_store_put_comparison(struct kb_store *store, const char *run_id, const char *row, const char *json)
{
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?:
	       kb_sql_change(store, "INSERT INTO comparison (run, row, json) VALUES (?, ?, ?)"
			     " ON CONFLICT (run, row) DO UPDATE SET json = excluded.json", "itt", run, row, json);
}

int kb_store_get_comparison(struct kb_store *store, const char *run_id, const char *row, char **json)
{
	sqlite3_stmt *statement;
	int64_t run;
	int error = kb_sql_run_number(store, run_id, &run), found;

	*json = NULL;
	found = error ? error : kb_sql_has_table(store, "comparison");
	if (found <= 0)
		return found;
	error = kb_sql_prepare(store, &statement, "SELECT json FROM comparison WHERE run = ? AND row = ?", "it", run, row);
	if (error)
		return error;
	found = kb_sql_step(store, statement);
	if (found > 0) {
		const char *text = (const char *)sqlite3_column_text(statement, 0);

		*json = text ? strdup(text) : NULL;
		found = *json ? 0 : kb_sql_say(store, ENOMEM, "cannot read the store %s: out of memory", store->path);
	}
	sqlite3_finalize(statement);
	return found;
}
