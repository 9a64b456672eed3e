/* See interference.h. What each kind does, the collector's neighbour.c knows. */
#include "base/interference.h"
#include "base/text.h"

static const char *const names[KB_INTERFERENCES] = {
	[KB_INTERFERENCE_MEMORY] = "memory", [KB_INTERFERENCE_CACHE] = "cache", [KB_INTERFERENCE_SYSCALLS] = "syscalls", [KB_INTERFERENCE_SPIN] = "spin",
};

enum kb_interference kb_interference_find(const char *name, size_t length)
{
	enum kb_interference kind = 0;

	while (kind < KB_INTERFERENCES && !kb_span_is((struct kb_span){ name, length }, names[kind]))
		kind++;
	return kind;
}

bool kb_interference_is_old(struct kb_span word)
{
	struct kb_span key, value;

	return kb_span_pair(word, &key, &value) && kb_span_is(key, "beside") &&
	       (kb_span_is(value, "nothing") || kb_interference_find(value.at, value.length) != KB_INTERFERENCES);
}

void kb_interference_rename(struct kb_text *to, const char *name)
{
	size_t length = kb_strlen(name), last = length;

	while (last > 0 && name[last - 1] != ' ')
		last--;
	if (!kb_interference_is_old((struct kb_span){ name + last, length - last })) {
		kb_text_str(to, name);
		return;
	}
	kb_text_bytes(to, name, last);
	kb_text_str(to, "interference=");
	kb_text_str(to, name + last + sizeof "beside=" - 1);
}
