/* Comparisons that a run took part in as the newer side. A store of schema 1 that may not be written may have no such table. */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/sql.h"

int64_t kb_sql_comparison_sum(int64_t run, const char *row, const char *json)
{
	return kb_sql_sum("itt", run, row, json);
}

int kb_store_put_comparison(struct kb_store *store, const char *run_id, const char *row, const char *json)
{
	int64_t run, known;
	int found = kb_sql_run_number(store, run_id, &run) ?:
		    kb_sql_number(store, &known, "SELECT number FROM comparison WHERE run = ? AND \"row\" = ?", "it", run, row);

	if (found < 0)
		return found;
	return kb_sql_change(store, found ? "UPDATE comparison SET json = ?, checksum = ? WHERE run = ? AND \"row\" = ?" :
			     "INSERT INTO comparison (json, checksum, run, \"row\") VALUES (?, ?, ?, ?)", "tiit", json, kb_sql_comparison_sum(run, row, json), run, row);
}

int kb_store_get_comparison(struct kb_store *store, const char *run_id, const char *row, char **json)
{
	struct kb_statement *statement;
	int64_t run;
	int error = kb_sql_run_number(store, run_id, &run), found;

	*json = NULL;
	found = error ? error : kb_sql_has_table(store, "comparison");
	if (found <= 0)
		return found;
	error = kb_sql_prepare(store, &statement, "SELECT json, checksum FROM comparison WHERE run = ? AND \"row\" = ?", "it", run, row);
	if (error)
		return error;
	found = kb_sql_step(statement);
	if (found > 0 && !kb_sql_sum_fits(statement, 1, kb_sql_comparison_sum(run, row, kb_sql_text(statement, 0)))) {
		found = kb_sql_say(store, EUCLEAN, "what 'kbench ab' found of '%s' in run %s is damaged; 'kbench maintain %s' drops it", row, run_id, run_id);
	} else if (found > 0) {
		*json = strdup(kb_sql_text(statement, 0));
		found = *json ? 0 : kb_sql_out_of_memory(store);
	}
	kb_sql_finalize(statement);
	return found;
}
