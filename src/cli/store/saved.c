/* See saved.h. */
#include "cli/store/saved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void kb_saved_check(const struct kb_command *command, struct kb_store *store, int result)
{
	if (result == -ENOMEM)
		kb_no_memory(command);
	/* The program ends, and with it the store; its message lives in it. */
	if (result)
		kb_die(command, KB_EXIT_USAGE, "%s", kb_store_error(store));
}

/* The message of a failed opening is in the store, so that has to be asked before it is closed. */
struct kb_store *kb_saved_open(const struct kb_command *command, const char *path, enum kb_store_mode mode)
{
	struct kb_store *store = NULL;
	int error = kb_store_open(&store, path, mode);

	kb_saved_check(command, store, error);
	return store;
}

void kb_saved_load(const struct kb_command *command, struct kb_store *store, const char *id, struct kb_saved *saved)
{
	kb_saved_check(command, store, kb_saved_read(store, id, saved));
}

bool kb_saved_next(const struct kb_command *command, struct kb_store *store, struct kb_query *query, struct kb_stored_result *row)
{
	int found = kb_store_next(query, row);

	if (found <= 0)
		kb_store_done(query);
	kb_saved_check(command, store, found < 0 ? found : 0);
	return found > 0;
}

/* Results of a run are asked for one behind the other, so the run of the last one stays. */
struct kb_result *kb_saved_result(const struct kb_command *command, struct kb_store *store, const struct kb_stored_result *row,
				  json_t **json)
{
	static struct kb_saved last;
	struct kb_result *result;

	if (strcmp(last.id, row->run_id) != 0) {
		kb_saved_release(&last);
		kb_saved_load(command, store, row->run_id, &last);
	}
	kb_saved_check(command, store, kb_saved_read_result(store, row, &last, &result, json));
	return result;
}

/* Results of rows that are not among these are passed over unread. */
void kb_model_rows_read(const struct kb_command *command, struct kb_model_rows *rows, const char *path, const char *run,
			struct kb_saved *saved)
{
	struct kb_store *store = kb_saved_open(command, path, KB_STORE_READ);
	struct kb_stored_result row;
	struct kb_query *query;
	char id[37];

	kb_saved_check(command, store, kb_store_find_run(store, run, id));
	kb_saved_load(command, store, id, saved);
	kb_saved_check(command, store, kb_store_results(store, id, &query));
	while (kb_saved_next(command, store, query, &row)) {
		for (size_t i = 0; i < rows->count; i++) {
			if (strcmp(rows->rows[i].key, row.row) != 0)
				continue;

			struct kb_result *result = kb_saved_result(command, store, &row, NULL);

			rows->rows[i].result = *result;
			rows->found[i] = true;
			free(result);
		}
	}
	kb_store_close(store);
}
