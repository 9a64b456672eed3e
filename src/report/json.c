/*
 * See json.h: what is common to all JSON of the program, and the document around results. Keys stand in the order of
 * the code, which is stable; numbers have twelve digits, more than any measurement and few enough that a number
 * printed, read and printed again is the same text.
 */
#include "report/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define FORMAT JSON_REAL_PRECISION(12)

json_t *kb_json_real(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

json_t *kb_json_whole(uint64_t value)
{
	return value <= KB_JSON_WHOLE_MAX ? json_integer((json_int_t)value) : json_null();
}

json_t *kb_json_string(const char *text)
{
	json_t *json = json_string(text);

	return json ? json : json_string("?");
}

/* jansson escapes C0 only. All that is not visible is in strings, but for the line ends between them, and below U+10000. */
static void put_escaped(FILE *out, const char *text)
{
	struct kb_span rest = { text, strlen(text) };

	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);

		/* Most of it is plain, and a run has megabytes. */
		while (c.length < rest.length && c.code < 0x7f && rest.at[c.length] >= ' ' && rest.at[c.length] <= '~')
			c.length++;
		if (c.visible || c.code == '\n')
			fwrite(rest.at, 1, c.length, out);
		else
			fprintf(out, "\\u%04X", (unsigned)c.code);
		rest = (struct kb_span){ rest.at + c.length, rest.length - c.length };
	}
}

int kb_json_write(FILE *out, const json_t *json, size_t flags)
{
	char *text = json ? json_dumps(json, flags) : NULL;

	if (!text)
		return -EIO;
	put_escaped(out, text);
	free(text);
	return ferror(out) ? -EIO : 0;
}

int kb_json_print(FILE *out, const json_t *json)
{
	int error = kb_json_write(out, json, FORMAT | JSON_INDENT(2));

	return error || fputc('\n', out) == EOF ? -EIO : 0;
}

char *kb_json_text(const json_t *json)
{
	return json ? json_dumps(json, FORMAT | JSON_COMPACT) : NULL;
}

/* Apart, so that a reader can make the ID again from the stable ones alone. */
static json_t *facts(const struct kb_env *env, bool stable)
{
	json_t *object = json_object();

	for (size_t i = 0; i < env->count; i++) {
		if (env->facts[i].stable == stable)
			json_object_set_new(object, env->facts[i].key, kb_json_string(env->facts[i].value));
	}
	return object;
}

json_t *kb_env_to_json(const struct kb_env *env)
{
	char id[17];

	kb_env_id(env, id);
	return json_pack("{s:s, s:o, s:o}", "id", id, "facts", facts(env, true), "readings", facts(env, false));
}

const char *kb_json_env_id(const json_t *env)
{
	return json_string_value(json_object_get(env, json_object_get(env, "id") ? "id" : "class"));
}

/* A stored text that no longer parses must not hide the run: it is kept as a string. */
static json_t *parsed(const char *text)
{
	json_t *json = json_loads(text, 0, NULL);

	return json ? json : kb_json_string(text);
}

static json_t *visible_string(const char *text)
{
	char *copy = strdup(text);
	json_t *json;

	if (copy)
		kb_make_visible(copy, '?');
	json = copy ? json_string(copy) : NULL;
	free(copy);
	return json;
}

/* Two keys that look the same become one. */
static json_t *visible_object(json_t *from)
{
	json_t *to = json_object(), *value;
	const char *key;

	json_object_foreach(from, key, value) {
		json_t *name = visible_string(key);

		json_object_set_new(to, name ? json_string_value(name) : "?", kb_json_visible(value));
		json_decref(name);
	}
	return to;
}

json_t *kb_json_visible(json_t *json)
{
	json_t *array, *value;
	size_t i;

	if (json_is_string(json))
		return visible_string(json_string_value(json));
	if (json_is_object(json))
		return visible_object(json);
	if (!json_is_array(json))
		return json_incref(json);
	array = json_array();
	json_array_foreach(json, i, value)
		json_array_append_new(array, kb_json_visible(value));
	return array;
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
