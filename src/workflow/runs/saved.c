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
#include "suite/select.h"

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

/* ---- names ----------------------------------------------------------------------------------------------- */

/* Whether "same-cpu", or "placement=same-cpu", is among the parameters of the row. */
static bool has_value(struct kb_span rest, struct kb_span wanted)
{
	struct kb_span word, name, value;

	while ((word = kb_span_word(&rest)).length > 0) {
		if (kb_span_equal(word, wanted) || (kb_span_pair(word, &name, &value) && kb_span_equal(value, wanted)))
			return true;
	}
	return false;
}

/* What the table prints can be typed: "mem.latency 64M", the benchmark and those of its values that tell it apart. */
static bool is_short_name(const char *pattern, const char *row)
{
	struct kb_span typed = kb_span_of(pattern), rest = kb_span_of(row), word;

	if (!kb_span_equal(kb_span_word(&typed), kb_span_word(&rest)))
		return false;
	while ((word = kb_span_word(&typed)).length > 0) {
		if (!has_value(rest, word))
			return false;
	}
	return true;
}

bool kb_saved_matches(const char *pattern, const char *benchmark, const char *row)
{
	return kb_pattern_match(pattern, benchmark) || kb_pattern_match(pattern, row) || is_short_name(pattern, row);
}
