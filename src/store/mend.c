/*
 * Damage that can be undone: indexes are made of tables, columns of a run of its texts, and comparisons and floors go, which nothing else depends on.
 * Each question looks at the checksums of what it reads; what a damaged index hides from it is only found here, where everything is read.
 */
#include "store/store.h"

#include <errno.h>

#include "store/sql.h"

int kb_store_mend(struct kb_store *store, bool *indexes)
{
	*indexes = false;
	return store->engine->mend(store, indexes);
}

/* One that was stored before there were checksums gets one: it is taken for whole, as all that reads it does. */
static int mend_texts(struct kb_store *store, int64_t number, struct kb_statement *is)
{
	struct kb_stored_run run = kb_sql_run_texts(is);
	struct kb_statement *facts;
	bool fits = kb_sql_run_fits(is), known = !kb_sql_is_null(is, 9), facts_fit = false;
	int found;

	if (!fits)
		return kb_sql_run_damaged(store, run.id);
	found = kb_sql_prepare(store, &facts, "SELECT " KB_SQL_FACTS " FROM run JOIN run_facts ON run_facts.run = run.number WHERE run.number = ?", "i", number) ?:
		kb_sql_step(facts);
	if (found > 0)
		facts_fit = kb_sql_facts_fit(facts, 0) && !kb_sql_is_null(facts, KB_SQL_FACTS_COUNT - 1);
	kb_sql_finalize(facts);
	if (found >= 0 && !known)
		found = kb_sql_change(store, "UPDATE run SET checksum = ? WHERE number = ?", "ii", kb_sql_run_sum(number, &run), number);
	return found < 0 || facts_fit ? found < 0 ? found : 0 : kb_sql_remake_facts(store, number, &run);
}

static int mend_run(struct kb_store *store, int64_t number)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, KB_SQL_RUN_BY_NUMBER, "i", number) ?: kb_sql_step(statement);

	if (found > 0)
		found = mend_texts(store, number, statement);
	kb_sql_finalize(statement);
	return found;
}

/* The first one that is damaged: 1 and its number, 0: there is none, or -errno. */
static int find_damaged_comparison(struct kb_store *store, int64_t run, int64_t *number)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, "SELECT number, \"row\", json, checksum FROM comparison WHERE run = ?", "i", run);
	bool fits = true;

	if (found)
		return found;
	while (fits && (found = kb_sql_step(statement)) > 0) {
		*number = kb_sql_whole(statement, 0);
		fits = kb_sql_sum_fits(statement, 3, kb_sql_comparison_sum(run, kb_sql_text(statement, 1), kb_sql_text(statement, 2)));
	}
	kb_sql_finalize(statement);
	return found;
}

static int drop_comparisons(struct kb_store *store, int64_t run, unsigned *dropped)
{
	int64_t number = 0;
	int found;

	while ((found = find_damaged_comparison(store, run, &number)) > 0) {
		found = kb_sql_change(store, "DELETE FROM comparison WHERE number = ?", "i", number);
		if (found)
			return found;
		++*dropped;
	}
	return found;
}

static int drop_floor(struct kb_store *store, int64_t run, bool *dropped)
{
	struct kb_statement *statement;
	int found = kb_sql_prepare(store, &statement, "SELECT key, k, run, checksum FROM floor WHERE run = ?", "i", run) ?: kb_sql_step(statement);

	*dropped = found > 0 && !kb_sql_floor_fits(statement);
	kb_sql_finalize(statement);
	return *dropped ? kb_sql_change(store, "DELETE FROM floor WHERE run = ?", "i", run) : found < 0 ? found : 0;
}

/* Other results are made again from records, by who has the statistics. */
static int check_results(struct kb_store *store, const char *run_id)
{
	struct kb_run_extent extent;
	int error = kb_store_run_extent(store, run_id, &extent);

	if (error || extent.damaged == 0 || extent.processes > 0)
		return error;
	return kb_sql_say(store, EUCLEAN, "%u result%s of run %s in the store %s %s damaged, and it has no records to make them again from; restore a copy"
			  " of the file, or 'kbench runs remove %s'", extent.damaged, extent.damaged == 1 ? "" : "s", run_id, store->path,
			  extent.damaged == 1 ? "is" : "are", run_id);
}

int kb_store_mend_run(struct kb_store *store, const char *run_id, struct kb_mended *mended)
{
	int64_t number;
	bool alone;
	int error = kb_sql_begin_alone(store, NULL, &alone);

	*mended = (struct kb_mended){ .comparisons = 0 };
	if (error)
		return error;
	error = kb_sql_run_number(store, run_id, &number) ?: mend_run(store, number) ?: drop_comparisons(store, number, &mended->comparisons) ?:
		drop_floor(store, number, &mended->floor) ?: kb_sql_mend_columns(store, number) ?: check_results(store, run_id);
	return kb_sql_end_alone(store, alone, error);
}
