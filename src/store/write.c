/*
 * What a run adds to the store. Each function is one transaction: it is there whole or not at all, and after a failure the
 * handle is as good as before.
 */
#include "store/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "store/sql.h"

static int insert_run(struct kb_store *store, const struct kb_stored_run *run)
{
	int64_t number = store->engine->new_number(store);
	int error = number < 0 ? (int)number :
		    kb_sql_change(store, "INSERT INTO run (number, id, started, finished, label, command, env_class, env, settings)"
				  " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", "ktttttttt", number, run->id, run->started, run->finished, run->label,
				  run->command, run->env_class, run->env, run->settings);

	if (error)
		return error;
	number = number ? number : store->engine->last_number(store);
	error = kb_sql_add_run_facts(store, number, run->started, run->env_class, run->settings, run->env);
	if (!error)
		kb_sql_remember_run(store, run, number);
	return error;
}

int kb_store_add_run(struct kb_store *store, const struct kb_stored_run *run)
{
	bool alone;
	int error;

	if (!*run->id || strlen(run->id) > KB_RUN_ID_MAX)
		return kb_sql_say(store, EINVAL, "\"%s\" cannot be a run's id; it must have 1 to %d bytes", run->id, KB_RUN_ID_MAX);
	error = kb_sql_begin_alone(store, run->started, &alone);
	return error ? error : kb_sql_end_alone(store, alone, insert_run(store, run));
}

int kb_store_finish_run(struct kb_store *store, const char *run_id, const char *finished)
{
	int64_t run;

	return kb_sql_run_number(store, run_id, &run) ?:
	       kb_sql_change(store, "UPDATE run SET finished = ? WHERE number = ?", "ti", finished, run);
}

#define ADD_PROCESS(column, value) \
	"INSERT INTO launch (number, run, \"row\", launch, outcome, record_length, record" column ") VALUES (?, ?, ?, ?, ?, ?, ?" value ")"

int kb_store_add_process(struct kb_store *store, const struct kb_stored_process *process)
{
	uLong room = compressBound(process->record_length);
	const struct kb_run_place *run;
	int64_t number = 0;
	int error = kb_sql_run_place(store, process->run_id, &run);
	Bytef *packed = error ? NULL : malloc(room);

	if (error)
		return error;
	if (!packed || compress2(packed, &room, (const Bytef *)process->record, process->record_length, Z_DEFAULT_COMPRESSION) != Z_OK)
		error = kb_sql_say(store, ENOMEM, "cannot write the store %s: out of memory for a record of %zu bytes", store->path,
				   process->record_length);
	else if ((number = store->engine->new_number(store)) < 0)
		error = (int)number;
	else
		error = kb_sql_change(store, store->engine->by_month ? ADD_PROCESS(", started", ", ?") : ADD_PROCESS("", ""),
				      store->engine->by_month ? "kitutibt" : "kitutib", number, run->number, process->row, process->process,
				      process->outcome, (int64_t)process->record_length, packed, (size_t)room, run->started);
	free(packed);
	return error;
}
