/* What runs saw of the contention probe's floor. As with comparisons, a store of schema 1 may have no such table. */
#include "store/store.h"

#include "store/sqlite.h"

int kb_store_put_floor(struct kb_store *store, const char *run_id, const char *key, double k)
{
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?:
	       kb_sql_change(store, "INSERT INTO floor (run, key, k) VALUES (?, ?, ?)"
			     " ON CONFLICT (run) DO UPDATE SET key = excluded.key, k = excluded.k", "itd", run, key, k);
}

int kb_store_get_floors(struct kb_store *store, const char *key, double *k, unsigned room, unsigned *count)
{
	sqlite3_stmt *statement;
	int found = kb_sql_has_table(store, "floor");

	*count = 0;
	if (found <= 0)
		return found;
	found = kb_sql_prepare(store, &statement, "SELECT k FROM floor WHERE key = ? ORDER BY run DESC LIMIT ?", "ti", key, (int64_t)room);
	if (found)
		return found;
	while (*count < room && (found = kb_sql_step(store, statement)) > 0)
		k[(*count)++] = sqlite3_column_double(statement, 0);
	sqlite3_finalize(statement);
	return found < 0 ? found : 0;
}
