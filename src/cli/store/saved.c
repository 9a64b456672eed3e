/* See saved.h. */
#include "cli/store/saved.h"

#include <string.h>

#include "result/json/json.h"
#include "store/document.h"

void kb_saved_check(const struct kb_command *command, struct kb_store *store, int result)
{
	/* The program ends, and with it the store; its message lives in it. */
	if (result)
		kb_die(command, KB_EXIT_USAGE, "%s", kb_store_error(store));
}

/* The message of a failed opening is in the store, so that has to be asked before it is closed. */
struct kb_store *kb_saved_open(const struct kb_command *command, const char *path, enum kb_store_mode mode)
{
	struct kb_store *store = NULL;

	int result = kb_store_open(&store, path, mode);

	kb_saved_check(command, store, result);
	return store;
}

/* The visitor's own end of the search: no errno. */
#define FOUND 1

static int take_run(void *context, const struct kb_stored_run *run)
{
	struct kb_saved *saved = context;
	json_t *env;

	if (strcmp(run->id, saved->id) != 0)
		return 0;
	saved->run = kb_stored_run_to_json(run);
	json_object_set_new(saved->run, "settings", kb_json_visible(json_object_get(saved->run, "settings")));
	env = json_loads(run->env, 0, NULL);
	saved->env = env ? kb_json_visible(env) : json_null();
	json_decref(env);
	return FOUND;
}

void kb_saved_load(const struct kb_command *command, struct kb_store *store, const char *id, struct kb_saved *saved)
{
	*saved = (struct kb_saved){ 0 };
	snprintf(saved->id, sizeof saved->id, "%s", id);

	int result = kb_store_each_run(store, take_run, saved);

	if (result != FOUND)
		kb_saved_check(command, store, result);
	if (!saved->run)
		kb_die(command, KB_EXIT_USAGE, "run %s in %s is unreadable", id, kb_store_path(store));
}

void kb_saved_release(struct kb_saved *saved)
{
	json_decref(saved->run);
	json_decref(saved->env);
}
