/*
 * See json.h: what is common to all JSON of the program, and the document around results. Keys stand in the order of
 * the code, which is stable; numbers have twelve digits, more than any measurement and few enough that a number
 * printed, read and printed again is the same text.
 */
#include "result/json/json.h"

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

int kb_json_write(FILE *out, const json_t *json, size_t flags)
{
	char *text = json ? json_dumps(json, flags) : NULL;
	struct kb_span rest = { text, text ? strlen(text) : 0 };

	if (!text)
		return -EIO;
	/* jansson escapes C0 only. All that is not visible is in strings, but for the line ends between them, and below U+10000. */
	while (rest.length > 0) {
		struct kb_character c = kb_character_at(rest);
		bool shown = c.visible || c.code == '\n';

		/* Most of it is plain, and a run has megabytes. */
		while (shown && c.length < rest.length && (rest.at[c.length] == '\n' || (rest.at[c.length] >= ' ' && rest.at[c.length] <= '~')))
			c.length++;
		if (shown)
			fwrite(rest.at, 1, c.length, out);
		else
			fprintf(out, "\\u%04X", (unsigned)c.code);
		rest = (struct kb_span){ rest.at + c.length, rest.length - c.length };
	}
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

const char *kb_json_string_of(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key)) ?: "";
}

char *kb_json_take_text(json_t *json)
{
	char *text = kb_json_text(json);

	json_decref(json);
	return text;
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

json_t *kb_json_visible(json_t *json)
{
	json_t *copy, *value;
	const char *key;
	size_t i;

	if (json_is_string(json))
		return visible_string(json_string_value(json));
	if (!json_is_object(json) && !json_is_array(json))
		return json_incref(json);
	copy = json_is_object(json) ? json_object() : json_array();
	json_array_foreach(json, i, value)
		json_array_append_new(copy, kb_json_visible(value));
	/* Two keys that look the same become one. */
	json_object_foreach(json, key, value) {
		json_t *name = visible_string(key);

		json_object_set_new(copy, name ? json_string_value(name) : "?", kb_json_visible(value));
		json_decref(name);
	}
	return copy;
}
