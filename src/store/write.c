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

#define COPIES_FROM (-(INT64_C(1) << 40))

/* Of a file: in the order in which they come, which is what `last` goes by. Those of other stores stand before all that were made here. */
static int next_number(struct kb_store *store, bool copied, int64_t *number)
{
	int found;

	*number = store->engine->new_number(store);
	if (*number)
		return *number < 0 ? (int)*number : 0;
	found = kb_sql_number(store, number, "SELECT coalesce(max(number), ?) + 1 FROM run WHERE number > ? AND number < ?", "iii",
			      copied ? COPIES_FROM : INT64_C(0), copied ? INT64_MIN : INT64_C(0), copied ? INT64_C(0) : INT64_MAX);
	return found < 0 ? found : 0;
}

static int insert_run(struct kb_store *store, const struct kb_stored_run *run, bool copied)
{
	int64_t number;
	int error = next_number(store, copied, &number) ?: kb_sql_change(store,
		"INSERT INTO run (number, id, started, finished, label, command, env_class, env, settings, checksum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"itttttttti", number, run->id, run->started, run->finished, run->label,
				  run->command, run->env_class, run->env, run->settings, kb_sql_run_sum(number, run));

	if (error)
		return error;
	error = kb_sql_add_run_facts(store, number, run);
	if (!error)
		kb_sql_remember_run(store, run, number);
	return error;
}

int kb_sql_add_run(struct kb_store *store, const struct kb_stored_run *run, bool copied)
{
	bool alone;
	int error;

	if (!*run->id || strlen(run->id) > KB_RUN_ID_MAX)
		return kb_sql_say(store, EINVAL, "\"%s\" cannot be a run's id; it must have 1 to %d bytes", run->id, KB_RUN_ID_MAX);
	error = kb_sql_begin_alone(store, run->started, &alone);
	return error ? error : kb_sql_end_alone(store, alone, insert_run(store, run, copied));
}

int kb_store_add_run(struct kb_store *store, const struct kb_stored_run *run)
{
	return kb_sql_add_run(store, run, false);
}

/* With checksums anew, unless it is damaged, which must not be hidden by them. */
static int write_texts(struct kb_store *store, int64_t number, struct kb_statement *was, const char *finished, const char *label)
{
	struct kb_stored_run run = kb_sql_run_texts(was);
	bool fits = kb_sql_run_fits(was);

	run.finished = finished ? finished : run.finished;
	run.label = label ? label : run.label;
	if (!fits)
		return kb_sql_run_damaged(store, run.id);
	return kb_sql_change(store, "UPDATE run SET finished = ?, label = ?, checksum = ? WHERE number = ?", "ttii", run.finished, run.label,
			     kb_sql_run_sum(number, &run), number) ?: kb_sql_remake_facts(store, number, &run);
}

/* NULL: it stays. The first statement has the row for us alone: another process may write the other text. */
static int change_texts(struct kb_store *store, const char *run_id, const char *finished, const char *label)
{
	struct kb_statement *statement;
	int64_t number;
	int found = kb_sql_run_number(store, run_id, &number) ?: kb_sql_change(store, "UPDATE run SET label = label WHERE number = ?", "i", number) ?:
		    kb_sql_prepare(store, &statement, KB_SQL_RUN_BY_NUMBER, "i", number);

	if (found)
		return found;
	found = kb_sql_step(statement);
	if (found > 0)
		found = write_texts(store, number, statement, finished, label);
	kb_sql_finalize(statement);
	return found;
}

static int change_alone(struct kb_store *store, const char *run_id, const char *finished, const char *label)
{
	bool alone;
	int error = kb_sql_begin_alone(store, NULL, &alone);

	return error ? error : kb_sql_end_alone(store, alone, change_texts(store, run_id, finished, label));
}

int kb_store_finish_run(struct kb_store *store, const char *run_id, const char *finished)
{
	return change_alone(store, run_id, finished, NULL);
}

int kb_store_label_run(struct kb_store *store, const char *run_id, const char *label)
{
	return change_alone(store, run_id, NULL, label);
}

#define ADD_PROCESS(column, value) \
	"INSERT INTO launch (number, run, \"row\", launch, outcome, record_length, record, checksum" column ") VALUES (?, ?, ?, ?, ?, ?, ?, ?" value ")"

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
				      store->engine->by_month ? "kitutibit" : "kitutibi", number, run->number, process->row, process->process,
				      process->outcome, (int64_t)process->record_length, packed, (size_t)room,
				      kb_sql_process_sum(run->number, process->row, process->process, process->outcome, (int64_t)process->record_length),
				      run->started);
	free(packed);
	return error;
}
