/* See saved.h. */
#include "workflow/runs/saved.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "result/json/environment.h"
#include "result/json/json.h"
#include "store/document.h"

static int take_run(void *context, const struct kb_stored_run *run)
{
	struct kb_saved *saved = context;
	json_t *env = json_loads(run->env, 0, NULL);

	saved->run = kb_stored_run_to_json(run);
	json_object_set_new(saved->run, "settings", kb_json_visible(json_object_get(saved->run, "settings")));
	saved->env = env ? kb_json_visible(env) : json_null();
	json_decref(env);
	return saved->run && saved->env ? 0 : -ENOMEM;
}

int kb_saved_read(struct kb_store *store, const char *id, struct kb_saved *saved)
{
	*saved = (struct kb_saved){ 0 };
	snprintf(saved->id, sizeof saved->id, "%s", id);
	return kb_store_get_run(store, id, take_run, saved);
}

void kb_saved_release(struct kb_saved *saved)
{
	json_decref(saved->run);
	json_decref(saved->env);
}

int kb_saved_read_result(struct kb_store *store, const struct kb_stored_result *row, const struct kb_saved *of, struct kb_result **made,
			 json_t **json)
{
	struct kb_result *result = *made = NULL;
	json_t *object;
	char *text;
	int error = kb_store_json(store, row, &text);

	if (error)
		return error;
	object = json_loads(text, 0, NULL);
	free(text);
	result = malloc(sizeof *result);
	if (!result)
		error = -ENOMEM;
	else if (kb_result_from_json(result, object))
		error = kb_store_damaged(store, row);
	if (error) {
		free(result);
		json_decref(object);
		return error;
	}
	if (!result->environment.id[0])
		kb_environment_settle(result, of->env);
	*made = result;
	if (json)
		*json = json_incref(object);
	json_decref(object);
	return 0;
}
