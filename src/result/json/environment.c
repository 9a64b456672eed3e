/* See environment.h. */
#include "result/json/environment.h"

#include <stdio.h>
#include <string.h>

#include "base/crc32.h"
#include "base/text.h"
#include "result/json/json.h"

#define OF(kind, key, member) KB_JSON_FIELD(kind, key, kb_environment, member)

const struct kb_json_field kb_environment_fields[] = {
	{ OF(TEXT, "id", id), .flags = KB_JSON_NEEDED },
	{ OF(TEXT, "target", target) },
	{ OF(TEXT, "arch", arch), .flags = KB_JSON_OR_NULL },
	{ OF(TEXT, "kernel", kernel), .flags = KB_JSON_OR_NULL },
	{ OF(TEXT, "config", config), .flags = KB_JSON_OR_NULL },
	{ OF(TEXT, "image", image), .flags = KB_JSON_OR_NULL },
	{ OF(TEXT, "cpu", cpu), .flags = KB_JSON_OR_NULL },
	{ 0 }
};

/* Whether the run's environment tells of what was measured. A processor of 64 bits runs code of 32. */
static bool is_of_run(const struct kb_result *result, const json_t *facts, bool sel4)
{
	const char *arch = kb_json_string_of(facts, "arch");

	return sel4 == !strcmp(kb_json_string_of(facts, "os"), "seL4") &&
	       (!result->arch[0] || !arch[0] || !strcmp(result->arch, arch) || !strcmp(result->arch, "x86_32"));
}

/* 16 hex digits, as of a machine. */
static void name_emulated(struct kb_environment *e)
{
	struct kb_fact facts[] = { { (char[]){ "target" }, e->target, true }, { (char[]){ "arch" }, e->arch, true }, { (char[]){ "cpu" }, e->cpu, true } };

	kb_env_id(&(struct kb_env){ facts, 3 }, e->id);
}

static void name_kernel(struct kb_environment *e)
{
	uint32_t kernel = kb_crc32(kb_crc32(0, e->kernel, strlen(e->kernel)), e->image, strlen(e->image));
	size_t used = strlen(e->id);

	snprintf(e->id + used, sizeof e->id - used, ".%08x.%08x", (unsigned)kb_crc32(0, e->config, strlen(e->config)), (unsigned)kernel);
}

#define SET(member, text) kb_visible_copy(e->member, sizeof e->member, text)

void kb_environment_settle(struct kb_result *result, const json_t *env)
{
	const json_t *facts = json_object_get(env, "facts"), *readings = json_object_get(env, "readings");
	struct kb_environment *e = &result->environment;
	/* Also sel4bench.*, which is imported. */
	bool sel4 = !strncmp(result->benchmark, "sel4", 4), of_run = is_of_run(result, facts, sel4);
	/* The kernel is a fact of this machine's, and a reading of what was imported. */
	bool imported = json_object_get(readings, "kernel") != NULL;

	if (e->id[0] || !kb_json_env_id(env))
		return;
	SET(target, sel4 ? "sel4" : !strncmp(result->benchmark, "kernel.", 7) ? "kernel" : "linux");
	SET(arch, result->arch[0] || !of_run ? result->arch : kb_json_string_of(facts, "arch"));
	SET(kernel, imported ? kb_json_string_of(readings, "kernel") : sel4 ? kb_json_string_of(readings, "sel4_kernel") : kb_json_string_of(facts, "kernel"));
	SET(config, sel4 || imported ? kb_json_string_of(readings, "config") : "");
	SET(image, sel4 || imported ? kb_json_string_of(readings, "text") : "");
	SET(cpu, !of_run ? "QEMU" : kb_json_string_of(facts, json_object_get(facts, "cpu_model") ? "cpu_model" : "machine"));
	if (of_run)
		SET(id, kb_json_env_id(env));
	else if (e->arch[0] || e->config[0])
		name_emulated(e);
	else    /* what never ran does not say what it would have run on */
		*e = (struct kb_environment){ .id = "" };
	if (e->id[0] && sel4)
		name_kernel(e);
}

/* Length of so many parts. */
static size_t length_of(const char *id, unsigned parts)
{
	size_t length = strcspn(id, ".");

	while (--parts > 0 && id[length])
		length += 1 + strcspn(id + length + 1, ".");
	return length;
}

bool kb_environment_same(const char *a, const char *b, unsigned parts)
{
	size_t length = length_of(a, parts);

	return length == length_of(b, parts) && !memcmp(a, b, length);
}

const char *kb_environment_words(char text[KB_ENVIRONMENT_WORDS], const struct kb_environment *e)
{
	snprintf(text, KB_ENVIRONMENT_WORDS, "%s%s%s%s%.24s%s%.12s%s%s", e->target, e->arch[0] ? " " : "", e->arch, e->kernel[0] ? ", kernel " : "",
		 e->kernel, e->config[0] ? ", configuration " : "", e->config, e->cpu[0] ? ", " : "", e->cpu);
	return text;
}
