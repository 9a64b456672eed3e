/* The list of facts, and the ID that says which machines may be compared. */
#include "env/env.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "env/cpulist.h"
#include "env/gather.h"
#include "grown.h"

static struct kb_fact *find(const struct kb_env *env, const char *key)
{
	for (size_t i = 0; i < env->count; i++) {
		if (!strcmp(env->facts[i].key, key))
			return &env->facts[i];
	}
	return NULL;
}

/* Facts come from firmware, kernels and imported logs, and are printed as they are kept. NULL: no memory. */
static char *copy_visible(const char *text)
{
	char *copy = strdup(text);

	if (copy)
		kb_make_visible(copy, ' ');
	return copy;
}

/* A key that is already there gets the new value: keys are unique, or the ID would depend on their order. */
int kb_env_add(struct kb_env *env, const char *key, const char *value, bool stable)
{
	struct kb_fact *fact = find(env, key);
	char *line = copy_visible(value && value[0] ? value : "unknown"), *name = fact ? fact->key : copy_visible(key);

	if (!line || !name || (!fact && !KB_GROW(env->facts, env->count))) {
		free(line);
		if (!fact)
			free(name);
		return -ENOMEM;
	}
	if (fact)
		free(fact->value);
	else
		fact = &env->facts[env->count++];
	*fact = (struct kb_fact){ .key = name, .value = line, .stable = stable };
	return 0;
}

void kb_env_free(struct kb_env *env)
{
	for (size_t i = 0; i < env->count; i++) {
		free(env->facts[i].key);
		free(env->facts[i].value);
	}
	free(env->facts);
	*env = (struct kb_env){ 0 };
}

const char *kb_env_get(const struct kb_env *env, const char *key)
{
	const struct kb_fact *fact = find(env, key);

	return fact ? fact->value : NULL;
}

/* FNV-1a, 64 bits (Fowler, Noll, Vo): offset and prime are the published ones. Not a defence against an adversary. */
static uint64_t hash_bytes(uint64_t hash, const char *text)
{
	/* The terminating null byte is part of it: "a" "bc" and "ab" "c" differ. */
	for (const char *at = text;; at++) {
		hash = (hash ^ (unsigned char)*at) * 1099511628211u;
		if (!*at)
			return hash;
	}
}

/* The stable fact with the smallest key above `after`. Sorting would need memory, and this cannot fail. */
static const struct kb_fact *next_stable(const struct kb_env *env, const char *after)
{
	const struct kb_fact *best = NULL;

	for (size_t i = 0; i < env->count; i++) {
		const struct kb_fact *fact = &env->facts[i];

		if (!fact->stable || (after && strcmp(fact->key, after) <= 0))
			continue;
		if (!best || strcmp(fact->key, best->key) < 0)
			best = fact;
	}
	return best;
}

void kb_env_id(const struct kb_env *env, char out[17])
{
	uint64_t hash = 14695981039346656037u;

	for (const struct kb_fact *fact = next_stable(env, NULL); fact; fact = next_stable(env, fact->key))
		hash = hash_bytes(hash_bytes(hash, fact->key), fact->value);
	snprintf(out, 17, "%016" PRIx64, hash);
}

void kb_gather_fact(struct kb_gather *gather, const char *key, const char *value, enum kb_lasting lasting)
{
	if (!gather->error)
		gather->error = kb_env_add(gather->env, key, value, lasting == KB_STABLE);
}

void kb_gather_number(struct kb_gather *gather, const char *key, uint64_t value, enum kb_lasting lasting)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	kb_gather_fact(gather, key, text, lasting);
}

void kb_gather_count(struct kb_gather *gather, const char *key, const char *path)
{
	char list[KB_SOURCE_LINE];
	int count = kb_source_line(gather->source, path, list, sizeof(list)) ? kb_cpulist_count(list) : -1;

	if (count > 0)
		kb_gather_number(gather, key, (uint64_t)count, KB_STABLE);
	else
		kb_gather_fact(gather, key, NULL, KB_STABLE);
}

int kb_env_gather(const struct kb_fact_source *source, const struct kb_answers *answers, struct kb_env *env)
{
	struct kb_gather gather = { .source = source, .answers = answers, .env = env };

	*env = (struct kb_env){ 0 };
	kb_gather_system(&gather);
	kb_gather_cpu(&gather);
	kb_gather_memory(&gather);
	kb_gather_moment(&gather);
	if (gather.error)
		kb_env_free(env);
	return gather.error;
}

int kb_env_read(struct kb_env *env)
{
	const struct kb_fact_source machine = { .root = "" };
	struct kb_answers answers;

	kb_answers_ask(&answers);
	return kb_env_gather(&machine, &answers, env);
}
