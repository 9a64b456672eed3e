/*
 * A run of another store, with all that stands beside its results. It is read as every reader reads it, so what is damaged, or no run of ours,
 * is refused there and never reaches this store; and a store of an older version gives its runs in the words of today.
 */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>

#include "store/sql.h"

struct copy {
	struct kb_store *to, *from;
	const char *id;
	struct kb_store *failed;        /* whose message tells of the error */
	unsigned how;
	bool alone;                     /* the transaction is ours */
};

/* Of what was written: an error is told by the store that is written to. */
static int written(struct copy *copy, int error)
{
	if (error)
		copy->failed = copy->to;
	return error;
}

static int put_run(void *context, const struct kb_stored_run *run)
{
	struct copy *copy = context;

	return written(copy, kb_sql_begin_alone(copy->to, run->started, &copy->alone) ?: kb_sql_add_run(copy->to, run, !(copy->how & KB_COPY_AS_OURS)));
}

static int put_process(void *context, const struct kb_stored_process *process)
{
	struct copy *copy = context;

	return written(copy, kb_store_add_process(copy->to, process));
}

/* What `kbench ab` found of the result. */
static int copy_comparison(struct copy *copy, const char *row)
{
	char *json;
	int error = kb_store_get_comparison(copy->from, copy->id, row, &json);

	if (!error && json)
		error = written(copy, kb_store_put_comparison(copy->to, copy->id, row, json));
	free(json);
	return error;
}

static int copy_result(struct copy *copy, const struct kb_stored_result *result)
{
	const struct kb_run_place *run;
	char *json;
	int error = kb_store_json(copy->from, result, &json);

	if (error)
		return error;
	error = written(copy, kb_sql_run_place(copy->to, copy->id, &run) ?:
			kb_sql_add_result(copy->to, run, result->row, (unsigned)result->position, json));
	free(json);
	return error ?: copy_comparison(copy, result->row);
}

static int copy_results(struct copy *copy)
{
	struct kb_stored_result result;
	struct kb_query *query;
	int found = kb_store_results(copy->from, copy->id, &query), error = found;

	while (!error && (found = kb_store_next(query, &result)) != 0)
		error = found < 0 ? found : copy_result(copy, &result);
	kb_store_done(query);
	return error;
}

static int copy_floor(struct copy *copy)
{
	struct kb_statement *statement;
	int found = kb_sql_has_table(copy->from, "floor");

	if (found <= 0)
		return found;
	found = kb_sql_prepare(copy->from, &statement, "SELECT key, k, floor.run, floor.checksum FROM floor JOIN run"
				   " ON run.number = floor.run WHERE id = ?", "t", copy->id);
	if (found)
		return found;
	found = kb_sql_step(statement);
	if (found > 0)
		found = kb_sql_floor_fits(statement) ? written(copy, kb_store_put_floor(copy->to, copy->id, kb_sql_text(statement, 0),
											  kb_sql_real(statement, 1))) : 0;
	kb_sql_finalize(statement);
	return found;
}

int kb_store_copy_run(struct kb_store *to, struct kb_store *from, const char *id, unsigned how)
{
	struct copy copy = { to, from, id, .failed = from, .how = how };
	int error = kb_store_get_run(from, id, put_run, &copy) ?: (how & KB_COPY_RECORDS ? kb_store_all_processes(from, id, put_process, &copy) : 0) ?:
		    copy_results(&copy) ?: copy_floor(&copy);

	if (error && copy.failed == from)
		kb_sql_say(to, -error, "%s", kb_store_error(from));
	return kb_sql_end_alone(to, copy.alone, error);
}
