/* See document.h: a document keeps the names of the version that its results are of. */
#include "store/document.h"

#include <string.h>

#include "result/json/json.h"

/* A stored text that no longer parses must not hide the run: it is kept as a string. */
static json_t *parsed(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	return json ? json : kb_json_string(text);
}

static json_t *text_or_null(const char *text)
{
	return text && text[0] ? kb_json_string(text) : json_null();
}

json_t *kb_stored_run_to_json(const struct kb_stored_run *run)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "id", run->id, "started", text_or_null(run->started),
			 "finished", text_or_null(run->finished), "label", text_or_null(run->label), "command",
			 text_or_null(run->command), "settings", parsed(run->settings));
}

/* Results of version 1 have no headline by name. Those that were made again from their records are of today. */
static bool are_first(const json_t *results)
{
	const json_t *result;
	size_t i;

	json_array_foreach(results, i, result) {
		if (json_object_get(result, "headline"))
			return false;
	}
	return json_array_size(results) > 0;
}

/* An object of a stored run of version 1 with today's name of a key, in its old place. Takes over the reference. */
static json_t *renamed(json_t *object, const char *old, const char *now)
{
	json_t *made, *value;
	const char *key;

	if (!json_object_get(object, old) || json_object_get(object, now))
		return object;
	made = json_object();
	json_object_foreach(object, key, value)
		json_object_set(made, strcmp(key, old) == 0 ? now : key, value);
	json_decref(object);
	return made;
}

static json_t *run_of_today(json_t *run)
{
	json_t *settings = json_object_get(run, "settings"), *made;

	if (!json_object_get(settings, "launches"))
		return run;
	made = json_copy(run);
	json_object_set_new(made, "settings", renamed(json_incref(settings), "launches", "processes"));
	json_decref(run);
	return made;
}

json_t *kb_result_document(json_t *run, json_t *env, json_t *results)
{
	bool first = are_first(results);

	return json_pack("{s:s, s:o, s:o, s:o}", "schema", first ? KB_RESULT_SCHEMA_1 : KB_RESULT_SCHEMA, "run",
			 first ? run : run_of_today(run), "env", first ? env : renamed(env, "class", "id"), "results", results);
}
