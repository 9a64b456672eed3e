/* See beside.h. What each kind does, the collector's neighbour.c knows. */
#include "base/beside.h"
#include "base/text.h"

static const char *const names[KB_BESIDES] = {
	[KB_BESIDE_MEMORY] = "memory", [KB_BESIDE_CACHE] = "cache", [KB_BESIDE_SYSCALLS] = "syscalls", [KB_BESIDE_SPIN] = "spin",
};

enum kb_beside kb_beside_find(const char *name, size_t length)
{
	enum kb_beside kind = 0;

	while (kind < KB_BESIDES && !kb_span_is((struct kb_span){ name, length }, names[kind]))
		kind++;
	return kind;
}
