/* What runs saw of the contention probe's floor. As with comparisons, a store of schema 1 may have no such table. */
#include "store/store.h"

#include "store/sql.h"

static int64_t sum_of(int64_t run, const char *key, double k)
{
	return kb_sql_sum("itd", run, key, k);
}

bool kb_sql_floor_fits(struct kb_statement *statement)
{
	return kb_sql_sum_fits(statement, 3, sum_of(kb_sql_whole(statement, 2), kb_sql_text(statement, 0), kb_sql_real(statement, 1)));
}

int kb_store_put_floor(struct kb_store *store, const char *run_id, const char *key, double k)
{
	int64_t run, known;
	int found = kb_sql_run_number(store, run_id, &run) ?: kb_sql_number(store, &known, "SELECT run FROM floor WHERE run = ?", "i", run);

	if (found < 0)
		return found;
	return kb_sql_change(store, found ? "UPDATE floor SET key = ?, k = ?, checksum = ? WHERE run = ?" :
			     "INSERT INTO floor (key, k, checksum, run) VALUES (?, ?, ?, ?)", "tdii", key, k, sum_of(run, key, k), run);
}

int kb_store_get_floors(struct kb_store *store, const char *key, double *k, unsigned room, unsigned *count)
{
	struct kb_statement *statement;
	int found = kb_sql_has_table(store, "floor");

	*count = 0;
	if (found <= 0)
		return found;
	found = kb_sql_prepare(store, &statement, "SELECT key, k, run, checksum FROM floor WHERE key = ? ORDER BY run DESC LIMIT ?", "ti", key, (int64_t)room);
	if (found)
		return found;
	/* One vote less of several. */
	while (*count < room && (found = kb_sql_step(statement)) > 0) {
		k[*count] = kb_sql_real(statement, 1);
		*count += kb_sql_floor_fits(statement);
	}
	kb_sql_finalize(statement);
	return found < 0 ? found : 0;
}
