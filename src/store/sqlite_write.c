/*
 * What a run adds to the store. Each function is one transaction: it is there whole or not at all, and after a failure the
 * handle is as good as before.
 */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "store/sqlite.h"

int kb_store_add_run(struct kb_store *store, const struct kb_stored_run *run)
{
	bool alone = sqlite3_get_autocommit(store->db);
	int error;

	if (!*run->id || strlen(run->id) > KB_RUN_ID_MAX)
		return kb_sql_say(store, EINVAL, "\"%s\" cannot be a run's id; it must have 1 to %d bytes", run->id, KB_RUN_ID_MAX);
	error = alone ? kb_store_begin(store) : 0;
	if (error)
		return error;
	error = kb_sql_change(store, "INSERT INTO run (id, started, finished, label, command, env_class, env, settings)"
			      " VALUES (?, ?, ?, ?, ?, ?, ?, ?)", "tttttttt", run->id, run->started, run->finished, run->label,
			      run->command, run->env_class, run->env, run->settings) ?: kb_sql_add_run_facts(store, run->id);
	return alone ? kb_store_end(store, error) : error;
}

int kb_store_finish_run(struct kb_store *store, const char *run_id, const char *finished)
{
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?:
	       kb_sql_change(store, "UPDATE run SET finished = ? WHERE number = ?", "ti", finished, run);
}

/* Compresses the record into the statement's value `index`, which then owns the bytes. */
static int bind_record(struct kb_store *store, sqlite3_stmt *statement, int index, const char *record, size_t length)
{
	uLong room = compressBound(length);
	Bytef *packed = malloc(room);

	if (!packed || compress2(packed, &room, (const Bytef *)record, length, Z_DEFAULT_COMPRESSION) != Z_OK) {
		free(packed);
		return kb_sql_say(store, ENOMEM, "cannot write the store %s: out of memory for a record of %zu bytes",
				  store->path, length);
	}
	if (sqlite3_bind_blob64(statement, index, packed, room, free) != SQLITE_OK)
		return kb_sql_fail(store, "write");
	return 0;
}

int kb_store_add_process(struct kb_store *store, const struct kb_stored_process *process)
{
	sqlite3_stmt *statement;
	int64_t run;
	int error = kb_sql_run_number(store, process->run_id, &run);

	if (!error)
		error = kb_sql_prepare(store, &statement,
				       "INSERT INTO launch (run, row, launch, outcome, record_length, record)"
				       " VALUES (?, ?, ?, ?, ?, ?)", "ituti", run, process->row, process->process,
				       process->outcome, (int64_t)process->record_length);
	if (error)
		return error;
	error = bind_record(store, statement, 6, process->record, process->record_length);
	if (error) {
		sqlite3_finalize(statement);
		return error;
	}
	return kb_sql_run(store, statement);
}
