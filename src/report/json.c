/*
 * See json.h: what is common to all JSON of the program, and the document around results. Keys stand in the order of
 * the code, which is stable; numbers have twelve digits, more than any measurement and few enough that a number
 * printed, read and printed again is the same text.
 */
#include "report/json.h"

#include <errno.h>
#include <math.h>

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

int kb_json_print(FILE *out, const json_t *json)
{
	if (!json || json_dumpf(json, out, FORMAT | JSON_INDENT(2)) || fputc('\n', out) == EOF)
		return -EIO;
	return 0;
}

char *kb_json_text(const json_t *json)
{
	return json ? json_dumps(json, FORMAT | JSON_COMPACT) : NULL;
}

/* Apart, so that a reader can make the class again from the stable ones alone. */
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
	char class[17];

	kb_env_class(env, class);
	return json_pack("{s:s, s:o, s:o}", "class", class, "facts", facts(env, true), "readings", facts(env, false));
}

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

json_t *kb_result_document(json_t *run, json_t *env, json_t *results)
{
	return json_pack("{s:s, s:o, s:o, s:o}", "schema", KB_RESULT_SCHEMA, "run", run, "env", env, "results",
			 results);
}
