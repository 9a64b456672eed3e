/* See model_rows.h. */
#include "cli/model/model_rows.h"

#include <string.h>

#include "result/json/json.h"

struct reading {
	const struct kb_command *command;
	struct kb_model_rows *rows;
	const char *id;
};

/* Results of rows that nobody asked for are passed over unread. */
static int take_row(void *context, const char *key, const char *text)
{
	struct reading *reading = context;
	struct kb_model_rows *rows = reading->rows;

	for (size_t i = 0; i < rows->count; i++) {
		if (strcmp(rows->rows[i].key, key) != 0)
			continue;

		json_t *json = json_loads(text, 0, NULL);

		if (kb_result_from_json(&rows->rows[i].result, json)) {
			kb_die(reading->command, KB_EXIT_USAGE, "the result of '%s' is damaged; 'kbench analyze --rebuild %s' makes "
			       "it again from its records", key, reading->id);
		}
		rows->found[i] = true;
		json_decref(json);
	}
	return 0;
}

void kb_model_rows_read(const struct kb_command *command, struct kb_model_rows *rows, const char *path, const char *run,
			struct kb_saved *saved)
{
	struct kb_store *store = kb_saved_open(command, path, KB_STORE_READ);
	char id[37];
	struct reading reading = { command, rows, id };

	kb_saved_check(command, store, kb_store_find_run(store, run, id));
	kb_saved_load(command, store, id, saved);
	kb_saved_check(command, store, kb_store_each_summary(store, id, take_row, &reading));
	kb_store_close(store);
}
