/* See alike.h. */
#include "workflow/runs/alike.h"

#include <stdio.h>
#include <string.h>

#include "result/json/environment.h"
#include "result/json/json.h"

const char *kb_alike_env(const struct kb_saved *saved)
{
	const char *id = kb_json_env_id(saved->env);

	return id ? id : "unknown";
}

static const json_t *ab_of(const struct kb_saved *saved)
{
	return json_object_get(json_object_get(saved->run, "settings"), "ab");
}

bool kb_alike_batch(const struct kb_saved *one, const struct kb_saved *other)
{
	const json_t *a = ab_of(one), *b = ab_of(other);
	const char *side_a = kb_json_string_of(a, "side"), *side_b = kb_json_string_of(b, "side");

	/* Self-tests were kept by earlier versions. */
	return a && b && strcmp(kb_json_string_of(a, "batch"), kb_json_string_of(b, "batch")) == 0 && strcmp(side_a, side_b) != 0 &&
	       strcmp(side_a, "self") != 0 && strcmp(side_b, "self") != 0;
}

/* The first facts that differ, by name: an ID is a hash and does not tell. */
static void name_facts(json_t *a, const json_t *b, char text[KB_ALIKE_ROOM])
{
	size_t used = strlen(text);
	const char *key, *separator = " (";
	json_t *value;

	json_object_foreach(a, key, value) {
		if (used + 120 > KB_ALIKE_ROOM || json_equal(value, json_object_get(b, key)))
			continue;
		used += (size_t)snprintf(text + used, KB_ALIKE_ROOM - used, "%s%.20s: %.40s and %.40s", separator, key,
					 kb_json_string_of(a, key), kb_json_string_of(b, key));
		separator = "; ";
	}
	if (separator[0] == ';')
		snprintf(text + used, KB_ALIKE_ROOM - used, ")");
}

json_int_t kb_alike_cpu(const json_t *settings)
{
	json_t *cpu = json_array_get(json_object_get(settings, "cpus"), 0);

	return json_is_integer(cpu) ? json_integer_value(cpu) : -1;
}

void kb_alike_differ(const struct kb_saved *a, const struct kb_environment *of_a, const struct kb_saved *b, const struct kb_environment *of_b,
		      char text[KB_ALIKE_ROOM])
{
	json_int_t cpu_a = kb_alike_cpu(json_object_get(a->run, "settings")), cpu_b = kb_alike_cpu(json_object_get(b->run, "settings"));

	text[0] = '\0';
	if (!kb_environment_same(of_a->id, of_b->id, KB_SAME_MACHINE)) {
		json_t *one = kb_json_from_fields(kb_environment_fields, of_a), *other = kb_json_from_fields(kb_environment_fields, of_b);
		bool runs = kb_environment_same(of_a->id, kb_alike_env(a), KB_SAME_MACHINE) && kb_environment_same(of_b->id, kb_alike_env(b), KB_SAME_MACHINE);

		snprintf(text, KB_ALIKE_ROOM, "environment IDs %.40s and %.40s", of_a->id, of_b->id);
		json_object_del(one, "id");
		name_facts(runs ? json_object_get(a->env, "facts") : one, runs ? json_object_get(b->env, "facts") : other, text);
		json_decref(one);
		json_decref(other);
	} else if (cpu_a >= 0 && cpu_b >= 0 && cpu_a != cpu_b) {
		/* One CPU of a machine may be dearer than another by a percent or two. */
		snprintf(text, KB_ALIKE_ROOM, "the CPUs %lld and %lld, on which was measured,", (long long)cpu_a, (long long)cpu_b);
	}
}
