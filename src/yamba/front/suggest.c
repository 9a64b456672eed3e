/* See suggest.h. */
#include "yamba/front/suggest.h"

#include "base/nearest.h"

/* A file may be full of names that nobody knows, and have any number of those that somebody does. */
#define SUGGESTED 100
#define OFFERED 4096

static bool too_many(const struct kb_yamba *yamba)
{
	return yamba->diagnostics.count > SUGGESTED;
}

static const char *remedy(struct kb_yamba *yamba, const struct kb_nearest *nearest, const char *otherwise)
{
	return nearest->best ? kb_arena_format(yamba->arena, "did you mean '%s'?", nearest->best) : otherwise;
}

const char *kb_suggest_class(struct kb_yamba *yamba, struct kb_span name, const char *otherwise)
{
	struct kb_nearest nearest = { .typed = kb_arena_string(yamba->arena, name) };

	for (size_t i = 0; i < yamba->class_count && i < OFFERED && !too_many(yamba); i++)
		kb_nearest_offer(&nearest, kb_arena_string(yamba->arena, yamba->classes[i]->name));
	return remedy(yamba, &nearest, otherwise);
}

const char *kb_suggest_member(struct kb_yamba *yamba, const struct kb_yamba_class *class, struct kb_span name, const char *otherwise)
{
	struct kb_nearest nearest = { .typed = kb_arena_string(yamba->arena, name) };
	unsigned offered = 0;

	for (; class && !too_many(yamba); class = class->base)
		for (const struct kb_member *member = class->members; member && offered++ < OFFERED; member = member->next)
			kb_nearest_offer(&nearest, kb_arena_string(yamba->arena, member->name));
	return remedy(yamba, &nearest, otherwise);
}
