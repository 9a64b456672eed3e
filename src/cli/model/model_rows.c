/* See model_rows.h. */
#include "cli/model/model_rows.h"

#include <stdlib.h>
#include <string.h>

/* Results of rows that nobody asked for are passed over unread. */
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
