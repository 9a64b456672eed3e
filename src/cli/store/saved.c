/* See saved.h. */
#include "cli/store/saved.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "result/json/environment.h"
#include "result/json/json.h"
#include "store/document.h"

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

static int take_run(void *context, const struct kb_stored_run *run)
{
	struct kb_saved *saved = context;
	json_t *env = json_loads(run->env, 0, NULL);

	saved->run = kb_stored_run_to_json(run);
	json_object_set_new(saved->run, "settings", kb_json_visible(json_object_get(saved->run, "settings")));
	saved->env = env ? kb_json_visible(env) : json_null();
	json_decref(env);
	return 0;
}

void kb_saved_load(const struct kb_command *command, struct kb_store *store, const char *id, struct kb_saved *saved)
{
	*saved = (struct kb_saved){ 0 };
	snprintf(saved->id, sizeof saved->id, "%s", id);
	kb_saved_check(command, store, kb_store_get_run(store, id, take_run, saved));
	if (!saved->run)
		kb_die(command, KB_EXIT_USAGE, "run %s in %s is unreadable", id, kb_store_path(store));
}

bool kb_saved_next(const struct kb_command *command, struct kb_store *store, struct kb_query *query, struct kb_stored_result *row)
{
	int found = kb_store_next(query, row);

	if (found <= 0)
		kb_store_done(query);
	kb_saved_check(command, store, found < 0 ? found : 0);
	return found > 0;
}

/* Results of a run are asked for one behind the other, so the environment of the last one stays. */
static void settle(const struct kb_command *command, struct kb_store *store, const char *run_id, struct kb_result *result)
{
	static struct kb_saved last;

	if (strcmp(last.id, run_id) != 0) {
		kb_saved_release(&last);
		kb_saved_load(command, store, run_id, &last);
	}
	kb_environment_settle(result, last.env);
}

struct kb_result *kb_saved_result(const struct kb_command *command, struct kb_store *store, const struct kb_stored_result *row,
				  json_t **json)
{
	struct kb_result *result = kb_need_memory(command, malloc(sizeof *result));
	char *text;

	kb_saved_check(command, store, kb_store_json(store, row, &text));

	json_t *object = json_loads(text, 0, NULL);

	if (kb_result_from_json(result, object))
		kb_saved_check(command, store, kb_store_damaged(store, row));
	if (!result->environment.id[0])
		settle(command, store, row->run_id, result);
	if (json)
		*json = json_incref(object);
	json_decref(object);
	free(text);
	return result;
}

void kb_saved_release(struct kb_saved *saved)
{
	json_decref(saved->run);
	json_decref(saved->env);
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
